// Practice: the user plays against the tables or the search. This module knows what a slip is, what the tables reply,
// when practice ends and how it went. Its state is plain data in the record, so it is there again when
// the page is loaded anew.

import { slipBetween, winnerOf } from "./game.js";
import { parse, sideName } from "./position.js";
import { other, worth } from "./values.js";
import { plies } from "./words.js";

// A drawn game ends after so many plies, or when a position occurs so many times. A won game ends when it
// has come no nearer to its end for so many plies.
const MOST_IDLE = 40;
const MOST_OCCURRENCES = 3;

// The user is told each time that the win has come no nearer for so many plies.
const REMINDER = 10;

// An estimate counts so much less for each time that the position after the move has occurred.
const STALE = 20;

// How the search plays at each strength: how long it thinks, in seconds, and how much worse than the best move one that
// it plays may look, by estimates. A full one plays the best.
export const STRENGTHS = {
  weak: { seconds: 1, within: 40 },
  medium: { seconds: 3, within: 12 },
  full: { seconds: 10, within: 0 },
};

// What a move that is proved counts beside estimates.
const PROVED = { win: 100, draw: 0, loss: -100 };

// A record in which the user plays a side against the tables or the search. `ply` counts from there; `start` is
// the value of the position for the user, when there is an answer. A slip has the ply after which it was made.
// `proved` is the ply in which the result was first known, if that is not the beginning.
export function begin(position, side) {
  const practice = { side, ply: 0, start: null, proved: null, slips: [], slipsTakenBack: 0, takenBack: 0, hints: 0, hinted: 0 };
  return { entries: [{ position, move: null }], at: 0, practice };
}

// The side to practise if the user does not choose one: the one that has something to lose.
export const sideFor = ({ wdl }, { side }) => (wdl === "loss" ? otherSide(side) : side);

export const otherSide = (side) => (side === "w" ? "b" : "w");

export const isUsersTurn = ({ practice, entries, at }) => parse(entries[at].position)?.side === practice.side;

// Whether the last move was the only legal one. Nobody has searched the position before it: what is known of the position
// after it is known of that one too.
export const isForced = ({ entries, at }) => Boolean(entries[at - 1]?.isForced);

// The record with what an answer says about its last position: it tells what the first one is worth, whether the
// user's last move was a slip, and when the result is proved.
export function withAnswer(record, { wdl = null, dtw = null, at_most = null }) {
  const { entries, at } = record;
  const { ply, slips, ...practice } = record.practice;
  const back = isForced(record) && isUsersTurn(record) ? 1 : 0;
  const made = ply - back;
  const isOfUser = made > 0 && (back === 1 || !isUsersTurn(record));
  const left = { wdl: back ? (other[wdl] ?? null) : wdl };
  const slip = isOfUser && slips.at(-1)?.ply !== made && slipBetween(worth(entries[at - back - 1]), left);
  return {
    ...record,
    practice: {
      ...practice,
      ply,
      start: practice.start ?? { wdl: isUsersTurn(record) ? wdl : (other[wdl] ?? null), dtw, at_most },
      proved: practice.proved ?? (wdl && practice.start && !practice.start.wdl ? ply : null),
      slips: slip ? [...slips, { ply: made, move: entries[at - back].move, ...slip }] : slips,
    },
  };
}

// The record after a move of either side. `wdl` and `dtw` are the value of the position for the side that moves.
// The entry keeps the distance of a win of the user, and whether the opponent had no other move.
export function withMove(record, move, { wdl, dtw, moves }) {
  const { practice, at } = record;
  const ply = practice.ply + 1;
  const isForced = !isUsersTurn(record) && moves.length === 1;
  const rated = { ...record.entries[at], toWin: isUsersTurn(record) && wdl === "win" ? dtw : null, isForced };
  const entries = [...record.entries.slice(0, at), rated, { position: move.position, move: move.move }];
  return { entries, at: entries.length - 1, practice: { ...practice, ply, hinted: 0 } };
}

// How many plies are taken back: the user's last move, and the reply if there is one. 0 if the user has
// not moved yet.
function pliesBack(record) {
  const count = isUsersTurn(record) ? 2 : 1;
  return count <= Math.min(record.practice.ply, record.at) ? count : 0;
}

export const canTakeBack = (record) => pliesBack(record) > 0;

// The record without the user's last move.
export function withoutMove(record) {
  const { practice } = record;
  const at = record.at - pliesBack(record);
  const ply = practice.ply - pliesBack(record);
  const slips = practice.slips.filter((slip) => slip.ply <= ply);
  const slipsTakenBack = practice.slipsTakenBack + practice.slips.length - slips.length;
  const takenBack = practice.takenBack + 1;
  const proved = practice.proved > ply ? null : practice.proved;
  return { entries: record.entries.slice(0, at + 1), at, practice: { ...practice, ply, proved, slips, slipsTakenBack, takenBack, hinted: 0 } };
}

// The record after one more hint about this position: first the column to move, and then the move.
export function withHint(record) {
  const { practice } = record;
  const hints = practice.hints + (practice.hinted === 0 ? 1 : 0);
  return { ...record, practice: { ...practice, hints, hinted: Math.min(practice.hinted + 1, 2) } };
}

const occurrences = ({ entries }, position) => entries.filter((entry) => entry.position === position).length;

// For how many plies a win of the user has come no nearer. It is 0 if it is nearer than ever, or if there is none.
function idlePlies(record, { wdl, dtw }) {
  if (wdl !== "win" || !isUsersTurn(record)) return 0;
  const { practice, entries, at } = record;
  const first = Math.max(0, at - practice.ply);
  const nearest = Math.min(...entries.slice(first, at).map(({ toWin }) => toWin ?? Infinity));
  return dtw < nearest ? 0 : at - entries.findIndex(({ toWin }, i) => i >= first && toWin === nearest);
}

// How the game has ended: "won" or "lost" by the user, "repeated" or "long" if it is a draw, "idle" if a win
// comes no nearer. Null if it goes on.
export function endOf(record, { wdl, dtw }) {
  const { practice, entries, at } = record;
  if (dtw === 0) return (wdl === "win") === isUsersTurn(record) ? "won" : "lost";
  if (wdl === "win" || wdl === "loss") return idlePlies(record, { wdl, dtw }) >= MOST_IDLE ? "idle" : null;
  if (occurrences(record, entries[at].position) >= MOST_OCCURRENCES) return "repeated";
  if (wdl !== "draw") return null;
  const drawnSince = practice.slips.findLast((slip) => slip.to === "draw")?.ply ?? practice.proved ?? 0;
  return practice.ply - drawnSince >= MOST_IDLE ? "long" : null;
}

// The best move of an answer.
export const bestMove = ({ moves, best_move }) => moves.find(({ move }) => move === best_move) ?? moves[0];

// The reply of the tables or the search, from its moves, best first: the best move, so the quickest win or the longest
// defence. Of open moves, the one with the best estimate. Of moves that draw, one after which the user can go wrong,
// if there is one; then one that leads to a position that has occurred least often, and then one with the smallest
// share of right replies. If moves may look worse than the best one by `within`, it is any of them.
export function replyOf(record, answer, within = 0) {
  const { moves } = answer;
  const worth = ({ wdl, position, estimate = PROVED[wdl] ?? 0 }) => estimate - STALE * occurrences(record, position);
  if (within) {
    const least = Math.max(...moves.map(worth)) - within;
    const fair = moves.filter((move) => worth(move) >= least);
    return fair[Math.floor(Math.random() * fair.length)];
  }
  const best = bestMove(answer);
  if (!best.wdl) {
    // Others may be unable to win, or to hold.
    const isAlike = ({ wdl, excluded }) => !wdl && String(excluded) === String(best.excluded);
    return moves.filter(isAlike).sort((a, b) => worth(b) - worth(a))[0];
  }
  if (best.wdl !== "draw") return best;
  // A search does not count the replies that hold.
  const trap = ({ holding, replies }) => (holding ? holding.length / replies : 1);
  const order = (a, b) =>
    (trap(a) === 1) - (trap(b) === 1) ||
    occurrences(record, a.position) - occurrences(record, b.position) ||
    trap(a) - trap(b) ||
    (a.holding?.length ?? 0) - (b.holding?.length ?? 0);
  return moves.filter(({ wdl }) => wdl === "draw").sort(order)[0];
}

// The moves in the order of their squares and without their values, which would give the right ones away.
export function withoutValues(moves) {
  return moves.map(({ move, position }) => ({ move, position })).sort((a, b) => (a.move < b.move ? -1 : 1));
}

// Sentences

// What the user should reach, seen from the position that is shown.
export function goalOf(record, { wdl }) {
  const now = isUsersTurn(record) ? wdl : other[wdl];
  const what = { win: ": win", draw: ": hold the draw", loss: ": hold out" }[now] ?? "";
  return `You play ${sideName(record.practice.side)}${what}`;
}

// Tells the user that the result is proved, for two plies. Null if there is nothing to say.
export function proofIn({ practice, entries, at }, { wdl }) {
  if (practice.proved === null || practice.ply > practice.proved + 1) return null;
  const winner = winnerOf({ ...entries[at], wdl });
  return winner && (winner === "draw" ? "From here the game is drawn." : `From here ${sideName(winner)} wins.`);
}

// When a drawn game ends: told at the user's first turn, and when the game has become a draw. Null otherwise.
export function drawEndsIn(record, { wdl }) {
  const { ply, proved, slips } = record.practice;
  const isNew = (ply < 2 && isUsersTurn(record)) || [proved, slips.at(-1)?.ply].includes(ply);
  return wdl === "draw" && isNew ? `The draw is held when a position occurs ${MOST_OCCURRENCES} times, or after ${plies(MOST_IDLE)}.` : null;
}

// Reminds a user who makes no progress, now and then and when a position is repeated. Null if there is nothing
// to say.
export function reminderIn(record, answer) {
  const idle = idlePlies(record, answer);
  const isTold = idle > 0 && (idle % REMINDER === 0 || occurrences(record, record.entries[record.at].position) > 1);
  return isTold ? `No progress for ${plies(idle)}.` : null;
}

// The slip that the user's last move was, in words; null if it was none.
export function slipIn(record) {
  const slip = record.practice.slips.at(-1);
  const lastMove = record.practice.ply - (isUsersTurn(record) ? 1 : 0);
  if (slip?.ply !== lastMove) return null;
  const now = { draw: "drawn", loss: "lost" }[slip.to];
  return `${slip.move} gave away the ${slip.from}: the game is now ${now}.`;
}

// What the hint says, in two steps. The search proves nothing about an open position.
export function hintIn({ practice }, answer) {
  const { move } = bestMove(answer);
  const what = answer.wdl ? "Hint" : "Hint, a guess of the search";
  return ["", `${what}: move the column on ${move.slice(0, 2)}.`, `${what}: ${move}.`][practice.hinted];
}

const many = (count, one, more) => `${count} ${count === 1 ? one : more}`;

// Slips, moves taken back and hints: "1 slip taken back, 2 hints". That there is no slip is known if the result of the
// beginning `isKept`.
function slipsOf({ practice }, isKept) {
  const { slipsTakenBack: back, takenBack, hints } = practice;
  const slips = practice.slips.length + back;
  const parts = [];
  if (slips === 0) parts.push(...(isKept ? ["no slip"] : []));
  else if (slips === back) parts.push(`${many(slips, "slip", "slips")} taken back`);
  else parts.push(many(slips, "slip", "slips"), ...(back ? [`${back} taken back`] : []));
  if (takenBack > back) parts.push(`${many(takenBack - back, "other move", "other moves")} taken back`);
  if (hints) parts.push(many(hints, "hint", "hints"));
  return parts.map((part) => `, ${part}`).join("");
}

// What is told of a game, with what the position was worth at the beginning: "Won in 23 plies, best 19, no slip", or if the
// game has another value now, "2 plies played, 1 slip. Best was a win in 19."
function withBest(what, record, now) {
  const { start } = record.practice;
  const length = start.dtw ?? `at most ${start.at_most}`;
  const isDrawn = start.wdl === "draw";
  const slips = slipsOf(record, Boolean(start.wdl) && start.wdl === now);
  if (!start.wdl || (isDrawn && now === "draw")) return `${what}${slips}`;
  if (start.wdl === now) return `${what}, best ${length}${slips}`;
  return `${what}${slips}. Best was ${isDrawn ? "a draw" : `a ${start.wdl} in ${length}`}.`;
}

// How the game goes: "6 plies played, best 19, no slip".
export function tallyOf(record, { wdl }) {
  const { practice } = record;
  const now = isUsersTurn(record) ? wdl : other[wdl];
  return withBest(`${plies(practice.ply)} played`, record, now);
}

// The score: "Won in 23 plies, best 19, 1 slip taken back".
export function scoreOf(record, end, { wdl }) {
  const { practice } = record;
  const [what, now] = {
    won: [`Won in ${plies(practice.ply)}`, "win"],
    lost: [`Lost in ${plies(practice.ply)}`, "loss"],
    repeated: [`${wdl === "draw" ? "Drawn" : "Open"}: the position has occurred ${MOST_OCCURRENCES} times`, "draw"],
    long: [`Drawn after ${plies(practice.ply)}`, "draw"],
    idle: [`Stopped after ${plies(practice.ply)}`, "win"],
  }[end];
  return withBest(what, record, now);
}

// Whether the user has reached what there was.
export function judgementOf({ practice }, end) {
  if (end === "idle") return `No progress for ${plies(MOST_IDLE)}.`;
  const reached = { won: "win", lost: "loss" }[end] ?? "draw";
  if (!practice.start.wdl) return null;
  if (practice.start.wdl !== reached) return `The ${practice.start.wdl} was given away.`;
  if (reached === "draw") return "The draw is held.";
  const { dtw, at_most: most } = practice.start;
  // What the search has not found is not known.
  if (dtw === null && practice.ply <= most) return reached === "win" ? "The search knows no quicker win." : "The position was lost from the beginning.";
  const isBest = practice.ply === dtw;
  if (reached === "loss") return `The position was lost from the beginning. There is ${isBest ? "no" : "a"} longer defence.`;
  return `There is ${isBest ? "no" : "a"} quicker win.`;
}
