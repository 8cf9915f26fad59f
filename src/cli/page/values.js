// What positions are worth: this module remembers what the tables have told, and what searches have found.

import { parse, sideName } from "./position.js";

// The greatest number of positions about which the answers of searches are remembered.
const MOST = 5000;

// The value for the other side.
export const other = { win: "loss", loss: "win", draw: "draw", null: null };

const RANK = { win: 2, draw: 1, loss: 0 };

// Whether the first value is worse than the second.
export const isWorse = (wdl, than) => RANK[wdl] < RANK[than];

// Whether a move from a position is known to be worse than this value.
export function isMoveWorse(position, { wdl, excluded = [] }, than) {
  if (wdl) return isWorse(wdl, than);
  return than === "win" && excluded.includes(sideName(parse(position).side).toLowerCase());
}

// By position: its value `wdl`, `only`, the one of several moves that keeps it, and `best`, a move that keeps it.
const known = new Map();

// What searches have answered, by position.
const found = new Map();

// Takes over what an answer says. If it has no moves, the only one stays as it was.
export function learn({ position, wdl = null, moves = [], only }) {
  if (wdl === null) return;
  const right = moves.filter((move) => !isMoveWorse(position, move, wdl));
  const isOnly = moves.length > 1 && right.length === 1;
  const best = moves.find((move) => move.wdl === wdl)?.move ?? known.get(position)?.best;
  known.set(position, { wdl, only: only ?? (moves.length ? isOnly && right[0].move : known.get(position)?.only), best });
}

// Takes over that a line of best play keeps the value.
export const learnLine = (line, wdl) => line.forEach(({ position }, i) => learn({ position, wdl: i % 2 ? wdl : other[wdl] }));

// The entry, or another object with a position, with what is known of that.
export const worth = (entry) => ({ ...entry, ...known.get(entry.position) });

// The rules of the source, once it has told them.
let rules = null;

// What a browser or a link has kept with its rules, until the source has told its own.
let kept = { rules: null, values: [] };

// The same of a file of studies.
let ofFile = {};
export const keepForFile = (values) => (ofFile = values);

// The rules of what is shown, as far as they are known, and those with which the record was kept.
export const rulesHere = () => rules ?? kept.rules;
export const rulesOfRecord = () => kept.rules;

// The values of these entries, to be kept with their rules.
export function valuesOf(entries) {
  if (!rules && kept.rules) return kept;
  const values = entries.map(({ position }) => [position, known.get(position)]);
  return { rules, values: values.filter(([, value]) => value) };
}

// Takes values over again. Those of other rules are worth nothing here; returns whether they are such.
export function learnAll({ rules: own = null, values = [] } = {}) {
  kept = { rules: own, values };
  if (rules === null || own === null) return false;
  if (own === rules) for (const [position, value] of values) known.set(position, value);
  return own !== rules;
}

// The source tells its rules. Returns whether those of the record are others.
export function haveRules(own) {
  rules = own;
  if (ofFile.rules === own) for (const [position, value] of ofFile.values) known.set(position, value);
  return learnAll(kept);
}

// How far a proof reaches, in plies: the fewer, the better. An open value has none.
const reach = ({ wdl, at_most }) => (wdl === null ? Infinity : (at_most ?? Number.MAX_VALUE));

// What two searches have found about the same position, or about the same move. What is proved stays
// proved, and the shorter proof is kept, with its line.
function merge(old, fresh) {
  const isLonger = reach(fresh) > reach(old);
  const isAsLong = reach(fresh) === reach(old);
  const [proof, rest] = isLonger || (isAsLong && old.line?.length && !fresh.line.length) ? [old, fresh] : [fresh, old];
  const mergeMove = (move) => merge(old.moves.find((known) => known.move === move.move) ?? move, move);
  return {
    ...rest,
    ...proof,
    dtw: fresh.dtw ?? old.dtw ?? null,
    excluded: ["white", "black"].filter((side) => old.excluded.includes(side) || fresh.excluded.includes(side)),
    moves: fresh.moves && old.moves ? fresh.moves.map(mergeMove) : (fresh.moves ?? old.moves),
  };
}

// The distance of a value, if it is known. No win is quicker than one in 1 ply, and no loss than one in 2.
function distance({ wdl, dtw = null, at_most }) {
  const least = { win: 1, loss: 2 }[wdl];
  return dtw ?? (least && at_most === least ? least : null);
}

function keep(position, value) {
  const entry = { ...value, dtw: distance(value) };
  const old = found.get(position);
  found.set(position, old ? merge(old, entry) : entry);
}

// Whether a move has exactly the value of its position, whose distance is known: it wins as soon, or all
// other moves lose sooner.
function isExact({ wdl, dtw, moves }, move) {
  if (dtw === null || move.wdl !== wdl || move.at_most !== dtw) return false;
  const isSooner = ({ at_most }) => at_most !== null && at_most < dtw;
  return wdl === "win" || Boolean(moves?.every((other) => other.position === move.position || isSooner(other)));
}

// What follows from the value of a position and of one of its moves about the position after the move.
function after(before, move, line, line_end) {
  return {
    wdl: other[move.wdl],
    dtw: isExact(before, move) ? before.dtw - 1 : null,
    at_most: move.at_most === null ? null : move.at_most - 1,
    excluded: move.excluded,
    line,
    line_end,
  };
}

// Stores what a search has found, and what follows from it about other positions: those of the best
// line, and those that the moves lead to.
export function remember(solved) {
  if (found.size > MOST) found.clear();
  keep(solved.position, solved);
  const { dtw, moves } = found.get(solved.position);
  const first = { ...solved, dtw, moves };
  let at = first;
  solved.line.forEach(({ position }, i) => {
    const line = solved.line.slice(i + 1);
    // The rest of the line may begin after the position that is repeated at its end.
    const passed = [position, ...line.slice(0, -1).map((step) => step.position)];
    const isCut = solved.line_end === "repetition" && !passed.includes(line.at(-1)?.position);
    at = after(at, { ...at, position }, line, isCut ? null : solved.line_end);
    if (position !== solved.position) keep(position, at);
  });
  for (const move of moves ?? []) {
    if (move.wdl !== null || move.excluded.length) keep(move.position, after(first, move, [], null));
  }
}

// Stores that a move wins, because the position after it is lost, as this answer about that says.
export function rememberWin(position, { move, position: next }, { dtw, at_most = null, excluded = [], line = [], line_end = null }) {
  const most = dtw ?? at_most;
  const proof = { wdl: "win", dtw: null, at_most: most === null ? null : most + 1, excluded };
  remember({ position, ...proof, line: [{ move, position: next }, ...line], line_end });
}

// Compares moves: wins, quick ones before slow ones, then draws, open moves with the best estimate first, and losses.
function compare(a, b) {
  const place = ({ wdl }) => ["win", "draw", null, "loss"].indexOf(wdl);
  const plies = ({ wdl, at_most }) => (wdl === "loss" ? -at_most : at_most);
  const guess = ({ wdl, estimate = -Infinity }) => (wdl === null ? estimate : 0);
  return place(a) - place(b) || plies(a) - plies(b) || guess(b) - guess(a);
}

// What an open position looks worth to the side to move, from -100 to 100, if a search has estimated its moves. Null if
// not, or if more is known.
export function estimateOf(position) {
  const { wdl = null, moves } = found.get(position) ?? {};
  if (wdl || !moves) return null;
  const guesses = moves.map((move) => (move.wdl ? { draw: 0, loss: -100 }[move.wdl] : move.estimate));
  const known = guesses.filter((guess) => guess !== undefined);
  return known.length ? Math.max(...known) : null;
}

// What follows about a move from what searches have found of the position after it, or null.
function fromAfter({ position }) {
  const { wdl, at_most, excluded } = found.get(position) ?? {};
  return excluded ? { wdl: other[wdl], at_most: at_most === null ? null : at_most + 1, excluded } : null;
}

// The answer about a position that no table has, from its legal moves and from what is found so far.
export function answerFrom({ position, moves }) {
  const entry = found.get(position);
  if (!entry) return { position, moves };
  const { wdl, dtw, at_most, excluded, line } = entry;
  const open = { wdl: null, at_most: null, excluded: [] };
  const best = line[0]?.move;
  // The value of the position is that of its best move. If it is a loss, no move lasts longer.
  const isKnown = ({ move }) => wdl === "loss" || (wdl !== null && move === best);
  const rate = (move) => {
    const fresh = isKnown(move) ? { wdl, at_most, excluded } : fromAfter(move);
    return fresh ? merge({ ...move, line: [] }, { ...fresh, line: [] }) : move;
  };
  const rated = (entry.moves ?? moves.map((move) => ({ ...move, ...open }))).map(rate);
  const value = { wdl, dtw, moves: rated };
  const listed = rated.map((move) => ({ ...move, dtw: isExact(value, move) ? dtw : distance({ ...move, dtw: null }) }));
  // That may be known only now: that there is no other move.
  for (const move of rated.filter((move) => isExact(value, move))) keep(move.position, after(value, move, [], null));
  listed.sort((a, b) => compare(a, b) || (b.move === best) - (a.move === best));
  const isRated = Boolean(entry.moves);
  // Whether a search has rated every move.
  const isSettled = isRated && entry.moves.every((move) => move.wdl !== null);
  return { ...entry, position, moves: listed, isSearched: true, isRated, isSettled };
}
