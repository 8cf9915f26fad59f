// Changes to a position that is set up. Each function returns the changed position and what to say
// about it, or why the change is refused.

import { SQUARES, fileOf, inWords, parse, rowOf, sideName, squareAt } from "./position.js";

// The greatest number of counters on the board: those of a game.
const MOST_COUNTERS = 22;

// Where the soldiers stand when a game begins.
const START = "a1w c1w e1w g1w b2w d2w f2w a3w c3w e3w g3w a5b c5b e5b g5b b6b d6b f6b a7b c7b e7b g7b w";

// Whether there is a soldier on the board.
const hasSoldiers = ({ columns }) => /[wb]/.test([...columns.values()].join(""));

// How many counters are on the board.
const countersIn = ({ columns }) => [...columns.values()].join("").length;

// Turns the position clockwise by a quarter. If all counters are officers, its value stays the same.
function rotated({ columns, side }) {
  const turned = ([square, counters]) => [squareAt(rowOf(square), 6 - fileOf(square)), counters];
  return { columns: new Map([...columns].map(turned)), side };
}

// Exchanges the colours of all counters, and the side to move. Soldiers move forward only, so if
// there are any, the board is turned by a half.
function exchanged({ columns, side }) {
  const other = { W: "B", B: "W", w: "b", b: "w" };
  const swapped = ([square, counters]) => [square, counters.replace(/./g, (c) => other[c])];
  const exchanged = { columns: new Map([...columns].map(swapped)), side: other[side] };
  return hasSoldiers({ columns }) ? rotated(rotated(exchanged)) : exchanged;
}

export function put({ columns, side }, square, counter, beneath) {
  if (countersIn({ columns }) >= MOST_COUNTERS) {
    return { refused: `There are ${MOST_COUNTERS} counters on the board already, as many as in a game.` };
  }
  const counters = columns.get(square) ?? "";
  const changed = new Map(columns).set(square, beneath ? counters + counter : counter + counters);
  return { changed: { columns: changed, side }, what: `${square}: ${inWords(changed.get(square))}.` };
}

// Takes the top counter off, or the whole column.
export function takeOff({ columns, side }, square, whole) {
  const rest = whole ? "" : (columns.get(square) ?? "").slice(1);
  const changed = new Map(columns);
  if (rest) changed.set(square, rest);
  else changed.delete(square);
  return { changed: { columns: changed, side }, what: `${square}: ${inWords(rest)}.` };
}

// Moves a column to an empty square, or off the board for null.
export function shift({ columns, side }, from, to) {
  if (to && columns.has(to)) return { refused: `There is a column on ${to} already.` };
  const changed = new Map(columns);
  if (to) changed.set(to, changed.get(from));
  changed.delete(from);
  return { changed: { columns: changed, side }, what: to ? `${from} moved to ${to}.` : `The column on ${from} is removed.` };
}

export function rotate(position) {
  if (hasSoldiers(position)) {
    return { refused: "Soldiers move up or down the board, so the position cannot be rotated." };
  }
  return { changed: rotated(position), what: "The position is turned." };
}

export const exchange = (position) => ({ changed: exchanged(position), what: "Colours are exchanged." });

export const clear = ({ side }) => ({ changed: { columns: new Map(), side }, what: "The board is empty." });

export const start = () => ({ changed: parse(START), what: "The position at the start of a game." });

// So many officers of each side, on its first ranks.
export function officers({ side }, material) {
  const [white, black] = material.split("-").map(Number);
  const put = (squares, counter) => squares.map((square) => [square, counter]);
  const columns = new Map([...put(SQUARES.slice(0, white), "W"), ...put(SQUARES.slice(-black), "B")]);
  return { changed: { columns, side }, what: `The officers of ${material}.` };
}

export const turn = ({ columns }, side) => ({ changed: { columns, side }, what: `${sideName(side)} to move.` });
