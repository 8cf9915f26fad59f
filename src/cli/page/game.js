// Games: the marks of their moves, and study files, as `lasca-tb study` reads them. A game consists of the
// entries of the record since the board was last set up. `wdl` of an entry is the value of its position,
// and `only` its one move that keeps the result, if another is legal; both are missing where they are not
// known.

import { landingsOf, parse, sideName, squaresOf } from "./position.js";

const RANK = { win: 2, draw: 1, loss: 0 };
const other = { win: "loss", loss: "win", draw: "draw" };

// The entry, with what an answer about its position says.
export function rated(entry, { wdl = null, moves = [] }) {
  if (wdl === null) return entry;
  const right = moves.filter((move) => !(RANK[move.wdl] < RANK[wdl]));
  return { ...entry, wdl, only: moves.length > 1 && right.length === 1 ? right[0].move : null };
}

// The entries after the moves of a best line, which keep the value.
export const bestLine = (moves, wdl) =>
  moves.map(({ move, position }, i) => ({ move, position, ...(wdl && { wdl: i % 2 ? wdl : other[wdl] }) }));

// What a move from one entry to the next has given away: the value before it and after it, or null.
export function slipBetween(before, { wdl }) {
  if (!before?.wdl || !wdl || RANK[other[wdl]] >= RANK[before.wdl]) return null;
  return { from: before.wdl, to: other[wdl] };
}

// Who wins from an entry: "w" or "b", or "draw", or null if it is not known.
export function winnerOf({ position, wdl }) {
  const side = parse(position)?.side;
  return { win: side, loss: side === "w" ? "b" : "w", draw: "draw" }[wdl] ?? null;
}

// The mark of a move: "?" if it gives something away, "!" if it is the only one that does not. Where the
// values are not known, it is what was read with the game, or null.
export function markOf(before, entry) {
  if (slipBetween(before, entry)) return "?";
  if (!before.wdl || !entry.wdl) return entry.mark ?? null;
  return before.only === entry.move ? "!" : "";
}

// The number before a move, such as "3." or "3...". The game begins with a move of this side.
export function numberOf(i, side) {
  const ply = i + (side === "b" ? 1 : 0);
  return `${Math.floor(ply / 2) + 1}${ply % 2 ? "..." : "."}`;
}

// A place in a game in words.
export function placeOf(entries, at) {
  const side = parse(entries[0].position)?.side;
  return at ? `the position after ${numberOf(at - 1, side)} ${entries[at].move}` : "the first position";
}

// The slips of a game: the place of the entry after each, the move with its number, and what it has given away.
export function slipsIn(entries) {
  const side = parse(entries[0].position)?.side;
  return entries.slice(1).flatMap((entry, i) => {
    const slip = slipBetween(entries[i], entry);
    return slip ? [{ at: i + 1, move: `${numberOf(i, side)} ${entry.move}?`, change: `from a ${slip.from} to a ${slip.to}` }] : [];
  });
}

// The slips of a game in a sentence, or "" if there is none.
export function slipsOf(entries) {
  const words = slipsIn(entries).map(({ move, change }) => `${move} ${change}`);
  return words.length ? `Slips: ${words.join(", ")}.` : "";
}

const RESULTS = { w: "1-0", b: "0-1", draw: "1/2" };

// The moves of a line in words, with variations in parentheses. The first move has this number of plies before it.
function written(line, ply, side) {
  let needsNumber = true;
  const words = line.flatMap(({ entry, before, others }, i) => {
    const number = numberOf(ply + i, side);
    const move = `${needsNumber || !number.endsWith("...") ? `${number} ` : ""}${entry.move}${markOf(before, entry) ?? "!?"}`;
    needsNumber = others.length > 0;
    return [move, ...others.map((other) => `(${written(other, ply + i, side)})`)];
  });
  const result = RESULTS[winnerOf(line.at(-1).entry)];
  // After a variation, a result would belong to that.
  if (result) words.splice(words.length - line.at(-1).others.length, 0, result);
  return words.join(" ");
}

// A game as a study, from its first entry and the lines after it. A move whose value is not known has a mark that
// claims nothing.
export function toStudy({ position, wdl }, lines) {
  const side = parse(position)?.side;
  const verdict = { win: ", wins", draw: ", draws", loss: ", loses" }[wdl] ?? "";
  const moves = lines.length ? written(lines, 0, side).replace(/ (?=\d+\. )/g, "\n") : "";
  return `# A game of Lasca, ${sideName(side)} to move\n${position}${verdict}\n${moves}\n`;
}

// The position and the moves of the first study in a text, or null if there is none. A move has its mark, its
// ply, the place of the move before it, or -1, and the number of brackets around it. Comments are left out.
export function fromStudy(text) {
  const uncommented = text.replace(/\{[^}]*\}|;.*$/gm, " ");
  const [plain] = uncommented.trim().replace(/^#.*/, "").split(/^#/m);
  const found = /^\s*(start|.*?(?:\s[wb]|white|black)(?:\s+to\s+(?:move|play))?)(?=[\s,]|$)(.*)$/is.exec(plain);
  if (!found) return null;
  const moves = [];
  // The place of the last move of the line that is read, and those of the lines around it.
  let at = -1;
  const around = [];
  // The ply of the first move by its number, the number that was read last, and whether a variation begins.
  let [first, number, isNew] = [null, null, false];
  const plyAfter = (at) => (moves[at]?.ply ?? -1) + 1;
  const words = /[([]|[)\]]|(\d+)\s*\.(\s*\.\s*\.)?|([a-g][1-7][WBwb]*(?:[-x:][a-g][1-7][WBwb]*)+)\s*([!?]{0,2})/g;
  for (const [word, count, dots, move, mark] of found[2].matchAll(words)) {
    if (word === "(" || word === "[") {
      around.push(at);
      isNew = true;
    } else if (word === ")" || word === "]") {
      at = around.pop() ?? at;
      isNew = false;
    } else if (count) {
      number = 2 * count - (dots ? 1 : 2);
      first ??= number - plyAfter(at);
    } else {
      // A variation takes the place of the last move, unless its number says that it follows that.
      const follows = number !== null && number - first === plyAfter(at);
      if (isNew && !follows) at = moves[at]?.after ?? -1;
      moves.push({ move, mark, after: at, ply: plyAfter(at), depth: around.length });
      at = moves.length - 1;
      [number, isNew] = [null, false];
    }
  }
  return { position: found[1].trim(), moves };
}

// The legal moves that a written one can mean: with the columns that it leaves or without them, and with
// all its squares or those of its landings.
export function meant(written, moves) {
  const exact = moves.filter(({ move }) => move === written);
  if (exact.length) return exact;
  const squares = written.replace(/[WBwb]+(?=[-x:]|$)/g, "").replace(/[x:]/g, "-");
  return moves.filter(({ move }) => [squaresOf(move), landingsOf(move)].some((form) => form.join("-") === squares));
}
