// What the page shows: the board, the answer, the lists of moves, and what screen readers read.

import { Board, svg } from "./board.js";
import { file, studyOf } from "./file.js";
import * as games from "./game.js";
import { fill, lineItems, make, moveItems, numberedItems, unbroken } from "./lists.js";
import { inWords, parse, sideName, squaresOf } from "./position.js";
import * as practice from "./practice.js";
import { game, here, isFlipped, linesAfter, position, record, steps, variation } from "./record.js";
import { canPractise, hasEnded, isOfSlip, isReviewed, isThinking, isUnread, lines, listed, needsSearch, nextMove, practised, slipAfter, state, waysBy } from "./state.js";
import { detail, offerOf, progressOf, signed, stranded, verdict } from "./words.js";

export const byId = (id) => document.getElementById(id);

export const board = new Board(byId("board"), { look });

// What was said last, and the goal in practice that was.
let said = "";
let saidGoal = "";
// The greatest height that the list of moves has had in this practice.
let tallest = 0;
// The text of the position that its field was given last.
let written = null;
// What was said last to be wrong with a text.
let complained = "";
// The move of the record that was scrolled to, and the height that the record had then.
let shownMove = [];

// Says a text to those who hear the page.
export function say(text) {
  // A screen reader does not read the same text twice, so make it differ.
  said = text === said ? `${text}\u00a0` : text;
  byId("live").textContent = said;
}

// Says why something cannot be done.
export function refuse(why) {
  byId("inspector").textContent = why;
  byId("inspector").classList.toggle("refused", Boolean(why));
  if (why) say(why);
}

// Makes the next goal in practice an announcement, even if it is the one before.
export function forgetGoal() {
  saidGoal = "";
}

// Writes a text, unless it is there already.
function write(id, text) {
  if (byId(id).textContent !== text) byId(id).replaceChildren(...unbroken(text));
}

// Draws everything from the record and the state.
export function render() {
  const focused = document.activeElement;
  const list = focused.closest("ol");
  const hasKeys = focused.matches(":focus-visible");
  document.body.classList.toggle("practising", Boolean(record.practice));
  document.body.classList.toggle("ended", hasEnded());
  document.body.classList.toggle("unsearched", !state.searches);
  drawPosition();
  drawBoard();
  drawBalance();
  drawRecord();
  drawReview();
  drawAnswer();
  const { complaint } = state;
  if (complaint && complaint !== complained && byId("position-form").contains(focused)) {
    for (const id of ["position-error", "position"]) byId(id).scrollIntoView({ block: "nearest" });
  }
  complained = complaint;
  if (focused.disabled || !focused.checkVisibility()) keepFocus(hasKeys ? list : null, hasKeys);
}

// Who has used a button that is gone now, or of no use, can go on with the keys: in its list, or else on the board.
function keepFocus(list, hasKeys) {
  const next = [...(list?.querySelectorAll("button:enabled") ?? [])].find((button) => button.checkVisibility());
  if (next) next.focus();
  else board.focus(board.at, { preventScroll: !hasKeys });
}

// Gives the field of the position as many lines as its text has.
export function fitField() {
  const field = byId("position");
  field.rows = Math.min(field.value.split("\n").length, 6);
}

// Writes the position that is shown into its field, in place of what was typed.
export function writeField() {
  byId("position").value = written = here().position;
}

// The field of the position, what is set up, and the studies of the file.
function drawPosition() {
  const { complaint, mode } = state;
  if (written !== here().position) writeField();
  fitField();
  write("position-error", complaint);
  for (const input of document.getElementsByName("side")) input.checked = input.value === position().side;
  for (const input of document.getElementsByName("mode")) input.checked = input.value === mode;
  byId("tools").hidden = mode !== "setup";
  document.body.classList.toggle("setup", mode === "setup");
  // Another game than those of the file may be shown now.
  const [first] = game().line;
  byId("choice").hidden = file.studies.length < 2 || !studyOf(first);
  fill(byId("studies"), file.studies.map(({ title, line }, i) => make("option", { value: i }, title ?? `Line ${line}`)));
  byId("studies").value = first.study?.at;
}

function drawBoard() {
  const { carried, chosen, mode, passed } = state;
  const moves = new Map();
  for (const { move } of mode === "play" ? listed() : []) {
    const from = squaresOf(move)[0];
    moves.set(from, (moves.get(from) ?? 0) + 1);
  }
  board.flip(isFlipped);
  byId("flip").setAttribute("aria-pressed", String(isFlipped));
  board.show({
    columns: position().columns,
    chosen: chosen ?? carried,
    targets: chosen ? waysBy(chosen, passed).flatMap(({ rest }) => rest) : [],
    last: here().move ? [squaresOf(here().move)[0], squaresOf(here().move).at(-1)] : [],
    moves,
  });
  drawPath();
}

// Draws the path of the move that is pointed at, or else of the one that was hinted at or begun.
function drawPath() {
  const { answer, chosen, passed, pointed } = state;
  const hinted = record.practice?.hinted === 2 && answer && !needsSearch() ? practice.bestMove(answer).move : null;
  const [begun] = chosen && passed.length ? waysBy(chosen, passed) : [];
  // The squares that are left are landings, each with the jumped square before it.
  const path = begun && squaresOf(begun.move.move).slice(0, -2 * begun.rest.length).join("-");
  board.showPath(pointed ?? path ?? hinted);
}

// A move of the list is pointed at, or none.
export function point(move) {
  state.pointed = move;
  drawPath();
}

// What the page shows of a square that is pointed at.
function look(square) {
  const counters = square && position().columns.get(square);
  const inspector = byId("inspector");
  inspector.textContent = counters ? `${square} ${counters}: ${inWords(counters)}` : "";
  inspector.classList.remove("refused");
  // The pointer is on the board, so what has no room below is shown there.
  const isCut = inspector.scrollHeight > inspector.clientHeight;
  byId("board").title = isCut ? inspector.textContent : "";
}

// What stands about an entry: its comments, and what is wrong with what is claimed of it.
const wordsOf = ({ comments = [] }, ...refutations) => [
  ...refutations.filter(Boolean).map((why) => make("span", { class: "refuted" }, why)),
  ...comments.map((comment) => make("span", { class: "comment" }, comment)),
];

// The moves of the game with their variations and with what is written about them. In practice, the marks are shown when
// it has ended.
function drawRecord() {
  const { places, line } = game();
  const [first] = line;
  const lines = linesAfter(record.entries, places[0]);
  const areMarked = !record.practice || hasEnded();
  const words = ({ entry, before }) => [
    ...(entry.result ? [make("b", {}, entry.result)] : []),
    ...wordsOf(entry, ...(areMarked ? [games.markRefutation(before, entry), games.refutationOf(entry, entry.result)] : [])),
  ];
  const items = lineItems(lines, games.pliesBefore(first), words, ({ place, entry, before }) => {
    const slip = areMarked && games.slipBetween(before, entry);
    const attributes = {
      ...(place === record.at && { "aria-current": "step" }),
      ...(record.practice && !hasEnded() && { disabled: "" }),
      ...(slip && { class: "slip", title: `From a ${slip.from} to a ${slip.to}` }),
    };
    const mark = areMarked && games.markOf(before, entry);
    return make("button", { type: "button", "data-place": place, "data-move": entry.move, ...attributes }, entry.move + (mark || ""));
  });
  fill(byId("record"), items);
  write("game-title", first.title ?? "Game");
  const refutation = areMarked && games.refutationOf(first, first.verdict);
  const claim = first.verdict && !refutation ? [make("span", {}, `The claim: ${games.claimInWords(first.verdict)}.`)] : [];
  const foreword = [...claim, ...wordsOf(first, refutation)].flatMap((part) => [part, " "]);
  fill(byId("foreword"), foreword.length ? [make("span", {}, ...foreword)] : []);
  document.body.classList.toggle("titled", Boolean(first.title || byId("foreword").textContent));
  drawWords();
  byId("no-moves").hidden = items.length > 0;
  showCurrent();
  const { back, forward } = steps();
  byId("first").disabled = byId("back").disabled = back === undefined;
  byId("last").disabled = byId("forward").disabled = forward === undefined;
  byId("variations").hidden = Boolean(record.practice) || items.length === 0;
  byId("make-main").hidden = byId("remove").hidden = !lines.some(({ others }) => others.length);
  byId("make-main").disabled = byId("remove").disabled = variation() === undefined;
  byId("remove-move").disabled = !here().move;
}

// The fields for what is written about the position that is shown.
function drawWords() {
  const { comments = [], mark = "", move } = here();
  const text = comments.join("\n");
  byId("words").hidden = Boolean(record.practice);
  write("words-on", move ? `Comment and mark on ${move}` : "Comment on this position");
  // What is being typed stays.
  if (byId("comment").value.trim() !== text) byId("comment").value = text;
  byId("mark").value = mark;
  byId("mark").disabled = !move;
  byId("comment").disabled = isUnread();
}

// Scrolls the list of moves, which may be long, to the move that has led to the position shown.
function showCurrent() {
  const list = byId("record");
  const current = list.querySelector("[aria-current]");
  if (current === shownMove[0] && list.clientHeight === shownMove[1]) return;
  shownMove = [current, list.clientHeight];
  const [{ top, bottom }, frame] = [current ?? list, list].map((element) => element.getBoundingClientRect());
  if (!current) list.scrollTop = 0;
  else if (top < frame.top || bottom > frame.bottom) list.scrollTop += top - frame.top - list.clientHeight / 2;
}

// A block of the bar of results: an outline for an estimate, towards the side that it is for.
function block(entry, isCurrent) {
  const winner = games.winnerOf(entry);
  const estimate = games.estimateFor(entry);
  const size = Math.max(4, Math.abs(estimate) / 2);
  const guess = () => svg("rect", { class: estimate < 0 ? "b" : "w", width: 1, y: estimate < 0 ? 50 : 50 - size, height: size });
  const picture = estimate === null ? [] : [svg("svg", { viewBox: "0 0 1 100", preserveAspectRatio: "none" }, guess())];
  return make("i", { class: `${winner ?? "open"}${isCurrent ? " current" : ""}` }, ...picture);
}

// Who is winning, in words.
function inShort(entry) {
  const estimate = games.estimateFor(entry);
  const open = estimate === null ? "open" : `open, estimate for White ${signed(estimate)}`;
  return { w: "White wins", b: "Black wins", draw: "drawn" }[games.winnerOf(entry)] ?? open;
}

// The bar beside the board, with White's share. In practice, it would tell too much.
function drawBalance() {
  const bar = byId("balance");
  const isTold = !record.practice || hasEnded();
  const entry = isTold ? here() : { position: "", wdl: null };
  const winner = games.winnerOf(entry);
  const estimate = games.estimateFor(entry);
  const share = { w: 100, b: 0, draw: 50 }[winner] ?? 50 + (estimate ?? 0) / 2;
  bar.className = `${winner ? "proved" : estimate === null ? "open" : "estimate"}${isFlipped ? " flipped" : ""}`;
  bar.setAttribute("aria-label", isTold ? `Who is winning: ${inShort(entry)}` : "Who is winning: not shown in practice");
  bar.title = isTold ? inShort(entry) : "";
  bar.firstElementChild.style.height = `${share}%`;
}

// The review with its bar of results, and its slips.
function drawReview() {
  const { line, places, at } = game();
  const { review } = state;
  byId("review").hidden = Boolean(record.practice) || line.length < 2;
  write("review-start", review && review.at !== null ? "Stop the review" : "Review the game");
  byId("reviewed").hidden = !isReviewed();
  document.body.classList.toggle("reviewed", isReviewed());
  const canGoOn = isReviewed() && review.at === null && review.next >= 0 && line.at(-1).position === review.last;
  byId("review-on").hidden = !canGoOn;
  if (!isReviewed()) return;
  write("review-told", review.told);
  const bar = byId("results");
  fill(bar, line.map((entry, i) => block(entry, i === at)));
  bar.setAttribute("aria-valuemax", line.length - 1);
  bar.setAttribute("aria-valuenow", at);
  bar.setAttribute("aria-valuetext", `${games.placeOf(line, at)}: ${inShort(line[at])}`);
  const slips = games.slipsIn(line);
  // The place of a slip is the position before it.
  const items = slips.map(({ at: after, move, change }) => {
    const about = { type: "button", "data-move": move, "data-place": places[after - 1] };
    const shown = after === at + 1 && { "aria-current": "true" };
    const finder = make("button", { ...about, "data-find": line[after - 1].position, "aria-label": `Find the better move in place of ${move}` }, "Better move");
    return make("li", {}, make("button", { ...about, ...shown, title: change }, move), finder);
  });
  fill(byId("slips"), items);
  byId("slips").hidden = byId("better").hidden = review.next < 0 && slips.length === 0;
  const slip = slips.find((slip) => slip.at === at + 1) ?? slips.find((slip) => slip.at === at);
  write("better", slip ? games.correctionOf(line, slip, review.better.get(line[slip.at - 1].position)) : "");
}

// The answer, or why there is none, with the moves. Until one of both is there, what was known of the position before
// stays.
function drawAnswer() {
  const { answer, auto, fetching, isAsking, problem, searching } = state;
  const box = byId("verdict");
  box.classList.toggle("busy", isAsking && !fetching?.fetching && !fetching?.making);
  write("auto", auto ? "Stop" : "Play the best line");
  const isOpen = !problem && (!answer || (searching && !record.practice) || isThinking());
  byId("practice").setAttribute("aria-busy", String(isOpen));
  if (fetching) {
    box.classList.remove("win", "draw", "loss");
    box.classList.add("none");
    write("value", fetching.game ? "Loading the game…" : fetching.making ? "Making the table…" : "Fetching…");
    write("detail", fetching.fetching || fetching.making ? progressOf(fetching) : "");
    if (fetching.making) byId("make").hidden = true;
  }
  if (!answer && (fetching || !problem)) return;
  if (!fetching) {
    byId("practice").hidden = !record.practice || Boolean(problem);
    box.hidden = !byId("practice").hidden;
    if (box.hidden) drawPractice();
    else drawVerdict();
  }
  // A move can be made while a table is made.
  drawMoves();
  drawBestLine();
}

// What the last move has given away, and the better move. The review tells it too.
function slipHere() {
  const { line, at } = game();
  const slip = !record.practice && !isReviewed() && games.slipsIn(line).find((slip) => slip.at === at);
  return slip && games.correctionOf(line, slip);
}

function drawVerdict() {
  const { answer, isFull, legal, noPractice, plan, problem, searches, searching, searchesOn } = state;
  const { wdl, dtw, isSearched } = answer ?? {};
  const isNew = searching && !isSearched;
  const none = isNew ? "Searching…" : problem?.none;
  byId("verdict").className = `verdict ${(!none && wdl) || "none"}`;
  write("value", none ?? verdict(answer, position(), games.estimateFor(here())));
  const isOfSearch = isNew || searching?.exact || searching?.line?.searching === "place";
  // While a position is open, it is told how much the search under way has done.
  const shown = wdl === null ? { ...answer, ...searching?.line } : answer;
  const why = isOfSearch ? searching.line && progressOf(searching.line) : (problem?.detail ?? detail(shown, position()));
  write("detail", [slipHere(), why, isFull && "The memory of the search is full.", stranded(position()), noPractice].filter(Boolean).join(" "));
  byId("retry").hidden = Boolean(searching) || !problem?.retry;
  write("retry", problem?.declined ? "Fetch the table" : "Try again");
  byId("make").hidden = !plan;
  if (plan) write("make", offerOf(plan));
  // Who practises sees this when there is no answer.
  byId("practise").hidden = !record.practice && !canPractise();
  write("practise", record.practice ? "Leave practice" : `Practise against the ${legal ? "search" : "tables"}`);
  byId("search").checked = searchesOn;
  byId("search").closest("label").hidden = Boolean(answer) && !legal;
  byId("exact").hidden = !legal || !searches || dtw !== null || (wdl !== "win" && wdl !== "loss");
  write("exact", searching?.exact ? "Stop" : "Find the exact distance");
  document.title = none ? "Lasca endgames" : `${verdict(answer, position())} – ${here().position} – Lasca endgames`;
}

// How practice goes.
function drawPractice() {
  const { answer, legal, note } = state;
  const isUsersTurn = practice.isUsersTurn(record);
  byId("limits").hidden = !legal;
  const now = practised();
  const end = practice.endOf(now, answer);
  const slip = practice.slipIn(now);
  const { move } = here();
  const opponent = sideName(practice.otherSide(record.practice.side));
  const hinted = record.practice.hinted > 0 && (needsSearch() ? "Looking for a hint…" : practice.hintIn(now, answer));
  const told = [note, slip, end || slip ? null : practice.proofIn(now, answer)];
  if (end) told.push(practice.judgementOf(now, end), games.slipsOf(game().line));
  else if (isUsersTurn) told.push(move && `${opponent} has played ${move}.`, practice.reminderIn(now, answer), "Your move.", hinted);
  else if (isThinking()) told.push(`${opponent} is thinking…`);
  else told.push(`${opponent} replies.`);
  if (!end) told.push(practice.drawEndsIn(now, answer));
  byId("practice").className = `verdict ${end === "won" ? "win" : slip || end === "lost" ? "loss" : "none"}`;
  const goal = end ? practice.scoreOf(now, end, answer) : practice.goalOf(now, answer);
  // While the search is thinking, what the user should reach stays as it was told.
  if (end || !isThinking() || now.practice.ply === 0 || !byId("goal").textContent) write("goal", goal);
  write("told", told.filter(Boolean).join(" "));
  write("tally", end ? "Leave practice to see the value of each move." : practice.tallyOf(now, answer));
  byId("take-back").classList.toggle("main", Boolean(slip));
  byId("take-back").disabled = !practice.canTakeBack(record);
  byId("hint").disabled = Boolean(end) || !isUsersTurn;
  byId("next-slip").hidden = !slipAfter();
  byId("back-to-review").hidden = !isOfSlip();
  byId("next-ending").hidden = !state.endings.includes(record.entries[0].position);
  write("other-side", `Play ${opponent}`);
  document.title = `Practice – ${here().position} – Lasca endgames`;
}

function drawMoves() {
  const { answer, auto, candidates } = state;
  fill(byId("moves"), moveItems(listed(), here().only, position().side, candidates));
  const isRated = (answer?.isRated && !record.practice) || (nextMove() && !answer.isSearched);
  const areGuesses = !answer?.wdl && answer?.moves.some(({ estimate }) => estimate !== undefined);
  const head = !isRated ? "Moves" : areGuesses ? "Moves, best estimates first" : "Moves, best first";
  write("moves-head", answer?.moves.length === 0 ? "No moves" : head);
  byId("moves-head").hidden = !answer || hasEnded();
  byId("moves-head").style.visibility = record.practice && listed().length === 0 ? "hidden" : "";
  // Until a game of practice is over, nothing below the list moves when it is empty for a while.
  const [goesOn, height] = [record.practice && !hasEnded(), byId("moves").offsetHeight];
  tallest = goesOn ? Math.max(tallest, height) : 0;
  byId("moves").style.marginBottom = goesOn ? `${tallest - height}px` : "";
  byId("auto").disabled = !auto && !nextMove();
}

function drawBestLine() {
  const { answer } = state;
  const [moves = [], second = []] = lines();
  byId("best").hidden = moves.length === 0;
  const isGuess = moves.length > 0 && !answer.line?.length;
  write("best-head", isGuess ? "Best lines, guesses of the search" : "Best line");
  const { at, line: shown } = game();
  const [items, others] = [moves, second].map((line, number) =>
    numberedItems(line, games.pliesBefore(shown[0]) + at, ({ move, position }, i) =>
      make("button", { type: "button", "data-line": number, "data-count": i + 1, "data-move": move, "data-position": position }, move),
    ),
  );
  fill(byId("second-line"), others);
  const ends = { "white wins": "White has won", "black wins": "Black has won", repetition: "The position is repeated: drawn" };
  // A repetition proves nothing while the position is open.
  const isEnd = moves.length && !isGuess && answer.line_end && (answer.line_end !== "repetition" || answer.wdl === "draw");
  if (isEnd) items.push(make("li", { class: "end" }, ends[answer.line_end]));
  fill(byId("best-line"), items);
}

// Says what the page shows of an answer that has come.
export function announce() {
  const { answer, note, problem } = state;
  if (record.practice && !problem) return announcePractice();
  forgetGoal();
  const words = [note, byId("value").textContent, byId("detail").textContent];
  const best = nextMove();
  if (best && !problem) words.push(`Best: ${best.move}.`);
  say(words.filter(Boolean).join(". ").replaceAll("..", "."));
}

// A screen reader reads the moves; the goal is read when it is new.
function announcePractice() {
  const goal = byId("goal").textContent;
  const isTold = hasEnded() || practice.isUsersTurn(record) || practice.slipIn(practised());
  const told = isTold ? byId("told").textContent : here().move ? `You have played ${here().move}.` : "";
  const isNewGoal = isTold && goal !== saidGoal;
  // It may be shown anew when a search has ended.
  if (!told || (!isNewGoal && told === state.said)) return;
  say([isNewGoal && goal, told !== state.said && told].filter(Boolean).join(". "));
  if (isTold) saidGoal = goal;
  state.said = told;
}
