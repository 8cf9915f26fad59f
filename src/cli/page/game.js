// Games: the marks of their moves, and their text, as `lasca-tb study` reads it. A game consists of the
// entries of the record since the board was last set up, with what is known of them: `wdl`, the value of the position,
// and `only`, its one move that keeps the result, if another is legal.

import { parse, sideName } from "./position.js";
import { estimateOf, isWorse, other } from "./values.js";

// So many moves of a better line are shown.
const MOST_SHOWN = 12;

// What a move from one entry to the next has given away: the value before it and after it, or null.
export function slipBetween(before, { wdl }) {
  if (!before?.wdl || !wdl || !isWorse(other[wdl], before.wdl)) return null;
  return { from: before.wdl, to: other[wdl] };
}

// Who wins from an entry: "w" or "b", or "draw", or null if it is not known.
export function winnerOf({ position, wdl }) {
  const side = parse(position)?.side;
  return { win: side, loss: side === "w" ? "b" : "w", draw: "draw" }[wdl] ?? null;
}

// What an open entry looks worth to White, from -100 to 100, or null.
export function estimateFor({ position, wdl }) {
  const estimate = wdl ? null : estimateOf(position);
  return estimate !== null && parse(position)?.side === "b" ? -estimate : estimate;
}

// The mark of a move: the one that was written, or else "?" if it gives something away, and "!" if it is the only one
// that does not.
export function markOf(before, entry) {
  if (entry.mark) return entry.mark;
  if (slipBetween(before, entry)) return "?";
  return before.wdl && entry.wdl && before.only === entry.move ? "!" : "";
}

const RESULTS = { w: "1-0", b: "0-1", draw: "1/2" };
const OUTCOMES = { "1-0": "a win for White", "0-1": "a win for Black", "1/2": "a draw" };

// A claim, such as "1-0" or "1-0 in 12", in words.
export function claimInWords(claim) {
  const [outcome, length] = claim.split(" in ");
  return OUTCOMES[outcome] + (length ? ` in ${length} plies` : "");
}

// What is wrong with a claim about an entry, such as its result; null if it is right, or not known to be wrong.
export function refutationOf(entry, claim) {
  const result = RESULTS[winnerOf(entry)];
  return claim && result && claim.split(" ")[0] !== result ? `The study claims ${claim} here; ${OUTCOMES[result]} is proved.` : null;
}

// What is wrong with the mark that was written after a move, or null as above.
export function markRefutation(before, entry) {
  const { mark, move } = entry;
  const slip = slipBetween(before, entry);
  if (/^!!?$/.test(mark) && slip) return `The study marks ${move} with ${mark}; it turns a ${slip.from} into a ${slip.to}.`;
  const keeps = before.wdl && entry.wdl && !slip;
  return /^\?\??$/.test(mark) && keeps ? `The study marks ${move} with ${mark}; it gives nothing away.` : null;
}

// The plies before the first entry of a game, which White has begun.
export const pliesBefore = ({ position, number = 1 }) => 2 * (number - 1) + (parse(position)?.side === "b" ? 1 : 0);

// The number before a move, such as "3." or "3...". So many plies are before it.
const numberOf = (ply) => `${Math.floor(ply / 2) + 1}${ply % 2 ? "..." : "."}`;

// Moves in words. So many plies are before the first of them.
const inWords = (moves, ply) =>
  moves.map(({ move }, i) => {
    const number = numberOf(ply + i);
    return i && number.endsWith("...") ? move : `${number} ${move}`;
  }).join(" ");

// A place in a game in words.
export const placeOf = (entries, at) => (at ? `the position after ${numberOf(pliesBefore(entries[0]) + at - 1)} ${entries[at].move}` : "the first position");

// The slips of a game: the place of the entry after each, the move with its number, and what it has given away.
export function slipsIn(entries) {
  const first = pliesBefore(entries[0]);
  return entries.slice(1).flatMap((entry, i) => {
    const slip = slipBetween(entries[i], entry);
    return slip ? [{ at: i + 1, move: `${numberOf(first + i)} ${entry.move}?`, change: `turns a ${slip.from} into a ${slip.to}` }] : [];
  });
}

// What a slip of a game has given away, and a better line in its place, as far as one is known.
export function correctionOf(entries, { at, move, change }, better) {
  const { only, best } = entries[at - 1];
  const right = only || best;
  const moves = better?.slice(0, MOST_SHOWN) ?? (right ? [{ move: right }] : []);
  const line = moves.length ? ` Better: ${inWords(moves, pliesBefore(entries[0]) + at - 1)}${better?.length > MOST_SHOWN ? " …" : "."}` : "";
  return `${move} ${change}.${line}`;
}

// The slips of a game in a sentence, or "" if there is none.
export function slipsOf(entries) {
  const words = slipsIn(entries).map(({ move, change }) => `${move} ${change}`);
  return words.length ? `Slips: ${words.join(", ")}.` : "";
}

// A comment in a study.
const commented = (comment) => (comment.includes("}") ? comment.replace(/^/gm, "; ") + "\n" : `{${comment}}`);

// The moves of a line in words, with variations in parentheses. So many plies are before the first of them.
function written(line, ply) {
  let needsNumber = true;
  const words = line.flatMap(({ entry, before, others }, i) => {
    const number = numberOf(ply + i);
    const move = `${needsNumber || !number.endsWith("...") ? `${number} ` : ""}${entry.move}${markOf(before, entry)}`;
    const { result, comments = [] } = entry;
    needsNumber = others.length + comments.length > 0;
    const isLast = i === line.length - 1;
    const variations = others.map((other) => `(${written(other, ply + i)})`);
    return [move, result ?? (isLast && RESULTS[winnerOf(entry)]), ...comments.map(commented), ...variations].filter(Boolean);
  });
  return words.reduce((text, word) => `${text}${/^\d+\. /.test(word) ? "\n" : " "}${word}`);
}

// A game as a study, from its first entry and the lines after it. What its author claims stays as it is.
export function toStudy(first, lines) {
  const { position, wdl, title, verdict: claim, study, comments = [] } = first;
  const known = { win: "wins", draw: "draws", loss: "loses" }[wdl];
  const verdict = claim && claim !== RESULTS[winnerOf({ position, wdl })] ? claim : known;
  const moves = lines.length ? [written(lines, pliesBefore(first))] : [];
  const name = title ?? (study ? null : `A game of Lasca, ${sideName(parse(position)?.side)} to move`);
  return [...(name ? [`# ${name}`] : []), [position, verdict].filter(Boolean).join(", "), ...comments.map(commented), ...moves, ""].join("\n");
}

// The entries of a study that the source has read. The first of them says which `study` it is of which file.
export function fromStudy({ title, verdict, number, positions }, study) {
  const entries = positions.map(({ wdl, only, ...entry }) => ({ move: null, ...entry }));
  entries[0] = { ...entries[0], title, verdict, number, study };
  return entries;
}
