// What the page shows: the board, the answer, the lists of moves, and what screen readers read.

import { Board } from "./board.js";
import * as games from "./game.js";
import { fill, lineItems, make, moveItems, numberedItems, unbroken } from "./lists.js";
import { inWords, parse, sideName, squaresOf } from "./position.js";
import * as practice from "./practice.js";
import { entryBefore, game, here, linesAfter, position, record, steps, variation } from "./record.js";
import { canPractise, hasEnded, isReviewed, listed, movesFrom, nextMove, state } from "./state.js";
import { detail, progressOf, verdict } from "./words.js";

export const byId = (id) => document.getElementById(id);

export let board = null;
// What presses do.
let on = {};
let announced = "";
// The goal in practice that was announced last.
let announcedGoal = "";

// Makes the board. `acts` are the functions that presses on it (`press`, `drag`, `key`), on moves (`choose`), on
// those of the best line (`playLine`) and on those of the record (`goTo`) call.
export function begin(acts) {
  on = acts;
  board = new Board(byId("board"), { press: on.press, drag: on.drag, key: on.key, look });
}

export function say(text) {
  // A screen reader does not read the same text twice, so make it differ.
  announced = text === announced ? `${text}\u00a0` : text;
  byId("live").textContent = announced;
}

// Says why something cannot be done.
export function refuse(why) {
  byId("inspector").textContent = why;
  if (why) say(why);
}

// Says what is wrong with a text or a file.
export function complain(what) {
  byId("position-error").textContent = what;
}

// Shows how much of the table has come that the answer needs.
export function showFetching(line) {
  byId("verdict").className = "verdict none";
  byId("value").textContent = "Fetching…";
  byId("detail").textContent = progressOf(line);
}

// Shows how far the search is, and what it has found so far. In practice, it does not tell.
export function showSearch() {
  const { answer, searching: { line } } = state;
  byId("practice").hidden = !record.practice;
  byId("verdict").hidden = Boolean(record.practice);
  if (record.practice) {
    byId("goal").textContent ||= "Practice";
    byId("told").textContent = practice.isUsersTurn(record) ? "Searching…" : `${sideName(position().side)} thinks…`;
    byId("limits").hidden = false;
    showMoves();
    return;
  }
  const { wdl } = answer;
  const isFound = wdl !== undefined && wdl !== null;
  byId("verdict").className = `verdict ${isFound ? wdl : "none"}`;
  byId("value").textContent = isFound ? verdict(answer, position()) : "Searching…";
  byId("detail").textContent = line ? progressOf(line) : "";
  showSearchButtons();
  showMoves();
  showBestLine();
}

function showSearchButtons() {
  const { answer, legal, searching } = state;
  const { wdl, dtw, isSettled } = answer ?? {};
  byId("solve").hidden = !searching && (!legal || dtw === 0 || isSettled);
  byId("solve").textContent = searching ? "Stop" : wdl ? "Rate all moves" : "Solve";
  byId("exact").hidden = Boolean(searching) || !legal || dtw !== null || (wdl !== "win" && wdl !== "loss");
}

export function showAnswer({ none = null, detail: why = "", retry = false }) {
  const { answer, legal, noPractice, note } = state;
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
  byId("practise").hidden = Boolean(record.practice) || !canPractise();
  byId("practise").textContent = `Practise against the ${legal ? "search" : "tables"}`;
  showSearchButtons();
  showMoves();
  showBestLine();
  const best = nextMove();
  const words = [note, byId("value").textContent, byId("detail").textContent];
  state.note = "";
  if (best && !none) words.push(`Best: ${best.move}.`);
  say(words.filter(Boolean).join(". ").replaceAll("..", "."));
  document.title = none ? "Lasca endgames" : `${verdict(answer, position())} – ${here().position} – Lasca endgames`;
}

export function showBoard() {
  const { chosen, carried, mode } = state;
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

export function showMoves() {
  const { answer, auto } = state;
  const focused = document.activeElement?.closest?.("#moves li")?.dataset.move;
  const list = byId("moves");
  const look = (move) => board.showPath(move?.move ?? null);
  fill(list, moveItems(listed(), here().only, position().side, { press: on.choose, look }));
  if (focused) list.querySelector(`[data-move="${focused}"] button`)?.focus();
  const isRated = (answer?.isRated && !record.practice) || (nextMove() && !answer.isSearched);
  const head = isRated ? "Moves, best first" : "Moves";
  byId("moves-head").textContent = answer?.moves.length === 0 ? "No moves" : head;
  byId("moves-head").hidden = !answer || (Boolean(record.practice) && listed().length === 0);
  byId("auto").disabled = !auto && !nextMove();
  byId("auto").textContent = auto ? "Stop" : "Play the best line";
}

function showBestLine() {
  const { answer } = state;
  const moves = answer?.line ?? [];
  byId("best").hidden = moves.length === 0 || Boolean(record.practice);
  if (byId("best").hidden) return byId("best-line").replaceChildren();
  const items = numberedItems(moves, position().side, (move, i) => {
    const button = make("button", { type: "button" }, move.move);
    button.addEventListener("click", () => on.playLine(i + 1));
    return button;
  });
  const ends = { "white wins": "White has won", "black wins": "Black has won", repetition: "The position is repeated: drawn" };
  // A repetition proves nothing while the position is open.
  const isEnd = answer.line_end && (answer.line_end !== "repetition" || answer.wdl === "draw");
  if (isEnd) items.push(make("li", { class: "end" }, ends[answer.line_end]));
  fill(byId("best-line"), items);
}

// The moves of the game with their variations.
export function showRecord() {
  const { places, line } = game();
  const lines = linesAfter(places[0]);
  const list = byId("record");
  const hadFocus = list.contains(document.activeElement);
  const areMarked = !record.practice || hasEnded();
  const items = lineItems(lines, parse(line[0].position)?.side === "b" ? 1 : 0, ({ place }) => {
    const button = make("button", { type: "button", "data-place": place });
    if (place === record.at) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => on.goTo(place));
    button.disabled = Boolean(record.practice);
    mark(button, areMarked);
    return button;
  });
  fill(list, items);
  const { back, forward } = steps();
  byId("first").disabled = byId("back").disabled = back === undefined;
  byId("last").disabled = byId("forward").disabled = forward === undefined;
  byId("variations").hidden = !lines.some(({ others }) => others.length);
  byId("make-main").disabled = byId("remove").disabled = variation() === undefined;
  showReview();
  if (hadFocus && !list.contains(document.activeElement)) list.querySelector("[aria-current]")?.focus({ preventScroll: true });
}

// The marks of the moves, and the review. In practice, the marks are shown when it has ended.
export function showMarks() {
  const areMarked = !record.practice || hasEnded();
  byId("record").querySelectorAll("button").forEach((button) => mark(button, areMarked));
  showReview();
}

// Writes the move of a button, with its mark if marks are shown.
function mark(button, isMarked) {
  const place = Number(button.dataset.place);
  const [before, entry] = [entryBefore(place), record.entries[place]];
  const slip = isMarked && games.slipBetween(before, entry);
  button.textContent = entry.move + ((isMarked && games.markOf(before, entry)) || "");
  button.classList.toggle("slip", Boolean(slip));
  button.title = slip ? `From a ${slip.from} to a ${slip.to}` : "";
}

// The review with its bar of results, and its slips.
export function showReview() {
  const { line, places, at } = game();
  const { review } = state;
  byId("review").hidden = Boolean(record.practice) || line.length < 2;
  byId("review-start").textContent = review && review.at !== null ? "Stop the review" : "Review the game";
  byId("reviewed").hidden = !isReviewed();
  if (!isReviewed()) return;
  byId("review-told").textContent = review.told;
  const winners = line.map(games.winnerOf);
  const bar = byId("results");
  bar.replaceChildren(...winners.map((winner, i) => make("i", { class: `${winner ?? "open"}${i === at ? " current" : ""}` })));
  const says = { w: "White wins", b: "Black wins", draw: "drawn", null: "open" };
  bar.setAttribute("aria-valuemax", line.length - 1);
  bar.setAttribute("aria-valuenow", at);
  bar.setAttribute("aria-valuetext", `${games.placeOf(line, at)}: ${says[winners[at]]}`);
  const list = byId("slips");
  const focused = list.contains(document.activeElement) && document.activeElement.textContent;
  const items = games.slipsIn(line).map((slip) => {
    const place = places[slip.at];
    const button = make("button", { type: "button", title: slip.change, "data-place": place }, slip.move);
    button.addEventListener("click", () => on.goTo(place));
    return make("li", {}, button);
  });
  fill(list, items);
  const button = focused && [...list.querySelectorAll("button")].find(({ textContent }) => textContent === focused);
  if (button) button.focus({ preventScroll: true });
}

function look(square) {
  const counters = square && position().columns.get(square);
  const inspector = byId("inspector");
  inspector.textContent = counters ? `${square} ${counters}: ${inWords(counters)}` : "";
  // The pointer is on the board, so what has no room below is shown there.
  const isCut = inspector.scrollHeight > inspector.clientHeight;
  byId("board").title = isCut ? inspector.textContent : "";
}

export function showPractice() {
  const { answer, note } = state;
  const end = practice.endOf(record, answer);
  const isUsersTurn = practice.isUsersTurn(record);
  const slip = practice.slipIn(record);
  const move = here().move;
  const isDrawn = answer.wdl === "draw";
  const goal = end ? practice.scoreOf(record, end, answer) : practice.goalOf(record, answer);
  const isNew = goal !== announcedGoal;
  const told = [note, slip, end || slip ? null : practice.proofIn(record, answer)];
  state.note = "";
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
  byId("hint").disabled = Boolean(end) || !isUsersTurn || !answer.wdl;
  byId("limits").hidden = !state.legal;
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

// Makes the next goal in practice an announcement, even if it is the one before.
export function forgetGoal() {
  announcedGoal = "";
}

// Shows the position of the current entry in its field, and who is to move.
export function showPosition() {
  byId("position").value = here().position;
  for (const input of document.getElementsByName("side")) {
    input.checked = input.value === position().side;
  }
}
