// The record: positions with the moves that led to them (null if the board was set up), and the current
// entry. It is a tree. `parent` of an entry is the place of the entry before it, which is the one before it in
// the list if this is missing. The first move from a position in the list is the main one, and the others begin
// variations. `end` is the last entry of the line that is shown, or of all if it is missing. In practice, the
// record is one line, and has the state of practice as well. The address of the page holds it.

import * as address from "./address.js";
import { update } from "./file.js";
import { parse, sideName } from "./position.js";
import { learnAll, rulesHere, valuesOf, worth } from "./values.js";

export let record = { entries: [{ position: "a1W b2B w", move: null }], at: 0 };

// Whether the board is seen from Black's side. That is in the address too.
export let isFlipped = false;

export const here = () => worth(record.entries[record.at]);
export const position = () => parse(here().position) ?? { columns: new Map(), side: "w" };

// Takes over a record that is in the address already. Returns whether it is of other rules than those of the source.
export function load({ values, ...next }, flipped) {
  record = next;
  update(record.entries);
  isFlipped = flipped;
  return learnAll(values);
}

// Takes over a record and writes it to the address, with what its positions are worth, as a new step in the history
// of the browser if `isStep`.
export function keep(next, { isStep = false } = {}) {
  record = next;
  update(record.entries);
  address.write({ ...record, values: valuesOf(record.entries) }, { isStep, url: link() });
}

// Shows the board from this side.
export function face(side) {
  isFlipped = side === "b";
}

// Shows the board from the other side. The address says so, unless it has a game that is not shown yet.
export function flip({ isUnread }) {
  isFlipped = !isFlipped;
  if (!isUnread) keep(record);
}

// The record with what is new about the current entry, such as a mark or another text of its position.
export function withEntry(news) {
  const { entries, at } = record;
  return { ...record, entries: entries.with(at, { ...entries[at], ...news }) };
}

const parentOf = (entries, at) => entries[at].parent ?? at - 1;

// The places of the moves from each entry, for each list of entries that was asked about.
const moves = new WeakMap();

// The places of the moves from an entry, the main one first.
function movesAfter(entries, at) {
  if (!moves.has(entries)) {
    const found = entries.map(() => []);
    entries.forEach(({ move }, i) => move && found[parentOf(entries, i)]?.push(i));
    moves.set(entries, found);
  }
  return moves.get(entries)[at] ?? [];
}

// The places of an entry and of all that led to it, from the first on.
function pathTo(entries, at) {
  const path = [];
  for (let i = at; i >= 0; i = parentOf(entries, i)) path.push(i);
  return path.reverse();
}

// A record at this place. If that is not on the line that ends there, the line goes on from it by the main moves.
function placed(entries, at, end) {
  let last = pathTo(entries, end).includes(at) ? end : at;
  if (last === at) for (let next = at; next !== undefined; [next] = movesAfter(entries, next)) last = next;
  return { entries, at, end: last };
}

// A record at the beginning of its main line, and at the end.
export const atStart = (entries) => placed(entries, 0, 0);
export const atEnd = (entries) => placed(entries, atStart(entries).end, 0);

// The places of the line that is shown, with those before the board was last set up.
const shown = () => pathTo(record.entries, record.end ?? record.entries.length - 1);

// The record at another place.
export const withPlace = (at) => placed(record.entries, at, shown().at(-1));

// The places to which one can step from here: to the first position of the game (from there, to that of all games), back,
// forward, and to the last one. A step that is not possible has no place.
export function steps() {
  const line = shown();
  const place = line.indexOf(record.at);
  const start = line.slice(0, place + 1).findLast((i) => !record.entries[i].move);
  return { first: start === record.at ? line[0] : start, back: line[place - 1], forward: line[place + 1], last: line.at(-1) };
}

// The place of the move above or below the one that has led here: of those that can be played instead of it, the one
// before it or after it.
export function beside() {
  const { entries, at } = record;
  const moves = entries[at].move ? movesAfter(entries, parentOf(entries, at)) : [];
  const place = moves.indexOf(at);
  return { above: moves[place - 1], below: moves[place + 1] };
}

// The record with more entries after the current one. The last of them is the current one then. A move that is
// there already is not added again.
export function withEntries(...more) {
  const entries = [...record.entries];
  let at = record.at;
  for (const entry of more) {
    const known = movesAfter(record.entries, at).find((i) => entries[i].move === entry.move);
    at = known ?? entries.push({ ...entry, parent: at }) - 1;
  }
  return placed(entries, at, shown().at(-1));
}

// The record with these entries alone, in this order.
function withOnly(places, at) {
  const entries = places.map((i) => ({ ...record.entries[i], parent: places.indexOf(parentOf(record.entries, i)) }));
  return placed(entries, places.indexOf(at), places.indexOf(shown().at(-1)));
}

// The first move of the variation that the current entry is in, or undefined if it is on the main line.
export function variation() {
  const { entries, at } = record;
  const path = pathTo(entries, at);
  const game = path.slice(path.findLastIndex((i) => !entries[i].move) + 1);
  return game.findLast((i) => movesAfter(entries, parentOf(entries, i))[0] !== i);
}

// The record with the line that is shown as the main one.
export function withMain() {
  const line = shown();
  return withOnly([...new Set([...line, ...record.entries.keys()])], record.at);
}

// The record without a move and all that follows it.
export function without(move) {
  const { entries } = record;
  const rest = [...entries.keys()].filter((i) => !pathTo(entries, i).includes(move));
  return withOnly(rest, parentOf(entries, move));
}

// The record without practice.
export function withoutPractice() {
  const { entries, at } = record;
  return { entries, at };
}

// The line that is shown, since the board was last set up, and the place of the current entry in it.
export function game() {
  const { entries, at } = record;
  const line = shown();
  const here = line.indexOf(at);
  const start = Math.max(line.findLastIndex((i, place) => place <= here && !entries[i].move), 0);
  const next = line.findIndex((i, place) => place > here && !entries[i].move);
  const places = line.slice(start, next < 0 ? line.length : next);
  return { places, line: places.map((i) => worth(entries[i])), at: here - start };
}

// The moves of the main line after one of these entries: each with its place, the entry before it, and the variations
// that begin with another move instead of it.
export function linesAfter(entries, place) {
  const move = (i, before, others) => ({ place: i, entry: worth(entries[i]), before: worth(entries[before]), others });
  const line = [];
  for (let before = place; ; before = line.at(-1).place) {
    const [main, ...others] = movesAfter(entries, before);
    if (main === undefined) return line;
    line.push(move(main, before, others.map((i) => [move(i, before, []), ...linesAfter(entries, i)])));
  }
}

// The rules of the game in a link that names none.
export const USUAL_RULES = "lasca";

// The address of the game. Its moves are in the fragment, which may be long, with the marks and results that were
// written, the title, and the comments by their places. A link of practice goes on at the end.
export function link() {
  const { line, at } = game();
  const [{ position, title, verdict, number }, ...moves] = line;
  const query = new URLSearchParams({ position });
  if ((rulesHere() ?? USUAL_RULES) !== USUAL_RULES) query.set("rules", rulesHere());
  // In practice, the board is seen from the user's side if nothing else is said.
  if (isFlipped !== (record.practice?.side === "b")) query.set("view", isFlipped ? "black" : "white");
  if (record.practice) query.set("practice", sideName(record.practice.side).toLowerCase());
  const words = [verdict, ...moves.flatMap(({ move, mark = "", result }) => [move + mark, result])].filter(Boolean);
  const fragment = new URLSearchParams(words.length ? { moves: words.join(".") } : {});
  if (at < moves.length) fragment.set("at", at);
  if (number) fragment.set("number", number);
  if (title) fragment.set("title", title);
  line.forEach(({ comments = [] }, i) => comments.forEach((comment) => fragment.append(`c${i}`, comment)));
  return `?${query}${`#${fragment}`.replace(/^#$/, "")}`;
}
