// Moves made on the board: a column is led from square to square, and the page says why it cannot go elsewhere.

import { isAnswered, play } from "./playing.js";
import { colourOf, isOfficer, landingsOf, sideName, squaresOf } from "./position.js";
import * as practice from "./practice.js";
import { position, record } from "./record.js";
import { listed, movesFrom, state, stop, waysBy } from "./state.js";
import { byId, refuse, render } from "./view.js";

// Leads a column to a square of its move, on the way or at the end. The move is played as soon as one alone fits; if
// several end there, the user has to choose from the list. Returns false if no move leads there.
export function leadTo(from, to) {
  const passed = [...(from === state.chosen ? state.passed : []), to];
  const ways = waysBy(from, passed);
  if (ways.length === 0) return false;
  stop();
  if (ways.length === 1) {
    play(ways[0].move);
  } else if (ways.every(({ rest }) => rest.length)) {
    Object.assign(state, { chosen: from, passed });
    refuse(`${ways.length} captures go on from ${to}. Choose the next square.`);
  } else {
    refuse(`${ways.length} captures lead to ${to}. Choose one from the list.`);
    state.candidates = ways.map(({ move }) => move.move);
    render();
    byId("moves").querySelector(".candidate button").focus();
  }
  return true;
}

// Says why a column cannot go to a square, or cannot move at all if there is none.
export function explain(from, to = null) {
  if (isAnswered()) refuse(to ? `${from} to ${to} is not legal: ${reason(from, to)}` : `${from} cannot move: ${reason(from)}`);
}

function reason(from, to) {
  const { columns, side } = position();
  const counters = columns.get(from);
  const moves = listed();
  const mover = sideName(side);
  if (record.practice && !practice.isUsersTurn(record)) return `it is the turn of ${mover}.`;
  if (moves.length === 0) return "the game is over.";
  if (colourOf(counters[0]) !== mover.toLowerCase()) return `${mover} is to move.`;
  const own = movesFrom(from);
  const mustCapture = squaresOf(moves[0].move).length > 2;
  const starts = moves.map(({ move }) => squaresOf(move)[0]);
  if (mustCapture && own.length === 0) return `${mover} must capture, with the column on ${either(starts)}.`;
  const forward = isOfficer(counters[0]) ? "" : " Soldiers move only forward.";
  if (own.length === 0) return `no square that it can go to is empty.${forward}`;
  const goals = own.flatMap(({ move }) => landingsOf(move).slice(1));
  const why = columns.has(to) && to !== from ? `there is a column on ${to}. It` : "it";
  return `${why} ${mustCapture ? "must capture, and " : ""}can go to ${either(goals)}.${forward}`;
}

// "b4, d4 or e5".
function either(squares) {
  const names = [...new Set(squares)].sort();
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : names[0];
}
