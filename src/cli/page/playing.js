// Playing: moves, steps back and forward, and best play that goes on by itself.

import { arrive, newQuestion } from "./asking.js";
import * as games from "./game.js";
import { squaresOf } from "./position.js";
import * as practice from "./practice.js";
import { here, keep, LONGEST, position, record, steps, withEntries, withPlace } from "./record.js";
import { move, putDown, useTool } from "./setup.js";
import * as source from "./source.js";
import { movesFrom, needsSearch, nextMove, state } from "./state.js";
import { board, byId, complain, refuse, say, showBoard, showMoves } from "./view.js";
import { plies, sentence } from "./words.js";

// How long each position is shown while the best line is played automatically, in milliseconds.
const PACE = 1000;

// Goes to an entry of the record, old or new, as a new step in the history of the browser.
export function go(next, { replace = false, animate = null } = {}) {
  keep(next, { isStep: !replace });
  arrive(animate);
}

export function goTo(at) {
  stop();
  if (record.practice) return;
  if (at === undefined || at === record.at) return;
  const animate = at === steps().forward ? record.entries[at].move : null;
  go(withPlace(at), { animate });
}

// Goes to a record with other lines, and says what has changed.
export function changeLines(next, what) {
  stop();
  state.note = what;
  go(next);
  // Who has pressed a button that is of no use now can go on with the keys.
  if (document.activeElement.disabled) board.focus(board.at);
}

// Goes to a position that is given.
export function goToPosition(position) {
  stop();
  go(withEntries({ position, move: null }));
}

export function play(move, options = {}) {
  byId("moves").querySelectorAll(".candidate").forEach((row) => row.classList.remove("candidate"));
  if (record.practice) {
    const rated = state.answer.moves.find((other) => other.move === move.move);
    go(practice.withMove(record, rated, state.answer, LONGEST), { replace: true, animate: move.move });
  } else {
    go(withEntries({ position: move.position, move: move.move }), { ...options, animate: move.move });
  }
}

// Plays a move that the user has chosen.
export function choose(move) {
  stop();
  if (isAnswered() && move) play(move);
}

// Plays so many moves of the best line.
export function playLine(count) {
  stop();
  if (isAnswered()) go(withEntries(...games.bestLine(state.answer.line.slice(0, count), state.answer.wdl)));
}

// Whether the moves that are shown are those of the position. Until the answer about it arrives, they are
// still those of the position before; then this says so.
function isAnswered() {
  const isKnown = Boolean(state.answer) && !needsSearch();
  if (!isKnown) refuse("The moves of this position are not known yet.");
  return isKnown;
}

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

export function press(square, event) {
  const { carried, chosen, mode } = state;
  const { columns } = position();
  if (carried) return putDown(square);
  if (mode === "setup") return useTool(square, event.shiftKey);
  if (chosen && playTo(chosen, square)) return;
  const count = movesFrom(square).length;
  if (square === chosen) {
    state.chosen = null;
  } else if (count) {
    state.chosen = square;
    say(`${square} chosen: ${count} ${count === 1 ? "move" : "moves"}.`);
  } else {
    state.chosen = null;
    if (columns.has(square) && isAnswered()) refuse(`The column on ${square} cannot move now.`);
  }
  showBoard();
}

export function drag(from, to) {
  if (state.mode === "setup") {
    move(from, to);
  } else if (isAnswered() && (!to || !playTo(from, to))) {
    refuse(to ? `${from} to ${to} is not a legal move. Choose Set up to move columns freely.` : "");
  }
}

export function toggleAuto() {
  if (state.auto) return stop();
  state.auto = { timer: null, passed: new Set([here().position]), isFirst: true };
  showMoves();
  playOn();
}

// Waits for a while after the answer has arrived, and then plays the best move.
export function playOn() {
  const { auto, answer } = state;
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
      state.note = "The position is repeated, so neither side makes progress.";
      byId("inspector").textContent = state.note;
    }
  }, auto.isFirst ? 0 : PACE);
}

export function stop() {
  if (!state.auto) return;
  clearTimeout(state.auto.timer);
  state.auto = null;
  showMoves();
}

// Plays the moves of a game that was read, and then arrives there. The source says what each move leads to. A
// move that is not legal is left out, and so are those after it.
export async function replay({ position, moves }, arrive) {
  const signal = newQuestion();
  const entries = [{ position, move: null }];
  const answers = [];
  // The place of the entry after each move.
  const places = [];
  let wrong = "";
  try {
    // The main line comes first.
    const inOrder = [...moves.entries()].sort(([, a], [, b]) => a.depth - b.depth);
    for (const [i, { move, mark, after, ply, depth }] of inOrder) {
      const parent = after < 0 ? 0 : places[after];
      if (parent === undefined) continue;
      const answer = (answers[parent] ??= await source.known(entries[parent].position, signal));
      entries[parent] = games.rated({ ...entries[parent], position: answer.position }, answer);
      const [next, another] = games.meant(move, answer.moves);
      const known = entries.findIndex((entry) => entry.parent === parent && entry.move === next?.move);
      if (known > 0) places[i] = known;
      else if (next && !another) places[i] = entries.push({ position: next.position, move: next.move, mark, parent }) - 1;
      else wrong ||= `The move ${move} is not legal after ${plies(ply)}${depth ? ", in a variation" : ""}.`;
    }
  } catch (error) {
    wrong = sentence(error.message);
  }
  // The user has gone elsewhere.
  if (signal.aborted) return;
  arrive(entries);
  complain(wrong);
}
