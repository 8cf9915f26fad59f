// Reviews the game: finds out, from the last position backwards, who is winning in each.

import { go, rest, refresh, think } from "./asking.js";
import * as games from "./game.js";
import { parse } from "./position.js";
import { begin } from "./practising.js";
import { game, keep, record } from "./record.js";
import * as source from "./source.js";
import { isReviewed, slipAfter, state } from "./state.js";
import { answerFrom, isMoveWorse, learn, other, remember, rememberWin } from "./values.js";
import { refuse, render, say } from "./view.js";
import { progressOf, sentence } from "./words.js";

// How long each position is searched, and its moves are if it stays open, in seconds.
const SECONDS = 3;
const ESTIMATING = 1;

// The review stops when so many positions in a row stay open.
const MOST_OPEN = 5;

// What the program does more.
const more = () => `lasca-tb review searches ${state.searches ? "longer" : "them"}.`;

// What stops the review under way.
let stopping = null;

// What is known of the position before a move, if it must be by search. `after` is what is known of the position after
// the move, or null. A slip needs a line of better moves, an open position needs estimates, and a move that keeps the
// result is compared with the others.
async function answerTo({ position }, entry, after, signal) {
  const legal = await source.known(position, signal);
  if (!legal.missing) return legal;
  const found = () => answerFrom(legal);
  const search = async (options, position = legal.position) => {
    const progress = (line) => {
      if (line.searching !== "place") return;
      state.review.told = progressOf(line);
      render();
    };
    remember(await source.solve(position, { ...options, signal, progress }));
  };
  if (after?.wdl === "loss") rememberWin(legal.position, entry, after);
  if (!state.searches) return found();
  const { wdl, line } = found();
  if (!wdl || (games.slipBetween({ wdl }, after ?? {}) && !line.length)) await search({ moves: false, seconds: SECONDS });
  if (!found().wdl) await search({ seconds: ESTIMATING });
  const { wdl: value, moves } = found();
  if (!value || value === "loss" || other[after?.wdl ?? null] !== value) return found();
  // The move keeps the result: is it the only one? Each other is searched, until one is not known to be worse.
  for (const { move, position } of moves.filter(({ move }) => move !== entry.move)) {
    const rated = () => found().moves.find((rated) => rated.move === move);
    if (!rated().wdl) await search({ moves: false, seconds: ESTIMATING }, position);
    if (!isMoveWorse(legal.position, rated(), value)) break;
  }
  return found();
}

// What to say when all positions were looked at.
function summaryOf(line) {
  const words = ["The review is finished."];
  if (line.some(({ wdl }) => !wdl)) words.push(`Gaps and dashed blocks are open. ${more()}`);
  if (games.slipsIn(line).length === 0) words.push("No slip was found.");
  return words.join(" ");
}

// Stops the review under way if another game is shown.
export const leaveReview = () => isReviewed() || stopping?.abort();

// Lets the user practise from the position before a slip of the game that is shown.
export function findBetter(position) {
  const { line } = game();
  state.slips = { of: record, positions: games.slipsIn(line).map(({ at }) => line[at - 1].position) };
  begin(position, parse(position).side);
}

export function nextSlip() {
  const next = slipAfter();
  if (next) begin(next, parse(next).side);
}

export const backToReview = () => go(state.slips.of);

// Reviews the game from its last position, or goes on where the review has stopped, or stops the review under way.
export async function review({ goesOn = false } = {}) {
  if (stopping) return stopping.abort();
  const { line } = game();
  if (line.length < 2 || record.practice || !parse(line[0].position)) return refuse("There are no moves to review.");
  const [first, last] = [line[0].position, line.at(-1).position];
  const before = goesOn ? state.review : { next: line.length - 1, better: new Map() };
  const { better } = before;
  rest();
  stopping = new AbortController();
  const { signal } = stopping;
  let [at, after, open, end] = [before.next, line[before.next + 1] ?? null, 0, null];
  while (at >= 0 && !end) {
    state.review = { first, last, at, better, told: `Looking at ${games.placeOf(line, at)}…` };
    render();
    try {
      const answer = await answerTo(line[at], line[at + 1], after, signal);
      learn({ ...answer, position: line[at].position });
      if (answer.line?.length && games.slipBetween(answer, after ?? {})) better.set(line[at].position, answer.line);
      refresh(line[at].position);
      open = answer.wdl ? 0 : open + 1;
      if (open === MOST_OPEN) end = `Stopped at ${games.placeOf(line, at)}: ${MOST_OPEN} positions in a row are open. ${more()}`;
      after = answer;
      at -= 1;
    } catch (error) {
      end = signal.aborted ? `Stopped at ${games.placeOf(line, at)}.` : sentence(error.message);
    }
  }
  stopping = null;
  state.review = { first, last, at: null, next: at, better, told: end ?? summaryOf(game().line) };
  // What was found out is kept with the game.
  keep(record);
  render();
  if (isReviewed()) say(state.review.told);
  think();
}
