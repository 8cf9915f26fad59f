// Keys and presses on the board, lists, buttons, forms and files. After each, all is drawn.

import { findDistance, isLoading, lookUp, makeTable, rest, retry, switchSearch, think } from "./asking.js";
import * as endings from "./endings.js";
import { file, studyOf } from "./file.js";
import { toStudy } from "./game.js";
import { chosenIn, make } from "./lists.js";
import { explain, leadTo } from "./moving.js";
import { changeLines, choose, goTo, goToPosition, goToStudy, goToText, isAnswered, playLine, read, toggleAuto } from "./playing.js";
import { parse } from "./position.js";
import * as practice from "./practice.js";
import { begin, changeStrength, hint, leave, practise, takeBack } from "./practising.js";
import { beside, flip, game, here, keep, linesAfter, link, position, record, steps, variation, withEntry, withMain, without } from "./record.js";
import { backToReview, findBetter, nextSlip, review } from "./reviewing.js";
import { changeKind, clear, exchange, move, pickUp, put, putDown, putOfficers, rotate, setSide, start, takeOff, useTool } from "./setup.js";
import { hasEnded, isUnread, listed, movesFrom, setMode, state, stop } from "./state.js";
import * as source from "./source.js";
import { choose as chooseMaterial, count } from "./statistics.js";
import { worth } from "./values.js";
import { board, byId, fitField, point, refuse, render, say } from "./view.js";
import { sentence } from "./words.js";

// Lets events act on the page. What an act means nothing to, it returns false for.
const drawn = (act) => (...about) => {
  const isMeant = act(...about);
  if (isMeant !== false) render();
  return isMeant;
};
const on = (target, type, act) => target.addEventListener(type, drawn(act));
for (const [name, act] of Object.entries({ press, drag, key })) board.events[name] = drawn(act);

// What practice alone has. Until the answer to the position after it is there, its buttons are still shown.
const practised = (act) => () => (record.practice ? act() : refuse("Begin practice first."));

function press(square, { shiftKey }) {
  const { carried, chosen, mode } = state;
  state.candidates = [];
  if (carried) return putDown(square);
  if (mode === "setup") return useTool(square, shiftKey);
  if (chosen && leadTo(chosen, square)) return;
  const count = movesFrom(square).length;
  state.chosen = count && square !== chosen ? square : null;
  state.passed = [];
  if (state.chosen) say(`${square} chosen: ${count} ${count === 1 ? "move" : "moves"}.`);
  else if (chosen && square !== chosen) explain(chosen, square);
  else if (!count && position().columns.has(square)) explain(square);
}

function drag(from, to) {
  if (state.mode === "setup") {
    move(from, to);
  } else if (to && isAnswered() && !leadTo(from, to)) {
    explain(from, to);
  }
}

const flipView = () => flip({ isUnread: isUnread() });

// Handles a key on a square. Returns true if the key has a meaning.
function key(square, { key: name, shiftKey }) {
  const { columns } = position();
  const letter = name.toLowerCase();
  const actions = {
    w: () => put(square, "W", shiftKey),
    b: () => put(square, "B", shiftKey),
    k: changeKind,
    delete: () => columns.has(square) && takeOff(square, shiftKey),
    backspace: () => columns.has(square) && takeOff(square, shiftKey),
    m: () => {
      if (state.carried) putDown(square);
      else if (columns.has(square)) pickUp(square);
      else refuse(`There is nothing to pick up on ${square}.`);
    },
    s: () => setSide(position().side === "w" ? "b" : "w"),
    c: clear,
    r: rotate,
    x: exchange,
    p: () => !byId("auto").disabled && toggleAuto(),
    v: () => (state.searches ? switchSearch(!state.searchesOn) : refuse("This server does not search.")),
    g: review,
    n: () => practise(),
    t: practised(takeBack),
    h: practised(hint),
    ",": () => goTo(steps().back),
    ".": () => goTo(steps().forward),
    escape: () => {
      stop();
      state.chosen = state.carried = null;
    },
  };
  if (/^[1-9]$/.test(name)) {
    choose(listed()[name - 1]);
    return true;
  }
  if (!Object.hasOwn(actions, letter)) return false;
  const changes = ["w", "b", "k", "delete", "backspace", "m"].includes(letter);
  if (changes && state.mode !== "setup") refuse("Choose Set up to change the position.");
  else if (record.practice && !(hasEnded() && [",", "."].includes(letter)) && ["s", "c", "r", "x", "p", "v", "g", ",", "."].includes(letter)) refuse("Leave practice before you use this key.");
  else actions[letter]();
  return true;
}

// Opens the list of keys, or closes it and goes back to the board.
function showKeys() {
  const help = byId("help");
  help.open = !help.open;
  if (help.open) help.scrollIntoView();
  else scrollTo({ top: 0 });
}

// The keys that act everywhere, unless they mean something where the focus is.
on(document, "keydown", (event) => {
  const { altKey, ctrlKey, defaultPrevented, key, metaKey, shiftKey, target } = event;
  if (defaultPrevented || altKey || ctrlKey || metaKey || target.matches("input, select, textarea")) return false;
  const [{ first, back, forward, last }, { above, below }] = [steps(), beside()];
  const to = { Home: first, End: last, ArrowLeft: back, ArrowRight: forward, ArrowUp: above, ArrowDown: below };
  const act = { f: flipView, "?": showKeys }[key.toLowerCase()];
  if (act) act();
  else if (to[key] !== undefined && !shiftKey) goTo(to[key]);
  else return false;
  event.preventDefault();
});

// How far the wheel is turned for a step, in pixels, and how far it was turned since the last one.
const STEP = 50;
let turned = 0;

// The wheel over the board steps. Where there is no step to make, it scrolls the page.
function wheel(event) {
  const { ctrlKey, deltaY } = event;
  const { back, forward } = steps();
  const to = deltaY < 0 ? back : forward;
  if (ctrlKey || deltaY === 0 || to === undefined || (record.practice && !hasEnded())) return;
  event.preventDefault();
  turned = turned * deltaY < 0 ? deltaY : turned + deltaY;
  if (Math.abs(turned) < STEP) return;
  turned = 0;
  goTo(to);
}
document.querySelector(".frame").addEventListener("wheel", wheel, { passive: false });

for (const input of document.getElementsByName("mode")) {
  on(input, "change", () => {
    stop();
    leave();
    setMode(input.value);
  });
}
for (const input of document.getElementsByName("side")) {
  on(input, "change", () => setSide(input.value));
}
const presses = {
  clear,
  rotate,
  exchange,
  start,
  officers: putOfficers,
  flip: flipView,
  first: () => goTo(steps().first),
  back: () => goTo(steps().back),
  forward: () => goTo(steps().forward),
  last: () => goTo(steps().last),
  "make-main": () => changeLines(withMain(), "This is the main line now."),
  remove: () => changeLines(without(variation()), "The variation is removed."),
  "remove-move": () => changeLines(without(record.at), "The move is removed."),
  "review-start": review,
  "review-on": () => review({ goesOn: true }),
  auto: toggleAuto,
  retry,
  make: makeTable,
  exact: findDistance,
  practise: () => (record.practice ? leave() : practise()),
  "take-back": practised(takeBack),
  "next-ending": practised(endings.next),
  "next-slip": practised(nextSlip),
  "back-to-review": practised(backToReview),
  hint: practised(hint),
  again: practised(() => practise()),
  "other-side": practised(() => practise(practice.otherSide(record.practice.side))),
  leave: () => {
    leave();
    board.focus(board.at);
  },
};
for (const [id, pressed] of Object.entries(presses)) on(byId(id), "click", pressed);
on(byId("strength"), "change", changeStrength);
on(byId("search"), "change", () => switchSearch(byId("search").checked));
// Nothing is searched that is not in view.
on(document, "visibilitychange", () => {
  if (!document.hidden) think();
  else if (!state.searching?.exact) rest();
});
byId("statistics").addEventListener("toggle", count);

// Lists of moves. What is pressed there may not be known any more, or not yet.
on(byId("moves"), "click", (event) => {
  const chosen = chosenIn(event).move;
  if (chosen) choose(listed().find(({ move }) => move === chosen));
});
for (const type of ["pointerover", "focusin"]) byId("moves").addEventListener(type, (event) => point(chosenIn(event).move ?? null));
for (const type of ["pointerleave", "focusout"]) byId("moves").addEventListener(type, () => point(null));
on(byId("best"), "click", (event) => chosenIn(event).count && playLine(Number(chosenIn(event).line), Number(chosenIn(event).count)));
on(byId("record"), "click", (event) => chosenIn(event).place && goTo(Number(chosenIn(event).place)));
on(byId("slips"), "click", (event) => {
  const { find, place } = chosenIn(event);
  if (find) {
    findBetter(find);
    scrollTo({ top: 0 });
  } else if (place) goTo(Number(place));
});

on(byId("results"), "click", ({ clientX }) => {
  const { left, width } = byId("results").getBoundingClientRect();
  const { places } = game();
  goTo(places[Math.floor(((clientX - left) / width) * places.length)]);
});
on(byId("results"), "keydown", (event) => {
  const { first, back, forward, last } = steps();
  const to = { Home: first, ArrowLeft: back, ArrowRight: forward, End: last };
  if (!(event.key in to)) return false;
  event.preventDefault();
  goTo(to[event.key]);
});

// What is written about the position that is shown.
on(byId("comment"), "input", () => {
  const comment = byId("comment").value.trim();
  keep(withEntry({ comments: comment ? [comment] : undefined }));
});
on(byId("mark"), "change", () => keep(withEntry({ mark: byId("mark").value || undefined })));

byId("position").addEventListener("input", fitField);
byId("position").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  byId("position-form").requestSubmit();
});
on(byId("position-form"), "submit", (event) => {
  event.preventDefault();
  stop();
  const text = byId("position").value.trim();
  if (text && text !== here().position) goToText(text);
  else lookUp();
});

byId("copy").addEventListener("click", async () => {
  const button = byId("copy");
  try {
    await navigator.clipboard.writeText(new URL(isUnread() ? location : link(), location.href).href);
    button.textContent = "Copied";
    say("The link is copied.");
  } catch {
    // The browser does not allow it, but the address bar has the link.
    button.textContent = "See the address bar";
  }
  setTimeout(() => (button.textContent = "Copy link"), 2000);
});

// Gives the user a file.
function give(text, type, name) {
  const anchor = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  anchor.click();
  URL.revokeObjectURL(anchor.href);
}

byId("picture").addEventListener("click", async () => {
  try {
    give(await source.picture(here().position), "image/svg+xml", "lasca.svg");
    say("The picture is saved.");
  } catch (error) {
    refuse(sentence(error.message));
  }
});

// A game as a study, from its first entry.
const studyAt = (entries, place) => toStudy(worth(entries[place]), linesAfter(entries, place));

on(byId("save"), "click", () => {
  if (isLoading()) return;
  if (!parse(here().position)?.columns.size) return refuse("There is no game to save.");
  const { line, places } = game();
  const ofFile = studyOf(line[0]) && file;
  const games = ofFile ? file.studies.map(({ entries }) => studyAt(entries, 0)) : [studyAt(record.entries, places[0])];
  give(games.join("\n"), "text/plain", ofFile?.name ?? "lasca.study");
  if (ofFile?.studies.some(({ errors }) => errors.length)) return refuse("The file is saved without the moves that are not legal, and without all that follows them.");
  say(games.length > 1 ? `The file is saved, with ${games.length} games.` : "The game is saved.");
});

byId("load").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", async () => {
  const [opened] = byId("file").files;
  byId("file").value = "";
  stop();
  setMode("play");
  try {
    read(await opened.text(), opened.name);
  } catch {
    refuse("The file cannot be read.");
  }
});
on(byId("studies"), "change", () => goToStudy(byId("studies").selectedIndex));

// Calls `then` with what a link that is pressed within this element asks for by this name.
function onLink(id, name, then) {
  on(byId(id), "click", (event) => {
    const anchor = event.target.closest("a");
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    then(new URL(anchor.href).searchParams.get(name));
  });
}

const toPosition = (then) => (position) => {
  stop();
  setMode("play");
  then(position);
  scrollTo({ top: 0 });
};

onLink("examples", "position", toPosition(goToPosition));
onLink("endings-list", "position", toPosition((position) => begin(position, "w")));
onLink("about-tables", "statistics", chooseMaterial);

byId("endings").addEventListener("submit", (event) => {
  event.preventDefault();
  endings.propose();
});
