// Asks what is known of the position that is shown, and lets searches solve it.

import { parse, sideName } from "./position.js";
import * as practice from "./practice.js";
import { here, keep, position, record, withEntry, withoutPractice } from "./record.js";
import { Refused } from "./refused.js";
import * as source from "./source.js";
import { keepSetting } from "./settings.js";
import { canPractise, forget, forgetAnswer, hasEnded, isThinking, needsSearch, state, stop } from "./state.js";
import { answerFrom, learn, learnLine, remember } from "./values.js";
import { announce, board, byId, refuse, render, say } from "./view.js";
import { sentence, unknown } from "./words.js";

// A table that takes so many seconds at most is made without being asked for.
const AT_ONCE = 2;

// A search tells only at its end what it has found. So shorter ones come before one that takes as long as the source
// allows. They take so many seconds.
const SHORTER = [1, 8, 64];

// The positions whose tables the page has begun to make by itself. It does so once for each.
const begun = new Set();

// What other modules do when the user leaves a position, and when the answer about one has come or
// there is none.
export const hooks = { left() {}, answered() {}, failed() {} };

// What aborts the question that is under way.
let asking = new AbortController();

// Goes to an entry of the record, old or new, as a new step in the history of the browser. The `note` is announced
// before the answer. Returns whether it goes there.
export function go(next, { replace = false, animate = null, note = "" } = {}) {
  if (isLoading()) return false;
  keep(next, { isStep: !replace });
  arrive({ animate, note });
  return true;
}

// Whether a game is being loaded. Nothing else takes its place before it is there; then this says so.
export function isLoading() {
  if (state.fetching?.game) refuse("The game is still being loaded.");
  return Boolean(state.fetching?.game);
}

// Shows the current entry of the record, and asks for its value.
export function arrive({ animate = null, note = "" } = {}) {
  depart(note || moveMade());
  lookUp();
  if (animate) board.animate(animate);
}

// Which move has led to the position that is shown. In practice, the page tells that itself.
function moveMade() {
  const { move } = here();
  return move && !record.practice ? `${sideName(position().side === "w" ? "b" : "w")} has played ${move}.` : "";
}

// Gives up what is under way about the position that is shown, and what is known of it.
export function depart(note = "") {
  state.searching?.controller.abort();
  hooks.left();
  forget(note);
}

// A signal for a new question. The one before is given up.
export function newQuestion(fetching = null) {
  asking.abort();
  asking = new AbortController();
  Object.assign(state, { isAsking: true, fetching });
  render();
  return asking.signal;
}

// Shows how much has come of what the answer waits for.
export function showFetching(line) {
  state.fetching = { ...state.fetching, ...line };
  render();
}

// Looks the position up. A table of the material `allowed` may be fetched, however large it is.
export async function lookUp(allowed = null) {
  if (isLoading()) return;
  if (state.problem?.again) return state.problem.again();
  const signal = newQuestion();
  const text = here().position;
  if (position().columns.size === 0 && parse(text)) {
    return fail({ none: "An empty board", detail: "Choose Set up, and put counters on the board." });
  }
  try {
    const answer = await source.known(text, signal, (line) => signal.aborted || showFetching(line), allowed);
    if (signal.aborted) return;
    // The position may have been given in another form.
    if (answer.position !== text) keep(withEntry({ position: answer.position }));
    Object.assign(state, { answer, legal: answer.missing ? answer : null });
    takeFound();
    settle();
    if (answer.missing?.reason === "not_covered" && answer.missing.material) offerTable(answer, signal);
  } catch (error) {
    if (!signal.aborted) fail(problemOf(error));
  }
}

// Offers to make the table that would answer, or makes it at once.
async function offerTable(answer, signal) {
  const plan = await source.planFor(answer, signal).catch(() => null);
  if (!plan || signal.aborted) return;
  state.plan = plan;
  const isNow = plan.seconds <= AT_ONCE && !state.searching?.exact && !record.practice && !begun.has(answer.position);
  if (!isNow) return refresh(answer.position);
  begun.add(answer.position);
  makeTable();
}

// Makes the table that answers the position that is shown, and looks it up again. Another question stops that.
export async function makeTable() {
  const { plan } = state;
  state.searching?.controller.abort();
  state.searching = null;
  const signal = newQuestion({ making: plan.material, done: 0 });
  try {
    await source.make({ position: here().position, plan, signal, progress: (line) => signal.aborted || showFetching(line) });
    if (signal.aborted) return;
    hooks.left();
    // A column that is chosen meanwhile stays chosen.
    forgetAnswer(state.note);
    lookUp();
  } catch (error) {
    if (signal.aborted) return;
    // To try again is to look it up again, and that offers to make it.
    state.plan = null;
    fail({ ...problemOf(error), retry: true });
  }
}

// Looks up, or searches, again what has had no answer. The table that the user has declined before is fetched now.
export function retry() {
  state.hasThought = false;
  lookUp(state.problem?.declined);
}

function problemOf(error) {
  if (!(error instanceof Refused)) throw error;
  const detail = sentence(error.message);
  if (error.reason === "too_many_moves") return { none: "Value unknown", detail };
  if (error.reason !== "not_a_position") return { none: "No answer", detail, retry: true };
  // What is wrong with a text that was read stays.
  state.complaint ||= detail;
  return { none: "Not a position", detail: "The text of the position cannot be read." };
}

// Shows why there is no answer. Where there is nothing to retry, there is no practice either.
export function fail(problem) {
  if (!problem.retry) endPractice("");
  Object.assign(state, { problem, isAsking: false, fetching: null });
  render();
  announce();
  hooks.failed();
}

// Takes over what is known of the position, with what searches have found.
function takeFound() {
  const { legal } = state;
  if (legal) state.answer = answerFrom(legal);
  learn(state.answer);
  if (record.practice && practice.isForced(record)) learnLine([record.entries[record.at - 1]], state.answer.wdl);
  Object.assign(state, { problem: unsolved(), isAsking: false, fetching: null });
}

// What to say about a position that neither the tables nor a search has solved.
function unsolved() {
  const { answer, legal } = state;
  if (!legal || record.practice || answer.wdl !== undefined) return null;
  const { reason, material } = legal.missing;
  const declined = reason === "declined" ? material : null;
  // What could not be fetched may be there when it is asked for again.
  return { none: "Value unknown", detail: unknown(legal.missing, position(), state.searches), retry: declined || reason === "unreachable", declined };
}

// Shows the answer, once there is all that it needs: practice outside the tables may need a search.
export function settle() {
  think();
  if (isThinking()) return render();
  if (record.practice?.ply === 0 && !canPractise()) endPractice(state.answer.dtw === 0 ? "There is nothing to practise." : "Practice needs a table with distances.");
  render();
  announce();
  hooks.answered();
}

function endPractice(why) {
  state.noPractice = why;
  if (record.practice) keep(withoutPractice());
}

// Searches the position, if it is to be searched, and neither a search nor a question is under way.
export function think() {
  if (needsSearch() && !state.searching && !state.isAsking) solve(false);
}

// Ends the search that is under way, if it is not one of practice.
export function rest() {
  if (!record.practice) state.searching?.controller.abort();
}

// Switches on or off whether positions are searched while they are shown.
export function switchSearch(isOn) {
  state.searchesOn = isOn;
  keepSetting("search", isOn ? "on" : "off");
  say(`Search is ${isOn ? "on" : "off"}.`);
  state.hasThought = false;
  if (isOn) think();
  else rest();
}

// Finds the exact distance by search, or ends that.
export function findDistance() {
  const isUnderWay = state.searching?.exact;
  rest();
  state.searching = null;
  if (isUnderWay) think();
  else solve(true);
}

// Shows what has been found about a position elsewhere.
export function refresh(text) {
  const isHere = here().position === text && state.legal && !state.searching && !record.practice;
  if (isHere) takeFound();
  render();
  if (isHere) announce();
}

// The strength of the search has changed: it thinks again about the reply that is due.
export function thinkAgain() {
  if (!record.practice || !state.legal || practice.isUsersTurn(record) || hasEnded()) return;
  state.searching?.controller.abort();
  hooks.left();
  Object.assign(state, { searching: null, hasThought: false });
  settle();
}

// Solves the position by search, and rates its moves.
async function solve(exact) {
  const mine = { controller: new AbortController(), line: null, exact };
  const { signal } = mine.controller;
  state.searching = mine;
  const progress = (line) => {
    mine.line = line;
    render();
  };
  render();
  if (isThinking()) {
    state.said = here().move ? `You have played ${here().move}.` : "";
    say(`${state.said} ${sideName(position().side)} is thinking.`.trim());
  }
  let [refused, canPass, isFull] = [null, false, false];
  try {
    const times = record.practice ? [practice.STRENGTHS[byId("strength").value].seconds] : [...(exact ? [] : SHORTER), undefined];
    for (const seconds of times) {
      const solved = await source.solve(here().position, { exact, seconds, signal, progress });
      remember(solved);
      isFull = solved.stop === "memory";
      if (solved.stop !== "time" || solved.isLongest || record.practice) break;
      const wasKnown = Boolean(state.answer.wdl);
      takeFound();
      render();
      if (!wasKnown && state.answer.wdl) announce();
    }
  } catch (error) {
    if (!signal.aborted) [refused, canPass] = [sentence(error.message), ["unreachable", "busy"].includes(error.reason)];
  }
  // Another position is shown now.
  if (state.searching !== mine) return;
  const hasThought = record.practice ? !canPass : !signal.aborted;
  Object.assign(state, { searching: null, hasThought, isFull });
  if (record.practice && canPass) return fail({ none: "No answer", detail: refused, retry: true });
  if (record.practice && refused) endPractice(refused);
  takeFound();
  if (refused && !state.noPractice) state.problem = { none: "No answer", detail: refused, retry: true };
  if (record.practice || !signal.aborted) return settle();
  // Nothing new is to be announced.
  think();
  render();
}
