// Reviews the game: finds out, from the last position backwards, who is winning in each.

import { refresh } from "./asking.js";
import * as games from "./game.js";
import { parse } from "./position.js";
import { game, record, rewriteAll } from "./record.js";
import { Refused } from "./refused.js";
import { answerFrom, remember, rememberWin } from "./search.js";
import * as source from "./source.js";
import { state } from "./state.js";
import { refuse, say, showReview } from "./view.js";
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
  const found = () => answerFrom(legal, parse(legal.position));
  if (after?.wdl === "loss") rememberWin(legal.position, entry, after);
  if (!found().wdl) {
    const progress = (line) => line.so_far && remember(line.so_far);
    remember(await source.solve(legal.position, { moves: false, seconds: SECONDS, signal, progress }));
  }
  return found();
}

// Reviews the game, or stops the review under way. It stops too if another game is shown.
export async function review() {
  if (stopping) return stopping.abort();
  const { line } = game();
  if (line.length < 2 || record.practice || !parse(line[0].position)) return refuse("There are no moves to review.");
  const [{ position: first }] = line;
  const isShown = () => game().line[0].position === first && !record.practice;
  stopping = new AbortController();
  const { signal } = stopping;
  let [after, open, end] = [null, 0, null];
  for (let at = line.length - 1; at >= 0 && !end; at--) {
    state.review = { first, at, told: `Looking at ${games.placeOf(line, at)}…` };
    showReview();
    try {
      after = await answerTo(line[at], line[at + 1], after, signal);
      rewriteAll(line[at].position, (entry) => games.rated(entry, after));
      refresh(line[at].position);
      open = after.wdl ? 0 : open + 1;
      if (open === MOST_OPEN) end = `Stopped at ${games.placeOf(line, at)}: who wins in ${MOST_OPEN} positions in a row was not found out.`;
    } catch (error) {
      if (!signal.aborted && !(error instanceof Refused)) throw error;
      end = signal.aborted ? `Stopped at ${games.placeOf(line, at)}.` : sentence(error.message);
    }
    if (!isShown()) stopping.abort();
  }
  stopping = null;
  state.review = isShown() ? { first, at: null, told: [end ?? "All positions were looked at.", ...(games.slipsIn(game().line).length ? [] : ["No slip was found."])].join(" ") } : null;
  showReview();
  if (state.review) say(state.review.told);
}
