// Reviews the game: finds out, from the last position backwards, who is winning in each.

import { refresh } from "./asking.js";
import * as games from "./game.js";
import { parse } from "./position.js";
import { game, keep, record } from "./record.js";
import * as source from "./source.js";
import { isReviewed, state } from "./state.js";
import { answerFrom, learn, remember, rememberWin } from "./values.js";
import { refuse, render, say } from "./view.js";
import { sentence } from "./words.js";

// How long each position is searched, in seconds.
const SECONDS = 3;

// The review stops when so many positions in a row stay open.
const MOST_OPEN = 5;

// What stops the review under way.
let stopping = null;

// What is known of the position before a move, if it must be by search. `after` is the answer about the position
// after the move, or null.
async function answerTo({ position }, entry, after, signal) {
  const legal = await source.known(position, signal);
  if (!legal.missing) return legal;
  const found = () => answerFrom(legal);
  if (after?.wdl === "loss") rememberWin(legal.position, entry, after);
  if (!found().wdl) {
    const progress = (line) => line.so_far && remember(line.so_far);
    remember(await source.solve(legal.position, { moves: false, seconds: SECONDS, signal, progress }));
  }
  return found();
}

// What to say when all positions were looked at.
function summaryOf(line) {
  const words = ["The review is finished."];
  if (line.some(({ wdl }) => !wdl)) words.push("Where the bar has a gap, the result is open.");
  if (games.slipsIn(line).length === 0) words.push("No slip was found.");
  return words.join(" ");
}

// Reviews the game, or stops the review under way. It stops too if another game is shown.
export async function review() {
  if (stopping) return stopping.abort();
  const { line } = game();
  if (line.length < 2 || record.practice || !parse(line[0].position)) return refuse("There are no moves to review.");
  const [first, last] = [line[0].position, line.at(-1).position];
  stopping = new AbortController();
  const { signal } = stopping;
  let [after, open, end] = [null, 0, null];
  for (let at = line.length - 1; at >= 0 && !end; at--) {
    state.review = { first, last, at, told: `Looking at ${games.placeOf(line, at)}…` };
    render();
    try {
      after = await answerTo(line[at], line[at + 1], after, signal);
      learn({ ...after, position: line[at].position });
      refresh(line[at].position);
      open = after.wdl ? 0 : open + 1;
      if (open === MOST_OPEN) end = `Stopped at ${games.placeOf(line, at)}: ${MOST_OPEN} positions in a row are open.`;
    } catch (error) {
      end = signal.aborted ? `Stopped at ${games.placeOf(line, at)}.` : sentence(error.message);
    }
    if (!isReviewed()) stopping.abort();
  }
  stopping = null;
  state.review = isReviewed() ? { first, last, at: null, told: end ?? summaryOf(game().line) } : null;
  // What was found out is kept with the game.
  keep(record);
  render();
  if (state.review) say(state.review.told);
}
