// The record: positions with the moves that led to them (null if the board was set up), and the current
// entry. In practice it has the state of practice as well. The address of the page holds it.

import * as address from "./address.js";
import { parse, sideName } from "./position.js";

// The greatest number of positions in the record.
export const LONGEST = 600;

export let record = { entries: [{ position: "a1W b2B w", move: null }], at: 0 };

// Whether the board is seen from Black's side. That is in the address too.
let isFlipped = false;

export const here = () => record.entries[record.at];
export const position = () => parse(here().position) ?? { columns: new Map(), side: "w" };

// Takes over a record that is in the address already.
export function load(next, flipped) {
  record = next;
  isFlipped = flipped;
}

// Takes over a record and writes it to the address, as a new step in the history of the browser if `isStep`.
export function keep(next, { isStep = false } = {}) {
  record = next;
  address.write(record, { isStep, url: link() });
}

export function flip(flipped) {
  isFlipped = flipped;
  keep(record);
}

// Puts another entry in the place of the current one. Returns whether it has another text of the position.
export function rewrite(entry) {
  const isNew = entry.position !== here().position;
  record = { ...record, entries: record.entries.with(record.at, entry) };
  address.write(record, { url: isNew ? link() : null });
  return isNew;
}

// The record with more entries after the current one, which is then the last of them.
export function withEntries(...more) {
  const entries = [...record.entries.slice(0, record.at + 1), ...more].slice(-LONGEST);
  return { entries, at: entries.length - 1 };
}

// The record without practice.
export function withoutPractice() {
  const { entries, at } = record;
  return { entries, at };
}

// The entries since the board was last set up, with those that can be redone, and the place of the current
// one among them.
export function game() {
  const { entries, at } = record;
  const start = entries.findLastIndex(({ move }, i) => i <= at && !move);
  const next = entries.findIndex(({ move }, i) => i > at && !move);
  const first = Math.max(start, 0);
  return { first, line: entries.slice(first, next < 0 ? entries.length : next), at: at - first };
}

// The address of the game. Its moves are in the fragment, which may be long. A link of practice begins
// where it is.
export function link() {
  const { line, at } = game();
  const query = new URLSearchParams({ position: (record.practice ? here() : line[0]).position });
  if (isFlipped) query.set("view", "black");
  if (record.practice) query.set("practice", sideName(record.practice.side).toLowerCase());
  if (record.practice || line.length === 1) return `?${query}`;
  const moves = new URLSearchParams({ moves: line.slice(1).map(({ move }) => move).join(".") });
  if (at < line.length - 1) moves.set("at", at);
  return `?${query}#${moves}`;
}
