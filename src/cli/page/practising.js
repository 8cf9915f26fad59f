// Practising against the tables or the search: beginning and end, replies, hints and moves taken back.

import { go, settle, thinkAgain } from "./asking.js";
import { play } from "./playing.js";
import * as practice from "./practice.js";
import { face, here, keep, position, record, withoutPractice } from "./record.js";
import { keepSetting, kept } from "./settings.js";
import { canPractise, hasEnded, isThinking, practised, setMode, state, stop } from "./state.js";
import { board, byId, forgetGoal, refuse } from "./view.js";

// How long the tables wait before they reply, in milliseconds.
const REPLY = 600;

// The timer of the reply that is under way.
let replying = null;

// Starts practice, or starts it again. The user plays this side.
export function practise(side = record.practice?.side) {
  if (!record.practice && !canPractise()) return refuse(`Practice needs a position in the tables, with distances${state.searches ? ", or one that can be searched" : ""}.`);
  side ??= practice.sideFor(state.answer, position());
  stop();
  setMode("play");
  forgetGoal();
  const isNew = !record.practice;
  if (side !== record.practice?.side) face(side);
  // A game that the user has begun stays in the history of the browser.
  const replace = !isNew && !practice.canTakeBack(record);
  go(practice.begin(isNew ? here().position : record.entries[0].position, side), { replace });
  if (isNew) board.focus(board.at);
}

// Starts practice from a position that is not shown yet.
export function begin(position, side) {
  stop();
  setMode("play");
  face(side);
  go(practice.begin(position, side));
  board.focus(board.at);
}

// Leaves practice, and goes on at the position reached.
export function leave() {
  if (record.practice) go(withoutPractice(), { replace: true });
}

// Lets the tables reply, or the search, when it is their turn.
export function reply() {
  const { answer, legal } = state;
  if (!record.practice || !answer || isThinking() || practice.isUsersTurn(record) || hasEnded()) return;
  // The tables play their best.
  const { within } = practice.STRENGTHS[byId("strength").value];
  const move = practice.replyOf(record, answer, legal ? within : 0);
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
  if (!state.answer || byId("hint").disabled) return refuse("There is no hint now.");
  keep(practice.withHint(record));
  state.note = "";
  // An open position is searched first.
  settle();
}

// The user has chosen another strength of the search.
export function changeStrength() {
  keepSetting("strength", byId("strength").value);
  thinkAgain();
}

if (Object.hasOwn(practice.STRENGTHS, kept("strength"))) byId("strength").value = kept("strength");
