// What searches have found: this module remembers their answers.

import { sideOf } from "./position.js";

// The greatest number of positions that are remembered.
const MOST = 5000;

const found = new Map();
const other = { win: "loss", loss: "win", draw: "draw", null: null };

// How far a proof reaches, in plies: the fewer, the better. An open value has none.
const reach = ({ wdl, at_most }) => (wdl === null ? Infinity : (at_most ?? Number.MAX_VALUE));

// What two searches have found about the same position, or about the same move. What is proved stays
// proved, and the shorter proof is kept, with its line.
function merge(old, fresh) {
  const isLonger = reach(fresh) > reach(old);
  const isAsLong = reach(fresh) === reach(old);
  const [proof, other] = isLonger || (isAsLong && old.line?.length && !fresh.line.length) ? [old, fresh] : [fresh, old];
  const mergeMove = (move) => merge(old.moves.find((known) => known.move === move.move) ?? move, move);
  return {
    ...other,
    ...proof,
    dtw: fresh.dtw ?? old.dtw ?? null,
    excluded: ["white", "black"].filter((side) => old.excluded.includes(side) || fresh.excluded.includes(side)),
    moves: fresh.moves && old.moves ? fresh.moves.map(mergeMove) : (fresh.moves ?? old.moves),
  };
}

function keep(position, entry) {
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

// Compares moves: wins, quick ones before slow ones, then draws, open moves, and losses.
function compare(a, b) {
  const place = ({ wdl }) => ["win", "draw", null, "loss"].indexOf(wdl);
  const plies = ({ wdl, at_most }) => (wdl === "loss" ? -at_most : at_most);
  return place(a) - place(b) || plies(a) - plies(b);
}

// The answer about a position that no table has, from its legal moves and from what is found so far.
export function answerFrom({ position, moves }, { columns, side }) {
  if (moves.length === 0) {
    const owners = [...columns.values()].map((counters) => sideOf(counters[0]));
    const hasWon = owners.includes(side) && owners.every((owner) => owner === side);
    return { position, moves, wdl: hasWon ? "win" : "loss", dtw: 0 };
  }
  const entry = found.get(position);
  if (!entry) return { position, moves };
  const { wdl, dtw, at_most, excluded, line, line_end } = entry;
  const open = { wdl: null, at_most: null, excluded: [] };
  const best = line[0]?.move;
  // The value of the position is that of its best move. If it is a loss, no move lasts longer.
  const isKnown = ({ move }) => wdl === "loss" || (wdl !== null && move === best);
  const rate = (move) => (isKnown(move) ? merge({ ...move, line: [] }, { wdl, at_most, excluded, line: [] }) : move);
  const rated = (entry.moves ?? moves.map((move) => ({ ...move, ...open }))).map(rate);
  const value = { wdl, dtw, moves: rated };
  const listed = rated.map((move) => ({ ...move, dtw: isExact(value, move) ? dtw : null }));
  // That may be known only now: that there is no other move.
  for (const move of rated.filter((move) => isExact(value, move))) keep(move.position, after(value, move, [], null));
  listed.sort((a, b) => compare(a, b) || (b.move === best) - (a.move === best));
  return {
    position,
    wdl,
    dtw,
    at_most,
    excluded,
    line,
    line_end,
    moves: listed,
    best_move: entry.best_move,
    isSearched: true,
    isRated: Boolean(entry.moves),
    // Whether a search has rated every move.
    isSettled: Boolean(entry.moves?.every((move) => move.wdl !== null)),
    positions: entry.positions,
    seconds: entry.seconds,
  };
}
