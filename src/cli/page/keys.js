// Keys on the board, buttons, forms and files.

import * as endings from "./endings.js";
import * as games from "./game.js";
import { make } from "./lists.js";
import { lookUp, solve } from "./asking.js";
import { changeLines, choose, go, goTo, goToPosition, replay, stop, toggleAuto } from "./playing.js";
import { parse } from "./position.js";
import * as practice from "./practice.js";
import { hint, leave, practise, takeBack } from "./practising.js";
import { atEnd, game, here, linesAfter, link, position, record, steps, withMain, withoutVariation } from "./record.js";
import { review } from "./reviewing.js";
import { changeKind, clear, exchange, flip, pickUp, put, putDown, rotate, setMode, setSide, takeOff } from "./setup.js";
import { listed, state } from "./state.js";
import { board, byId, complain, refuse, say, showBoard } from "./view.js";

// Handles a key on a square. Returns true if the key has a meaning.
export function key(square, { key: name, shiftKey }) {
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
    f: flip,
    p: () => !byId("auto").disabled && toggleAuto(),
    v: () => !byId("solve").hidden && solve(false),
    g: review,
    n: () => practise(),
    t: () => record.practice && takeBack(),
    h: () => record.practice && hint(),
    ",": () => goTo(steps().back),
    ".": () => goTo(steps().forward),
    escape: () => {
      stop();
      state.chosen = state.carried = null;
      showBoard();
    },
  };
  if (/^[1-9]$/.test(name)) {
    choose(listed()[name - 1]);
    return true;
  }
  if (!Object.hasOwn(actions, letter)) return false;
  const changes = ["w", "b", "k", "delete", "backspace", "m"].includes(letter);
  if (changes && state.mode !== "setup") refuse("Choose Set up to change the position.");
  else if (record.practice && ["s", "c", "r", "x", "p", "v", "g", ",", "."].includes(letter)) refuse("Leave practice before you use this key.");
  else actions[letter]();
  return true;
}

for (const input of document.getElementsByName("mode")) {
  input.addEventListener("change", () => {
    stop();
    leave();
    setMode(input.value);
  });
}
for (const input of document.getElementsByName("side")) {
  input.addEventListener("change", () => setSide(input.value));
}
const presses = {
  clear,
  rotate,
  exchange,
  flip,
  first: () => goTo(steps().first),
  back: () => goTo(steps().back),
  forward: () => goTo(steps().forward),
  last: () => goTo(steps().last),
  "make-main": () => changeLines(withMain(), "This is the main line now."),
  remove: () => changeLines(withoutVariation(), "The variation is removed."),
  "review-start": review,
  auto: toggleAuto,
  retry: lookUp,
  solve: () => solve(false),
  exact: () => solve(true),
  practise: () => practise(),
  "take-back": takeBack,
  hint,
  again: () => practise(),
  "other-side": () => practise(practice.otherSide(record.practice.side)),
  leave: () => {
    leave();
    board.focus(board.at);
  },
};
for (const [id, pressed] of Object.entries(presses)) byId(id).addEventListener("click", pressed);

byId("results").addEventListener("click", ({ clientX }) => {
  const { left, width } = byId("results").getBoundingClientRect();
  const { places } = game();
  goTo(places[Math.floor(((clientX - left) / width) * places.length)]);
});
byId("results").addEventListener("keydown", (event) => {
  const { first, back, forward, last } = steps();
  const to = { Home: first, ArrowLeft: back, ArrowRight: forward, End: last };
  if (!(event.key in to)) return;
  event.preventDefault();
  goTo(to[event.key]);
});

byId("position-form").addEventListener("submit", (event) => {
  event.preventDefault();
  stop();
  const text = byId("position").value.trim();
  if (text && text !== here().position) goToPosition(text);
  else lookUp();
});

byId("copy").addEventListener("click", async () => {
  const button = byId("copy");
  try {
    await navigator.clipboard.writeText(new URL(link(), location.href).href);
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

byId("picture").addEventListener("click", () => {
  give(board.picture(here().position), "image/svg+xml", "lasca.svg");
  say("The picture is saved.");
});

byId("save").addEventListener("click", () => {
  if (!parse(here().position)) return refuse("There is no game to save.");
  const { line, places } = game();
  give(games.toStudy(line[0], linesAfter(places[0])), "text/plain", "lasca.study");
  say("The game is saved.");
});

byId("load").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", async () => {
  const [file] = byId("file").files;
  const found = games.fromStudy(await file.text());
  byId("file").value = "";
  if (!found) return complain("The file has no position with a side to move.");
  stop();
  setMode("play");
  replay(found, (entries) => go(atEnd(entries)));
});

// Calls `then` with the position of a link that is pressed in this list.
function onLink(id, then) {
  byId(id).addEventListener("click", (event) => {
    const anchor = event.target.closest("a");
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    stop();
    setMode("play");
    then(new URL(anchor.href).searchParams.get("position"));
    scrollTo({ top: 0 });
  });
}

onLink("examples", goToPosition);
onLink("endings-list", (position) => {
  go(practice.begin(position, "w"));
  board.focus(board.at);
});

byId("endings").addEventListener("submit", (event) => {
  event.preventDefault();
  endings.propose();
});
