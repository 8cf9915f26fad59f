// Practising against the tables or the search: beginning and end, replies, hints and moves taken back.

import { go } from "./asking.js";
import { play } from "./playing.js";
import * as practice from "./practice.js";
import { here, keep, position, record, withoutPractice } from "./record.js";
import { canPractise, hasEnded, needsSearch, practised, setMode, state, stop } from "./state.js";
import { announce, board, byId, forgetGoal, refuse, render } from "./view.js";

// How long the tables wait before they reply, in milliseconds.
const REPLY = 600;

// The timer of the reply that is under way.
let replying = null;

// Starts practice, or starts it again. The user plays this side.
export function practise(side = record.practice?.side) {
  if (!record.practice && !canPractise()) return refuse("Practice needs a position in the tables, with distances, or one that can be searched.");
  side ??= practice.sideFor(state.answer, position());
  stop();
  setMode("play");
  forgetGoal();
  // A new start is no new step in the history of the browser.
  const replace = Boolean(record.practice);
  go(practice.begin(record.practice ? record.entries[0].position : here().position, side), { replace });
  if (!replace) board.focus(board.at);
}

// Leaves practice, and goes on at the position reached.
export function leave() {
  if (record.practice) go(withoutPractice(), { replace: true });
}

// Lets the tables reply, or the search, when it is their turn.
export function reply() {
  const { answer } = state;
  if (!record.practice || !answer || needsSearch() || practice.isUsersTurn(record) || hasEnded()) return;
  const move = practice.replyOf(record, answer);
  dropReply();
  replying = setTimeout(() => play(move), REPLY);
}

// Takes back the reply that is under way.
export const dropReply = () => clearTimeout(replying);

export function takeBack() {
  if (!practice.canTakeBack(record)) return refuse("There is no move of yours to take back.");
  go(practice.withoutMove(practised()), { replace: true, note: "Taken back." });
}

export function hint() {
  // While an answer is awaited, the button does not know yet whose turn it is.
  if (!state.answer || needsSearch() || byId("hint").disabled) return refuse("There is no hint now.");
  keep(practice.withHint(record));
  state.note = "";
  render();
  announce();
}
