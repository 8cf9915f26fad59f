// What searches have found. The server searches; this module asks it, and remembers the answers.

import { sideOf } from "./position.js";

// The greatest number of positions that are remembered.
const MOST = 5000;

const found = new Map();
const other = { win: "loss", loss: "win", draw: "draw", null: null };

// Asks the server to solve a position. `progress` is called with each line until the last, which is
// returned with the status.
export async function search(text, { exact, signal, progress }) {
  const query = new URLSearchParams({ position: text, moves: 1, progress: 1 });
  if (exact) query.set("exact", 1);
  const response = await fetch(`solve?${query}`, { signal });
  if (response.status !== 200) return { status: response.status, body: await response.json() };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = null;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      last = JSON.parse(line);
      if ("searching" in last) progress(last);
    }
  }
  if (!last || "searching" in last) throw new Error("the answer has no end");
  return { status: "error" in last ? 500 : 200, body: last };
}

function keep(position, entry) {
  const old = found.get(position);
  const isBetter =
    !old || (!old.moves && (old.wdl === null || (entry.at_most ?? Infinity) < (old.at_most ?? Infinity)));
  if (isBetter) found.set(position, entry);
}

// Stores what a search has found, and what follows from it about other positions: those of the best
// line, and those that the moves lead to. `isLast` says that the search has ended by itself.
export function remember(solved, isLast) {
  if (found.size > MOST) found.clear();
  const old = found.get(solved.position);
  const moves = solved.moves ?? old?.moves;
  found.set(solved.position, { ...solved, moves, dtw: solved.dtw ?? old?.dtw ?? null, isLast: isLast || Boolean(old?.isLast) });
  const after = ({ wdl, at_most, excluded }, line) => ({
    wdl: other[wdl],
    dtw: null,
    at_most: at_most === null ? null : at_most - 1,
    excluded,
    line,
  });
  let at = solved;
  solved.line.forEach(({ position }, i) => {
    at = after(at, solved.line.slice(i + 1));
    if (position !== solved.position) keep(position, at);
  });
  for (const move of solved.moves ?? []) {
    if (move.wdl !== null || move.excluded.length) keep(move.position, after(move, []));
  }
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
  const { wdl, dtw, at_most, excluded, line } = entry;
  const open = { wdl: null, dtw: null, at_most: null, excluded: [] };
  const best = line[0] && { ...line[0], wdl, dtw: null, at_most, excluded };
  const rated = entry.moves?.map((move) => ({
    ...move,
    dtw: dtw !== null && move.wdl === "win" && move.at_most === dtw ? dtw : null,
  }));
  const others = moves.filter(({ move }) => move !== best?.move).map((move) => ({ ...open, ...move }));
  return {
    position,
    wdl,
    dtw,
    at_most,
    excluded,
    line,
    moves: rated ?? [...(best ? [best] : []), ...others],
    isSearched: true,
    isRated: Boolean(rated),
    isLast: Boolean(entry.isLast),
    positions: entry.positions,
    seconds: entry.seconds,
  };
}
