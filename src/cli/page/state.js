// What is known of the position that is shown, and what follows from it.

import { game, position, record } from "./record.js";
import * as practice from "./practice.js";
import { landingsOf, squaresOf } from "./position.js";
import { kept } from "./settings.js";
import { worth } from "./values.js";
import { hasDistances } from "./words.js";

// So many moves of an expected line are shown.
const MOST_EXPECTED = 8;

// What is known of the position of the current entry. It is forgotten when another entry is shown, or a table is made
// that tells more.
const UNKNOWN = {
  // The answer about the position, from the tables or from what searches have found. It is null until it
  // has arrived.
  answer: null,
  // The position and its legal moves, with what is `missing`, if no table has an answer.
  legal: null,
  // What it takes to make the table that would answer; null if none is to be made.
  plan: null,
  // What there is to say in place of an answer: `none` and its `detail`, whether the user can `retry`, the material of
  // the table that the user has `declined`, and what reads the game of a link
  // `again`.
  problem: null,
  // How much has come of what the answer waits for.
  fetching: null,
  // The search that is under way: what aborts it, its last line, and whether it looks for the `exact` distance.
  searching: null,
  // Whether the position has been searched for as long as the source allows, or in practice the strength, and whether
  // the search has ended because its memory is full.
  hasThought: false,
  isFull: false,
  // What was said of practice, and what to announce before the answer.
  said: "",
  note: "",
  // Why there is no practice from this position, if it was asked for.
  noPractice: "",
};

// What the user does with the position. It is forgotten when another entry is shown.
const UNTOUCHED = {
  // The square whose column has been chosen to move, or has been picked up.
  chosen: null,
  carried: null,
  // The squares to which the chosen column has been led on its way.
  passed: [],
  // The moves among which the user has to choose, and the move that is pointed at.
  candidates: [],
  pointed: null,
  // What is wrong with the text of the position or of a game.
  complaint: "",
};

export const state = {
  ...UNKNOWN,
  ...UNTOUCHED,
  // Whether an answer is awaited.
  isAsking: false,
  // Whether the source searches.
  searches: true,
  // Whether positions are searched while they are shown. On a phone, that would empty the battery.
  searchesOn: kept("search") ? kept("search") === "on" : !matchMedia("(pointer: coarse)").matches,
  // Whether a press on the board plays or sets up: "play" or "setup".
  mode: "play",
  // Whether the best line is being played automatically.
  auto: null,
  // The tables of the source.
  tables: [],
  // The positions of the endings that were found last.
  endings: [],
  // The game whose slips are practised, and the positions before them.
  slips: null,
  // The review: the `first` and the `last` position of its game, the place that is looked at, or null when it is
  // over, the `next` place to look at then, what it has `told`, and by position the `better` line at each slip. Null if
  // there is none.
  review: null,
};

// Forgets what is known of the position.
export const forgetAnswer = (note) => Object.assign(state, UNKNOWN, { note });

// Forgets the position before.
export const forget = (note) => Object.assign(forgetAnswer(note), UNTOUCHED);

export const setMode = (mode) => Object.assign(state, { mode, chosen: null, carried: null });

// Whether the address has a game that is not shown yet.
export const isUnread = () => Boolean(state.fetching?.game || state.problem?.again);

// Ends the best play that goes on by itself.
export function stop() {
  clearTimeout(state.auto?.timer);
  state.auto = null;
}

// Whether the review is about the game that is shown.
export function isReviewed() {
  const { review } = state;
  const isLast = ({ position }) => position === review.last;
  return Boolean(review && !record.practice && game().line[0].position === review.first && record.entries.some(isLast));
}

// Whether the practice is from the position before a slip of a game, and the position before the next one, if any.
export const isOfSlip = () => Boolean(record.practice && state.slips?.positions.includes(record.entries[0].position));
export const slipAfter = () => isOfSlip() && state.slips.positions[state.slips.positions.indexOf(record.entries[0].position) + 1];

// The record with what the answer says about the game of practice.
export const practised = () => (record.practice && state.answer ? practice.withAnswer(record, state.answer) : record);

// Whether the tables can play from this position, or the search.
export function canPractise() {
  const { answer, legal, noPractice, searches } = state;
  return Boolean(answer && !noPractice && answer.dtw !== 0 && (legal ? searches : answer.line));
}

// Whether the position can be searched for more than is known.
const canSearch = () => Boolean(state.legal && state.searches && state.answer.dtw !== 0 && !state.answer.isSettled);

// Whether the position is to be searched: as long as it is in view and no review is under way; in practice for a reply,
// for what the user should reach, or for a hint.
export function needsSearch() {
  const { answer, hasThought, review, searchesOn } = state;
  if (!canSearch() || hasThought) return false;
  if (!record.practice) return searchesOn && !document.hidden && (review?.at ?? null) === null;
  const { ply, hinted } = record.practice;
  if (ply === 0 || hinted > 0) return true;
  // A reply that is forced is played at once, and then it is found out what the user's move before it was.
  if (!practice.isUsersTurn(record)) return answer.moves.length > 1;
  const { entries, at } = record;
  return Boolean(answer.wdl ?? worth(answer).wdl ?? (practice.isForced(record) && worth(entries[at - 2] ?? {}).wdl));
}

// Whether the search is thinking about its reply. The user can move while it looks at a position of the user's.
export const isThinking = () => Boolean(record.practice) && needsSearch() && !practice.isUsersTurn(record);

// Whether the game of practice is over.
export const hasEnded = () => Boolean(state.answer && record.practice && practice.endOf(practised(), state.answer));

// The moves that can be played now, in the order of the list.
export function listed() {
  const { answer } = state;
  if (!record.practice) return answer?.moves ?? [];
  if (!answer || hasEnded() || !practice.isUsersTurn(record)) return [];
  return practice.withoutValues(answer.moves);
}

export const movesFrom = (square) => listed().filter(({ move }) => squaresOf(move)[0] === square);

// The moves from a square that go by these squares, one after another, each with the `rest` of its landings. Those that
// go there without another landing between come before all others.
export function waysBy(from, squares) {
  let ways = movesFrom(from).map((move) => ({ move, rest: landingsOf(move.move).slice(1) }));
  for (const square of squares) {
    const straight = ways.filter(({ rest }) => rest[0] === square);
    if (straight.length) ways = straight;
    ways = ways.filter(({ rest }) => rest.includes(square)).map(({ move, rest }) => ({ move, rest: rest.slice(rest.indexOf(square) + 1) }));
  }
  return ways;
}

// The lines that are shown: the best one or, while nothing is proved, those that are expected after the two moves with the
// best estimates.
export function lines() {
  const { answer } = state;
  if (!answer || record.practice) return [];
  if (answer.line?.length || answer.wdl) return [answer.line ?? []];
  const open = answer.moves.filter((move) => move.wdl === null && move.estimated_line);
  return open.slice(0, 2).map((move) => [move, ...move.estimated_line].slice(0, MOST_EXPECTED));
}

// The first move of best play, as far as it is known.
export function nextMove() {
  const { answer } = state;
  if (!answer?.wdl || record.practice) return null;
  if (answer.isSearched) return answer.line[0] ?? null;
  return (hasDistances(answer) && answer.moves[0]) || null;
}
