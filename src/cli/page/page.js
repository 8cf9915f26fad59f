// The page: it looks positions up, keeps a record of the moves played, and shows the answers. It knows
// no rules: the server tells it which moves there are, and what they are worth.

import * as address from "./address.js";
import { Board } from "./board.js";
import * as edits from "./edits.js";
import * as endings from "./endings.js";
import * as games from "./game.js";
import { appendNumbered, make, moveItems, unbroken } from "./lists.js";
import { format, inWords, parse, sideName, squaresOf } from "./position.js";
import * as practice from "./practice.js";
import { answerFrom, remember, search } from "./search.js";
import { detail, hasDistances, plies, progressOf, sentence, verdict } from "./words.js";

const EXAMPLE = "c3WW e3BW b6B w";

// How long each position is shown while the best line is played automatically, in milliseconds.
const PACE = 1000;

// How many times a busy server is asked again automatically.
const RETRIES = 3;

// How long the tables wait in practice before they reply, in milliseconds.
const REPLY = 600;

// The greatest number of positions in the record.
const LONGEST_RECORD = 600;

const byId = (id) => document.getElementById(id);

// The record: positions with the moves that led to them (null if the board was set up), and the
// current entry. In practice it has the state of practice as well.
let record = { entries: [{ position: EXAMPLE, move: null }], at: 0 };
// The server's answer about the position, from /probe, or from /moves with what searches have found. It is
// null until it has arrived.
let answer = null;
// The answer of /moves, if the position is not in the tables, and the server's reason.
let legal = null;
let missing = "";
// The search that is under way: what aborts it, and its last line.
let searching = null;
let mode = "play";
// The square whose column has been chosen to move, or has been picked up.
let chosen = null;
let carried = null;
// Whether the best line is being played automatically.
let auto = null;
// Counts the requests, so that late answers can be ignored.
let asked = 0;
let announced = "";
// What to announce before the next answer.
let note = "";
// Why there is no practice from this position, if it was asked for.
let noPractice = "";
// The goal in practice that was announced last.
let announcedGoal = "";
// The reply of the tables in practice, if it is under way.
let replying = null;

const board = new Board(byId("board"), { press, drag, key, look });

const here = () => record.entries[record.at];
const position = () => parse(here().position) ?? { columns: new Map(), side: "w" };

function say(text) {
  // A screen reader does not read the same text twice, so make it differ.
  announced = text === announced ? `${text}\u00a0` : text;
  byId("live").textContent = announced;
}

// The record

// The entries since the board was last set up, with those that can be redone, and the place of the current
// one among them.
function game() {
  const { entries, at } = record;
  const start = entries.findLastIndex(({ move }, i) => i <= at && !move);
  const next = entries.findIndex(({ move }, i) => i > at && !move);
  const first = Math.max(start, 0);
  return { first, line: entries.slice(first, next < 0 ? entries.length : next), at: at - first };
}

// The address of the game. Its moves are in the fragment, which may be long. A link of practice begins
// where it is.
function link() {
  const { line, at } = game();
  const query = new URLSearchParams({ position: (record.practice ? here() : line[0]).position });
  if (board.flipped) query.set("view", "black");
  if (record.practice) query.set("practice", sideName(record.practice.side).toLowerCase());
  if (record.practice || line.length === 1) return `?${query}`;
  const moves = new URLSearchParams({ moves: line.slice(1).map(({ move }) => move).join(".") });
  if (at < line.length - 1) moves.set("at", at);
  return `?${query}#${moves}`;
}

// Shows the current entry of the record in the address, in place of what it has shown.
const showAddress = () => address.write(record, { url: link() });

// Goes to an entry of the record, old or new, as a new step in the history of the browser.
function go(next, { replace = false, animate = null } = {}) {
  record = next;
  address.write(record, { isStep: !replace, url: link() });
  arrive(animate);
}

function goTo(at) {
  stop();
  if (record.practice) return;
  if (at < 0 || at >= record.entries.length || at === record.at) return;
  const animate = at === record.at + 1 ? record.entries[at].move : null;
  go({ ...record, at }, { animate });
}

function goOn(entry, options = {}) {
  const entries = [...record.entries.slice(0, record.at + 1), entry].slice(-LONGEST_RECORD);
  go({ entries, at: entries.length - 1 }, options);
}

// Starts a new record at a position that was set up.
function edit({ changed, what, refused }) {
  if (refused) return refuse(refused);
  stop();
  const text = format(changed);
  if (text === here().position) return;
  goOn({ position: text, move: null });
  say(what);
}

function play(move, options = {}) {
  byId("moves").querySelectorAll(".candidate").forEach((row) => row.classList.remove("candidate"));
  if (record.practice) {
    const rated = answer.moves.find((other) => other.move === move.move);
    go(practice.withMove(record, rated, answer, LONGEST_RECORD), { replace: true, animate: move.move });
  } else {
    goOn({ position: move.position, move: move.move }, { ...options, animate: move.move });
  }
}

// Shows the current entry, and asks for its value.
function arrive(animate) {
  chosen = carried = null;
  answer = legal = null;
  missing = "";
  searching?.controller.abort();
  searching = null;
  clearTimeout(replying);
  noPractice = "";
  document.body.classList.toggle("practising", Boolean(record.practice));
  byId("practice").setAttribute("aria-busy", "true");
  byId("position").value = here().position;
  byId("position-error").textContent = "";
  board.showPath(null);
  showBoard();
  showRecord();
  if (animate) board.animate(animate);
  for (const input of document.getElementsByName("side")) {
    input.checked = input.value === position().side;
  }
  lookUp();
}

// Requests

// Waits for some milliseconds, or fails as soon as the signal is given.
function pause(time, signal) {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    setTimeout(done, time);
    signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
  });
}

async function ask(path, parameters, signal) {
  const query = new URLSearchParams(parameters);
  for (let tries = 0; ; tries++) {
    const response = await fetch(`${path}?${query}`, { signal });
    if (response.status === 503 && tries < RETRIES) {
      await pause(1000 * (tries + 1), signal);
      continue;
    }
    return { status: response.status, body: await response.json() };
  }
}

let asking = new AbortController();

async function lookUp() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const mine = ++asked;
  const text = here().position;
  const { columns } = position();
  if (columns.size === 0 && parse(text)) {
    endPractice("");
    showAnswer({ none: "An empty board", detail: "Choose Set up, and put counters on the board." });
    return;
  }
  byId("verdict").classList.add("busy");
  try {
    // The values with best play; without the distances, the values alone; or the legal moves.
    const questions = [["probe", { line: 1 }], ["probe", {}], ["moves", {}]];
    let path, status, body;
    do {
      const [next, more] = questions.shift();
      // The page has a button in place of what programs are told.
      if (path === "probe") [missing] = body.error.split("; /solve");
      path = next;
      ({ status, body } = await ask(path, { position: text, ...more }, signal));
      if (mine !== asked) return;
    } while (status === 404 && questions.length);
    if (status === 200) {
      storeAnswer(body, path === "moves");
      if (answer.wdl === "draw" && answer.line && !legal) {
        // How many replies hold the draw: in practice, the tables set traps.
        const { status, body: counted } = await ask("explain", { position: text }, signal);
        if (mine !== asked) return;
        if (status === 200) answer = { ...answer, moves: counted.moves };
        showMoves();
      }
      reply();
    } else if (status === 404) {
      showAnswer({ none: "Not in the tables", detail: sentence(missing) });
    } else if (status === 400) {
      byId("position-error").textContent = body.error;
      endPractice("");
      showAnswer({ none: "Not a position", detail: "The text of the position cannot be read." });
    } else {
      showUnanswered(body);
    }
  } catch (error) {
    if (mine !== asked || error.name === "AbortError") return;
    showAnswer({ none: "No answer", detail: "The server cannot be reached.", retry: true });
  }
}

function showUnanswered({ error }) {
  showAnswer({ none: "No answer", detail: sentence(error), retry: true });
}

// Stores an answer from /probe, or from /moves if the position is not in the tables.
function storeAnswer(body, isMissing = false) {
  // The position may have been given in another form.
  rewrite({ ...here(), position: body.position });
  answer = body;
  if (isMissing) {
    legal = body;
    takeFound();
  }
  showStored();
}

// Puts another entry in the place of the current one.
function rewrite(entry) {
  const isNew = entry.position !== here().position;
  record = { ...record, entries: record.entries.with(record.at, entry) };
  address.write(record, { url: isNew ? link() : null });
  if (!isNew) return;
  byId("position").value = entry.position;
  for (const input of document.getElementsByName("side")) {
    input.checked = input.value === position().side;
  }
}

// Shows the answer, once there is all that it needs: practice outside the tables needs a search.
function showStored() {
  rewrite(games.rated(here(), answer));
  if (needsSearch()) return solve(false);
  startPractice();
  showBoard();
  showRecord();
  showAnswer(unsolved());
  playOn();
}

// What to say about a position that neither the tables nor a search has solved.
function unsolved() {
  if (!legal || answer.wdl !== undefined) return {};
  return { none: "Not in the tables", detail: `${sideName(position().side)} to move. ${sentence(missing)}` };
}

// Takes over what searches have found about the position.
function takeFound() {
  answer = answerFrom(legal, position());
}

// Solves the position by search, or stops the search under way.
async function solve(exact) {
  if (searching) return searching.controller.abort();
  if (!legal) return;
  stop();
  const mine = { controller: new AbortController(), line: null };
  const { signal } = mine.controller;
  searching = mine;
  const text = here().position;
  const progress = (line) => {
    if (searching !== mine) return;
    mine.line = line;
    if (line.so_far) remember(line.so_far);
    takeFound();
    showSearch();
  };
  showSearch();
  if (!record.practice) say("Searching.");
  let refused = null;
  let isStopped = false;
  try {
    for (let tries = 0; ; tries++) {
      const { status, body } = await search(text, { exact, signal, progress });
      if (status === 503 && tries < RETRIES) {
        await pause(1000 * (tries + 1), signal);
        continue;
      }
      if (status === 200) remember(body);
      else refused = sentence(body.error);
      break;
    }
  } catch (error) {
    isStopped = error.name === "AbortError";
    if (!isStopped) refused = "The server cannot be reached.";
  }
  // Another position is shown now.
  if (searching !== mine) return;
  searching = null;
  takeFound();
  if (record.practice) {
    if (needsSearch()) endPractice(refused ?? "The search has not decided this position.");
    showStored();
    return reply();
  }
  rewrite(games.rated(here(), answer));
  showBoard();
  if (refused) showAnswer({ none: "No answer", detail: refused });
  else if (isStopped && !answer.isSearched) showAnswer({ none: "Open", detail: "The search was stopped before anything was proved." });
  else showAnswer(unsolved());
}

// Display

// Shows how far the search is, and what it has found so far. In practice, it does not tell.
function showSearch() {
  const { line } = searching;
  byId("practice").hidden = !record.practice;
  byId("verdict").hidden = Boolean(record.practice);
  if (record.practice) {
    byId("goal").textContent ||= "Practice";
    byId("told").textContent = "Searching…";
    return;
  }
  const { wdl } = answer;
  const isFound = wdl !== undefined && wdl !== null;
  byId("verdict").className = `verdict ${isFound ? wdl : "none"}`;
  byId("value").textContent = isFound ? verdict(answer, position()) : "Searching…";
  byId("detail").textContent = line ? progressOf(line) : "";
  showSearchButtons();
  if (line && !line.so_far) return;
  showMoves();
  showBestLine();
}

function showSearchButtons() {
  const { wdl, dtw, isSettled } = answer ?? {};
  byId("solve").hidden = !searching && (!legal || dtw === 0 || isSettled);
  byId("solve").textContent = searching ? "Stop" : wdl ? "Rate all moves" : "Solve";
  byId("exact").hidden = Boolean(searching) || !legal || dtw !== null || (wdl !== "win" && wdl !== "loss");
}

function showAnswer({ none = null, detail: why = "", retry = false }) {
  const box = byId("verdict");
  box.classList.remove("busy");
  byId("practice").hidden = !record.practice || Boolean(none);
  box.hidden = !byId("practice").hidden;
  if (box.hidden) return showPractice();
  announcedGoal = "";
  const is = none ? "none" : (answer.wdl ?? "none");
  box.className = `verdict ${is}`;
  byId("value").textContent = none ?? verdict(answer, position());
  byId("detail").replaceChildren(...unbroken([none ? why : detail(answer, position()), noPractice].filter(Boolean).join(" ")));
  byId("retry").hidden = !retry;
  byId("practise").hidden = Boolean(none || record.practice) || !canPractise();
  byId("practise").textContent = `Practise against the ${legal ? "search" : "tables"}`;
  showSearchButtons();
  showMoves();
  showBestLine();
  const best = nextMove();
  const words = [note, byId("value").textContent, byId("detail").textContent];
  note = "";
  if (best && !none) words.push(`Best: ${best.move}.`);
  say(words.filter(Boolean).join(". ").replaceAll("..", "."));
  document.title = none ? "Lasca endgames" : `${verdict(answer, position())} – ${here().position} – Lasca endgames`;
}

function showBoard() {
  const { columns } = position();
  const moves = new Map();
  for (const { move } of listed()) {
    const from = squaresOf(move)[0];
    moves.set(from, (moves.get(from) ?? 0) + 1);
  }
  board.show({
    columns,
    chosen: chosen ?? carried,
    targets: chosen ? movesFrom(chosen).map(({ move }) => squaresOf(move).at(-1)) : [],
    last: here().move ? [squaresOf(here().move)[0], squaresOf(here().move).at(-1)] : [],
    moves: mode === "play" ? moves : new Map(),
  });
}

function showMoves() {
  const focused = document.activeElement?.closest?.("#moves li")?.dataset.move;
  const list = byId("moves");
  list.replaceChildren(
    ...moveItems(listed(), here().only, position().side, {
      press: (move) => {
        stop();
        if (isAnswered()) play(move);
      },
      look: (move) => board.showPath(move?.move ?? null),
    }),
  );
  if (focused) list.querySelector(`[data-move="${focused}"] button`)?.focus();
  const isRated = answer?.isRated || (nextMove() && !answer.isSearched);
  const head = isRated ? "Moves, best first" : "Moves";
  byId("moves-head").textContent = answer?.moves.length === 0 ? "No moves" : head;
  byId("moves-head").hidden = !answer || (Boolean(record.practice) && listed().length === 0);
  byId("auto").disabled = !auto && !nextMove();
  byId("auto").textContent = auto ? "Stop" : "Play the best line";
}

function showBestLine() {
  const moves = answer?.line ?? [];
  const list = byId("best-line");
  list.replaceChildren();
  byId("best").hidden = moves.length === 0 || Boolean(record.practice);
  if (byId("best").hidden) return;
  appendNumbered(list, moves, position().side, (move, i) => {
    const button = make("button", { type: "button" }, move.move);
    button.addEventListener("click", () => {
      stop();
      if (!isAnswered()) return;
      const played = games.bestLine(moves.slice(0, i + 1), answer.wdl);
      const entries = [...record.entries.slice(0, record.at + 1), ...played].slice(-LONGEST_RECORD);
      go({ entries, at: entries.length - 1 });
    });
    return button;
  });
  const ends = { "white wins": "White has won", "black wins": "Black has won", repetition: "The position is repeated: drawn" };
  // A repetition proves nothing while the position is open.
  const isEnd = answer.line_end && (answer.line_end !== "repetition" || answer.wdl === "draw");
  if (isEnd) list.append(make("li", { class: "end" }, ends[answer.line_end]));
}

// The moves of the game with their marks. In practice, the marks are shown when it has ended.
function showRecord() {
  const { first, line, at } = game();
  const list = byId("record");
  list.replaceChildren();
  const areMarked = !record.practice || hasEnded();
  appendNumbered(list, line.slice(1), parse(line[0].position)?.side, (entry, i) => {
    const slip = areMarked && games.slipBetween(line[i], entry);
    const button = make("button", { type: "button" }, entry.move + ((areMarked && games.markOf(line[i], entry)) || ""));
    if (i + 1 === at) button.setAttribute("aria-current", "step");
    if (slip) {
      button.className = "slip";
      button.title = `From a ${slip.from} to a ${slip.to}`;
    }
    button.addEventListener("click", () => goTo(first + 1 + i));
    button.disabled = Boolean(record.practice);
    return button;
  });
  const { at: current, entries } = record;
  byId("first").disabled = byId("back").disabled = current === 0;
  byId("last").disabled = byId("forward").disabled = current === entries.length - 1;
}

function look(square) {
  const counters = square && position().columns.get(square);
  const inspector = byId("inspector");
  inspector.textContent = counters ? `${square} ${counters}: ${inWords(counters)}` : "";
  // The pointer is on the board, so what has no room below is shown there.
  const isCut = inspector.scrollHeight > inspector.clientHeight;
  byId("board").title = isCut ? inspector.textContent : "";
}

// Playing

// The moves that can be played now, in the order of the list.
function listed() {
  if (!record.practice) return answer?.moves ?? [];
  if (!answer || needsSearch() || hasEnded() || !practice.isUsersTurn(record)) return [];
  return practice.withoutValues(answer.moves);
}

// Whether the moves that are shown are those of the position. Until the answer about it arrives, they are
// still those of the position before; then this says so.
function isAnswered() {
  const isKnown = Boolean(answer) && !needsSearch();
  if (!isKnown) refuse("The moves of this position are not known yet.");
  return isKnown;
}

const movesFrom = (square) => listed().filter(({ move }) => squaresOf(move)[0] === square);

// Plays a move from one square to another. If several moves fit, the user has to choose from the list.
function playTo(from, to) {
  const fits = movesFrom(from).filter(({ move }) => squaresOf(move).at(-1) === to);
  if (fits.length === 0) return false;
  stop();
  if (fits.length === 1) {
    play(fits[0]);
  } else {
    const choice = `${fits.length} captures end on ${to}. Choose one from the list.`;
    say(choice);
    byId("inspector").textContent = choice;
    const rows = fits.map(({ move }) => byId("moves").querySelector(`[data-move="${move}"]`));
    for (const row of byId("moves").children) row.classList.toggle("candidate", rows.includes(row));
    rows[0].querySelector("button").focus();
  }
  return true;
}

function press(square, event) {
  const { columns } = position();
  if (carried) return putDown(square);
  if (mode === "setup") {
    const tool = document.querySelector("input[name=tool]:checked").value;
    if (tool === "off") takeOff(square, false);
    else put(square, tool, byId("beneath").checked !== event.shiftKey);
    return;
  }
  if (chosen && playTo(chosen, square)) return;
  const count = movesFrom(square).length;
  if (square === chosen) {
    chosen = null;
  } else if (count) {
    chosen = square;
    say(`${square} chosen: ${count} ${count === 1 ? "move" : "moves"}.`);
  } else {
    chosen = null;
    if (columns.has(square) && isAnswered()) refuse(`The column on ${square} cannot move now.`);
  }
  showBoard();
}

function drag(from, to) {
  if (mode === "setup") {
    edit(edits.shift(position(), from, to));
  } else if (isAnswered() && (!to || !playTo(from, to))) {
    refuse(to ? `${from} to ${to} is not a legal move. Choose Set up to move columns freely.` : "");
  }
}

function refuse(why) {
  byId("inspector").textContent = why;
  if (why) say(why);
}

// Setting up

const kind = () => document.querySelector("input[name=kind]:checked").value;

// A counter of the chosen kind.
const ofKind = (counter) => (kind() === "soldier" ? counter.toLowerCase() : counter);

function changeKind() {
  const next = kind() === "soldier" ? "officer" : "soldier";
  document.querySelector(`input[name=kind][value=${next}]`).checked = true;
  say(`New counters are ${next}s.`);
}

const put = (square, counter, beneath) => edit(edits.put(position(), square, ofKind(counter), beneath));
const takeOff = (square, whole) => edit(edits.takeOff(position(), square, whole));

function putDown(square) {
  const from = carried;
  carried = null;
  if (square !== from) edit(edits.shift(position(), from, square));
  showBoard();
}

const clear = () => {
  setMode("setup");
  edit(edits.clear(position()));
};
const rotate = () => edit(edits.rotate(position()));
const exchange = () => edit(edits.exchange(position()));
const setSide = (side) => edit(edits.turn(position(), side));

function flip() {
  board.flip(!board.flipped);
  byId("flip").setAttribute("aria-pressed", String(board.flipped));
  showAddress();
  showBoard();
}

function setMode(to) {
  mode = to;
  chosen = carried = null;
  for (const input of document.getElementsByName("mode")) input.checked = input.value === mode;
  byId("tools").hidden = mode !== "setup";
  document.body.classList.toggle("setup", mode === "setup");
  showBoard();
}

// Automatic play

function toggleAuto() {
  if (auto) return stop();
  auto = { timer: null, passed: new Set([here().position]), isFirst: true };
  showMoves();
  playOn();
}

// The first move of best play, as far as it is known.
function nextMove() {
  if (!answer?.wdl || record.practice) return null;
  if (answer.isSearched) return answer.line[0] ?? null;
  return (hasDistances(answer) && answer.moves[0]) || null;
}

// Waits for a while after the answer has arrived, and then plays the best move.
function playOn() {
  if (!auto || !answer) return;
  const best = nextMove();
  if (!best) return stop();
  clearTimeout(auto.timer);
  auto.timer = setTimeout(() => {
    const replace = !auto.isFirst;
    auto.isFirst = false;
    const isBack = auto.passed.has(best.position);
    auto.passed.add(best.position);
    play(best, { replace });
    if (isBack) {
      stop();
      note = "The position is repeated, so neither side makes progress.";
      byId("inspector").textContent = note;
    }
  }, auto.isFirst ? 0 : PACE);
}

function stop() {
  if (!auto) return;
  clearTimeout(auto.timer);
  auto = null;
  showMoves();
}

// Practice

// Whether the tables can play from this position, or the search if it has rated every move.
const canPractise = () => Boolean(answer && !noPractice && answer.dtw !== 0 && (legal ? answer.isSettled : answer.line));

// Whether practice cannot go on before the position is searched.
const needsSearch = () => Boolean(record.practice && legal && answer.dtw !== 0 && !answer.isSettled);

const hasEnded = () => Boolean(answer && record.practice?.start && practice.endOf(record, answer));

// Starts practice, or starts it again. The user plays this side.
function practise(side = record.practice?.side) {
  if (!record.practice && !canPractise()) return refuse("Practice needs a position in the tables, with distances, or one that the search has solved.");
  side ??= practice.sideFor(answer, position());
  stop();
  setMode("play");
  announcedGoal = "";
  // A new start is no new step in the history of the browser.
  const replace = Boolean(record.practice);
  go(practice.begin(record.practice ? record.entries[0].position : here().position, side), { replace });
  if (!replace) board.focus(board.at);
}

// Leaves practice, and goes on at the position reached.
function leave() {
  if (!record.practice) return;
  delete record.practice;
  go(record, { replace: true });
}

// Begins practice with the first answer, or says why there is none.
function startPractice() {
  if (!record.practice || record.practice.start) return;
  if (canPractise()) {
    record = practice.withStart(record, answer);
    showAddress();
    return;
  }
  endPractice(answer.dtw === 0 ? "There is nothing to practise." : "Practice needs the distances.");
}

function endPractice(why) {
  noPractice = why;
  delete record.practice;
  showAddress();
  document.body.classList.remove("practising");
}

// Lets the tables reply, or the search, when it is their turn.
function reply() {
  if (!record.practice || !answer || needsSearch() || practice.isUsersTurn(record) || hasEnded()) return;
  const move = practice.replyOf(record, answer.moves);
  clearTimeout(replying);
  replying = setTimeout(() => play(move), REPLY);
}

function takeBack() {
  if (!practice.canTakeBack(record)) return refuse("There is no move of yours to take back.");
  note = "Taken back.";
  go(practice.withoutMove(record), { replace: true });
}

function hint() {
  // While an answer is awaited, the button does not know yet whose turn it is.
  if (!answer || needsSearch() || byId("hint").disabled) return refuse("There is no hint now.");
  record = practice.withHint(record);
  showAddress();
  if (record.practice.hinted === 2) board.showPath(answer.moves[0].move);
  showPractice();
}

function showPractice() {
  const end = practice.endOf(record, answer);
  const isUsersTurn = practice.isUsersTurn(record);
  const slip = practice.slipIn(record);
  const move = here().move;
  const isDrawn = answer.wdl === "draw";
  const goal = end ? practice.scoreOf(record, end) : practice.goalOf(record, answer);
  const isNew = goal !== announcedGoal;
  const told = [note, slip];
  note = "";
  // A screen reader reads the moves; the goal is read when it is new.
  const isTold = end || isUsersTurn || slip;
  if (end) told.push(practice.judgementOf(record, end), games.slipsOf(game().line));
  else if (isUsersTurn) told.push(move && `${sideName(practice.otherSide(record.practice.side))} has played ${move}.`, practice.reminderIn(record, answer), "Your move.", practice.hintIn(record, answer));
  else told.push(`${sideName(position().side)} replies.`);
  byId("practice").setAttribute("aria-busy", "false");
  byId("practice").className = `verdict ${end === "won" ? "win" : slip || end === "lost" ? "loss" : "none"}`;
  if (isNew && isDrawn && !end) told.push(practice.DRAW_ENDS);
  byId("goal").textContent = goal;
  byId("told").textContent = told.filter(Boolean).join(" ");
  byId("tally").textContent = end ? "Leave practice to see the value of each move." : practice.tallyOf(record, answer);
  byId("take-back").classList.toggle("main", Boolean(slip));
  byId("hint").disabled = Boolean(end) || !isUsersTurn;
  byId("take-back").disabled = !practice.canTakeBack(record);
  // Who has pressed such a button can go on with the keys.
  if (document.activeElement.disabled) board.focus(board.at);
  byId("other-side").textContent = `Play ${sideName(practice.otherSide(record.practice.side))}`;
  showMoves();
  showBestLine();
  document.title = `Practice – ${here().position} – Lasca endgames`;
  if (!isTold) return;
  say([isNew && goal, byId("told").textContent].filter(Boolean).join(". "));
  announcedGoal = goal;
}

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
      if (carried) return putDown(square);
      if (!columns.has(square)) return refuse(`There is nothing to pick up on ${square}.`);
      chosen = null;
      carried = square;
      say(`The column on ${square} is picked up. Go to an empty square and press m.`);
      showBoard();
    },
    s: () => setSide(position().side === "w" ? "b" : "w"),
    c: clear,
    r: rotate,
    x: exchange,
    f: flip,
    p: () => !byId("auto").disabled && toggleAuto(),
    v: () => !byId("solve").hidden && solve(false),
    n: () => practise(),
    t: () => record.practice && takeBack(),
    h: () => record.practice && hint(),
    ",": () => goTo(record.at - 1),
    ".": () => goTo(record.at + 1),
    escape: () => {
      stop();
      chosen = carried = null;
      showBoard();
    },
  };
  if (/^[1-9]$/.test(name)) {
    const move = listed()[name - 1];
    stop();
    if (isAnswered() && move) play(move);
    return true;
  }
  if (!Object.hasOwn(actions, letter)) return false;
  const changes = ["w", "b", "k", "delete", "backspace", "m"].includes(letter);
  if (changes && mode !== "setup") refuse("Choose Set up to change the position.");
  else if (record.practice && ["s", "c", "r", "x", "p", "v", ",", "."].includes(letter)) refuse("Leave practice before you use this key.");
  else actions[letter]();
  return true;
}

// Buttons and forms

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
  first: () => goTo(0),
  back: () => goTo(record.at - 1),
  forward: () => goTo(record.at + 1),
  last: () => goTo(record.entries.length - 1),
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

byId("position-form").addEventListener("submit", (event) => {
  event.preventDefault();
  stop();
  const text = byId("position").value.trim();
  if (text && text !== here().position) goOn({ position: text, move: null });
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

byId("save").addEventListener("click", () => {
  if (!parse(here().position)) return refuse("There is no game to save.");
  const file = new Blob([games.toStudy(game().line)], { type: "text/plain" });
  const anchor = make("a", { href: URL.createObjectURL(file), download: "lasca.study" });
  anchor.click();
  URL.revokeObjectURL(anchor.href);
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
  replay(found, (entries) => go({ entries, at: entries.length - 1 }));
});

function complain(what) {
  byId("position-error").textContent = what;
}

// Plays the moves of a game that was read, and then arrives there. The server says what each move leads to.
async function replay({ position, moves }, arrive) {
  const mine = ++asked;
  byId("verdict").classList.add("busy");
  const entries = [];
  let entry = { position, move: null };
  let wrong = "";
  try {
    for (const { move, mark } of moves) {
      let { status, body } = await ask("probe", { position: entry.position });
      if (status === 404) ({ status, body } = await ask("moves", { position: entry.position }));
      const [next, another] = status === 200 ? games.meant(move, body.moves) : [];
      if (!next || another) {
        wrong = status === 200 ? `The move ${move} is not legal after ${plies(entries.length)}.` : sentence(body.error);
        break;
      }
      entries.push(games.rated({ ...entry, position: body.position }, body));
      entry = { position: next.position, move: next.move, mark };
    }
  } catch {
    wrong = "The server cannot be reached.";
  }
  // The user has gone elsewhere.
  if (mine !== asked) return;
  arrive([...entries, entry]);
  complain(wrong);
}

// Calls `choose` with the position of a link that is pressed in this list.
function onLink(id, choose) {
  byId(id).addEventListener("click", (event) => {
    const anchor = event.target.closest("a");
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    stop();
    setMode("play");
    choose(new URL(anchor.href).searchParams.get("position"));
    scrollTo({ top: 0 });
  });
}

onLink("examples", (position) => goOn({ position, move: null }));
onLink("endings-list", (position) => {
  go(practice.begin(position, "w"));
  board.focus(board.at);
});

byId("endings").addEventListener("submit", (event) => {
  event.preventDefault();
  endings.propose(ask);
});

addEventListener("popstate", ({ state }) => {
  stop();
  address.forget();
  start(state);
});

// Starts with the game in the address, or with the entry in the history of the browser.
function start(state) {
  const query = new URLSearchParams(location.search);
  const given = query.get("position");
  const first = given ?? EXAMPLE;
  const side = { white: "w", black: "b" }[query.get("practice")];
  const fresh = side ? practice.begin(first, side) : { entries: [{ position: first, move: null }], at: 0 };
  record = state?.entries ? state : fresh;
  board.flip(query.get("view") === "black");
  byId("flip").setAttribute("aria-pressed", String(board.flipped));
  const fragment = new URLSearchParams(location.hash.slice(1));
  const moves = (fragment.get("moves") ?? "").split(".").filter(Boolean).map((move) => ({ move }));
  if (!state?.entries && moves.length) {
    replay({ position: first, moves }, (entries) => {
      const at = Math.min(Number(fragment.get("at") ?? moves.length) || 0, entries.length - 1);
      go({ entries, at }, { replace: true });
    });
    return;
  }
  if (!state) address.write(record, { url: given === null ? null : link() });
  arrive(null);
}

async function showTables() {
  try {
    const { rules, tables } = await (await fetch("tables")).json();
    const here = tables.filter((table) => table.rules === rules && !table.error);
    // A bounded table is named with its greatest number of columns.
    const name = ({ material, max_columns: most }) => (most ? `${material} (up to ${most} columns)` : material);
    const names = here.map(name).join(", ");
    endings.offer(here);
    byId("about-tables").replaceChildren(...unbroken(here.length ? `Tables: ${names} (${rules} rules)` : `No tables (${rules} rules)`));
  } catch {
    byId("about-tables").textContent = "";
  }
}

setMode("play");
start(history.state);
showTables();
