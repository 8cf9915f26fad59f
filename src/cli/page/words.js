// Sentences about answers. An `answer` is from the source, or what searches have found; a `position` is as in
// position.js.

import { sideName } from "./position.js";

// A number with its sign.
export const signed = (number) => `${number > 0 ? "+" : number < 0 ? "−" : ""}${Math.abs(number)}`;

export const plies = (count) => `${count} ${count === 1 ? "ply" : "plies"}`;

// The material of a position, such as 3-2.
export function materialOf({ columns }) {
  const counters = [...columns.values()].join("");
  return `${counters.replace(/[Bb]/g, "").length}-${counters.replace(/[Ww]/g, "").length}`;
}

// Who wins. An open position may have an `estimate` for White.
export function verdict({ wdl, dtw, at_most: most = null }, position, estimate = null) {
  const side = sideName(position.side);
  const other = sideName(position.side === "w" ? "b" : "w");
  if (wdl === null) return estimate === null ? "Open" : `Open, estimate for White ${signed(estimate)}`;
  if (wdl === "draw") return "Drawn";
  if (dtw === null) {
    const proved = most === null ? "" : ` in at most ${plies(most)}`;
    return wdl === "win" ? `${side} wins${proved}` : `${side} loses${proved}`;
  }
  if (dtw > 0) return wdl === "win" ? `${side} wins in ${plies(dtw)}` : `${side} loses in ${plies(dtw)}`;
  return wdl === "win" ? `${side} has won` : `${side} has lost: ${other} wins`;
}

// Whether the answer has the distances of all wins and losses.
export function hasDistances(answer) {
  return [answer, ...answer.moves].every(({ wdl, dtw }) => wdl === "draw" || dtw !== null);
}

// Whose move it is, and how many of the moves keep the result.
export function detail(answer, position) {
  if (answer.isSearched) return searchDetail(answer, position);
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
  if (all === 1) return `${side} to move. The only legal move ${one}.${known}`;
  if (good === all) return `${side} to move. All ${all} moves ${many}.${known}`;
  return `${side} to move. Of ${all} moves, ${good === 1 ? `only one ${one}` : `${good} ${many}`}.${known}`;
}

// As `detail`, for an answer that a search has found.
function searchDetail({ moves, wdl, excluded, isRated, positions, seconds }, position) {
  const parts = [`${sideName(position.side)} to move.`];
  if (wdl === null) {
    const [color] = excluded;
    const name = { white: "White", black: "Black" };
    const rest = color === "white" ? "Black" : "White";
    parts.push(color ? `${name[color]} cannot win. Whether ${rest} can win is open.` : "Nothing is proved yet.");
  }
  if (isRated && moves.length === 1) {
    const only = { win: "wins", draw: "draws", loss: "loses", null: "is open" };
    parts.push(`The only legal move ${only[moves[0].wdl]}.`);
  } else if (isRated) {
    const count = (value) => moves.filter((move) => move.wdl === value).length;
    const kinds = [["win", "wins", "win"], ["draw", "draws", "draw"], ["loss", "loses", "lose"], [null, "is open", "are open"]];
    const counts = kinds.map(([value, one, many]) => [count(value), one, many]).filter(([n]) => n > 0);
    const words = counts.map(([n, one, many]) => `${n} ${n === 1 ? one : many}`);
    const listed = words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words[0];
    parts.push(words.length > 1 ? `Of ${moves.length} moves, ${listed}.` : `All ${moves.length} moves ${counts[0][2]}.`);
  }
  if (positions !== undefined) parts.push(wdl === null ? `${searched({ positions, seconds })}.` : `Found by search: ${effort({ positions, seconds })}.`);
  return parts.join(" ");
}

// Why no table has an answer about a position, and whether a search may find one.
export function unknown({ error, reason, material }, { columns, side }, searches) {
  const hasSoldiers = /[wb]/.test([...columns.values()].join(""));
  const parts = [`${sideName(side)} to move.`];
  if (reason !== "not_covered" || material) parts.push(sentence(error));
  else parts.push(hasSoldiers ? "The tables cover officers only." : "The tables cover only columns that play with officers leads to.");
  if (searches) parts.push("Switch Search on to search it.");
  return parts.join(" ");
}

// A warning of soldiers that command a column on their own last rank, or "".
export function stranded({ columns }) {
  const squares = [...columns].filter(([square, [commander]]) => ({ w: "7", b: "1" })[commander] === square[1]).map(([square]) => square);
  const who = squares.length === 1 ? "The soldier" : "The soldiers";
  return squares.length ? `${who} on ${squares.join(", ")} cannot move, and no game leads there: soldiers become officers on their last rank.` : "";
}

const time = (seconds) => `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)} s`;
const counted = (positions) => `${positions.toLocaleString("en")} ${positions === 1 ? "position" : "positions"}`;

// What a search has cost: "15,340 positions, 0.04 s".
const effort = ({ positions, seconds }) => `${counted(positions)}, ${time(seconds)}`;

// The same of one that has proved nothing: "15,340 positions searched in 0.04 s".
const searched = ({ positions, seconds }) => `${counted(positions)} searched in ${time(seconds)}`;

// How far a search is, from a line of its progress, or how much of a table has been fetched.
export function progressOf(line) {
  if (line.fetching) {
    const { material, bytes, of } = line.fetching;
    const megabytes = (bytes / 1e6).toFixed(1);
    return `The table ${material} is being fetched: ${of ? `${megabytes} of ${(of / 1e6).toFixed(1)}` : megabytes} MB.`;
  }
  if (line.making) return `The table ${line.making} is being made: ${Math.floor(100 * line.done)} %.`;
  if (line.searching === "place") return "The server is busy with other searches. This one waits for its turn.";
  const what = { position: "", distance: "Looking for quicker wins: ", moves: "Looking at each move: " }[line.searching];
  return `${what}${effort(line)}.`;
}

// What a button says that makes a table.
export function offerOf({ seconds, isHere }) {
  const time = seconds < 90 ? `${Math.ceil(seconds)} s` : seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
  return `Make it ${isHere ? "here " : ""}(about ${time})`;
}

// What a move does: "wins in 5". `side` is the side that makes it.
export function valueOf({ wdl, dtw, at_most: most = null, excluded = [] }, side) {
  if (wdl === null) {
    if (excluded.length === 0) return "open";
    return excluded[0] === sideName(side).toLowerCase() ? "draws or loses" : "draws or wins";
  }
  const what = { win: "wins", draw: "draws", loss: "loses" }[wdl];
  if (dtw !== null) return `${what} in ${dtw}`;
  return most === null ? what : `${what} in ≤ ${most}`;
}

// A reason of the server as a sentence.
export const sentence = (reason) => `${reason[0].toUpperCase()}${reason.slice(1)}.`;
