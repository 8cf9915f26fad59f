// Asks what is known of the position that is shown, and lets searches solve it.

import * as games from "./game.js";
import { parse, sideName } from "./position.js";
import { playOn, stop } from "./playing.js";
import { dropReply, endPractice, reply, startPractice } from "./practising.js";
import { here, position, record, rewrite } from "./record.js";
import { Refused } from "./refused.js";
import { answerFrom, remember } from "./search.js";
import * as source from "./source.js";
import { forget, needsSearch, state } from "./state.js";
import { board, byId, complain, say, showAnswer, showBoard, showFetching, showMarks, showPosition, showRecord, showSearch } from "./view.js";
import { sentence } from "./words.js";

// What aborts the question that is under way.
let asking = new AbortController();

// Shows the current entry of the record, and asks for its value.
export function arrive(animate = null) {
  state.searching?.controller.abort();
  dropReply();
  forget();
  document.body.classList.toggle("practising", Boolean(record.practice));
  byId("practice").setAttribute("aria-busy", "true");
  complain("");
  board.showPath(null);
  showPosition();
  showBoard();
  showRecord();
  if (animate) board.animate(animate);
  lookUp();
}

// A signal for a new question. The one before is given up.
export function newQuestion() {
  asking.abort();
  asking = new AbortController();
  byId("verdict").classList.add("busy");
  return asking.signal;
}

export async function lookUp() {
  const signal = newQuestion();
  const text = here().position;
  if (position().columns.size === 0 && parse(text)) {
    endPractice("");
    showAnswer({ none: "An empty board", detail: "Choose Set up, and put counters on the board." });
    return;
  }
  try {
    const answer = await source.known(text, signal, showFetching);
    if (signal.aborted) return;
    // The position may have been given in another form.
    if (rewrite({ ...here(), position: answer.position })) showPosition();
    state.answer = answer;
    if (answer.missing) {
      state.legal = answer;
      takeFound();
    }
    showStored();
    reply();
  } catch (error) {
    if (!signal.aborted) showFailure(error);
  }
}

function showFailure(error) {
  if (!(error instanceof Refused)) throw error;
  if (error.reason === "not_a_position") {
    complain(sentence(error.message));
    endPractice("");
    showAnswer({ none: "Not a position", detail: "The text of the position cannot be read." });
  } else if (error.reason === "too_many_moves") {
    showAnswer({ none: "Value unknown", detail: sentence(error.message) });
  } else {
    showAnswer({ none: "No answer", detail: sentence(error.message), retry: true });
  }
}

// Shows the answer, once there is all that it needs: practice outside the tables may need a search.
function showStored() {
  rewrite(games.rated(here(), state.answer));
  if (needsSearch()) return solve(false);
  startPractice();
  showBoard();
  showRecord();
  showAnswer(unsolved());
  playOn();
}

// What to say about a position that neither the tables nor a search has solved.
function unsolved() {
  const { answer, legal } = state;
  if (!legal || record.practice || answer.wdl !== undefined) return {};
  const { error, reason } = legal.missing;
  // What could not be fetched may be there when it is asked for again.
  return { none: "Value unknown", detail: `${sideName(position().side)} to move. ${sentence(error)}`, retry: reason === "unreachable" };
}

// Takes over what searches have found about the position.
function takeFound() {
  state.answer = answerFrom(state.legal, position());
}

// Shows what has been found about a position elsewhere, if it is the one that is shown.
export function refresh(position) {
  showMarks();
  if (here().position !== position || !state.legal || state.searching || record.practice) return;
  takeFound();
  showAnswer(unsolved());
}

// Solves the position by search, or stops the search under way.
export async function solve(exact) {
  if (state.searching) return state.searching.controller.abort();
  if (!state.legal) return;
  stop();
  const mine = { controller: new AbortController(), line: null };
  const { signal } = mine.controller;
  state.searching = mine;
  const progress = (line) => {
    if (state.searching !== mine) return;
    mine.line = line;
    if (line.so_far) remember(line.so_far);
    takeFound();
    showSearch();
  };
  showSearch();
  if (!record.practice) say("Searching.");
  let refused = null;
  try {
    const seconds = record.practice ? Number(byId("strength").value) : undefined;
    remember(await source.solve(here().position, { exact, seconds, signal, progress }));
  } catch (error) {
    if (!signal.aborted) refused = sentence(error.message);
  }
  // Another position is shown now.
  if (state.searching !== mine) return;
  state.searching = null;
  takeFound();
  if (record.practice) {
    state.hasThought = true;
    if (refused) endPractice(refused);
    showStored();
    return reply();
  }
  rewrite(games.rated(here(), state.answer));
  showBoard();
  showMarks();
  if (refused) showAnswer({ none: "No answer", detail: refused });
  else if (signal.aborted && !state.answer.isSearched) showAnswer({ none: "Open", detail: "The search was stopped before anything was proved." });
  else showAnswer(unsolved());
}
