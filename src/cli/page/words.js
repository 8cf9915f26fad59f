// Sentences about answers of the server. An `answer` is from /probe; a `position` is as in position.js.

import { sideName } from "./position.js";

const plies = (count) => `${count} ${count === 1 ? "ply" : "plies"}`;

// Who wins.
export function verdict({ wdl, dtw }, position) {
  const side = sideName(position.side);
  const other = sideName(position.side === "w" ? "b" : "w");
  if (wdl === "draw") return "Drawn";
  if (dtw === null) return wdl === "win" ? `${side} wins` : `${side} loses`;
  if (dtw > 0) return wdl === "win" ? `${side} wins in ${plies(dtw)}` : `${side} loses in ${plies(dtw)}`;
  return wdl === "win" ? `${side} has won` : `${side} has lost: ${other} wins`;
}

// Whether the answer has the distances of all wins and losses.
export function hasDistances(answer) {
  return [answer, ...answer.moves].every(({ wdl, dtw }) => wdl === "draw" || dtw !== null);
}

// Whose move it is, and how many of the moves keep the result.
export function detail(answer, position) {
  const { moves, wdl, dtw } = answer;
  const side = sideName(position.side);
  if (dtw === 0) {
    const owns = (name) => [...position.columns.values()].some((c) => c[0].toUpperCase() === name);
    const why = owns(side[0]) ? `${side} cannot move.` : `${side} commands no column.`;
    return `${side} to move. ${wdl === "win" ? "The other side commands no column." : why}`;
  }
  const known = hasDistances(answer) ? "" : " The distances are not known here.";
  const good = moves.filter((move) => move.wdl === wdl).length;
  const all = moves.length;
  const one = { win: "wins", draw: "holds the draw", loss: "loses" }[wdl];
  const many = { win: "win", draw: "hold the draw", loss: "lose" }[wdl];
  if (all === 1) return `${side} to move. Its only move ${one}.${known}`;
  if (good === all) return `${side} to move. All ${all} moves ${many}.${known}`;
  return `${side} to move. Of ${all} moves, ${good === 1 ? `only one ${one}` : `${good} ${many}`}.${known}`;
}

// What a move does: "wins in 5".
export function valueOf({ wdl, dtw }) {
  const what = { win: "wins", draw: "draws", loss: "loses" }[wdl];
  return dtw === null ? what : `${what} in ${dtw}`;
}

// Why a position is not in the tables, as far as the page can tell.
export function whyNotThere(position) {
  const columns = [...position.columns];
  const [soldier] = columns.find(([, counters]) => /[wb]/.test(counters)) ?? [];
  if (soldier) return `The tables cover only officers, and there is a soldier on ${soldier}.`;
  const [mixed] = columns.find(([, counters]) => !/^(W+B*|B+W*)$/.test(counters)) ?? [];
  if (mixed) return `Officers cannot build a column like the one on ${mixed}.`;
  const counters = columns.map(([, counters]) => counters).join("");
  const of = (colour) => counters.split(colour).length - 1;
  const [more, less] = [of("W"), of("B")].sort((a, b) => b - a);
  return `There is no table of ${more} counters against ${less} here.`;
}
