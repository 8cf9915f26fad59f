// Playing: moves, steps back and forward, best play that goes on by itself, and games that are read.

import { arrive, depart, fail, go, newQuestion, showFetching } from "./asking.js";
import { file, open } from "./file.js";
import { fromStudy } from "./game.js";
import * as practice from "./practice.js";
import { atEnd, atStart, here, position, record, steps, withEntries, withPlace } from "./record.js";
import { Refused } from "./refused.js";
import * as source from "./source.js";
import { hasEnded, isThinking, lines, nextMove, practised, state, stop } from "./state.js";
import { learn, learnLine } from "./values.js";
import { byId, refuse, render, say, writeField } from "./view.js";
import { sentence } from "./words.js";

// How long each position is shown while the best line is played automatically, in milliseconds.
const PACE = 1000;

// Goes to another place of the record. Who steps through a game of practice that is over leaves practice.
export function goTo(at) {
  stop();
  if ((record.practice && !hasEnded()) || at === undefined || at === record.at) return;
  const animate = at === steps().forward ? record.entries[at].move : null;
  go(withPlace(at), { animate });
}

// Goes to a record with other lines, and says what has changed.
export function changeLines(next, note) {
  stop();
  go(next, { note });
}

// Goes to a position that is given.
export function goToPosition(position) {
  stop();
  go(withEntries({ position, move: null }));
}

// Goes to what a text has: a position, whose side to move is the one of the board if it has none, or a game. A game has
// numbers of moves, moves, or more than one line. If it begins with a move, its first position is that of the board.
export function goToText(text) {
  if (/^(\d+\s*\.|[a-g]\d\s*[-\u2010-\u2015\u2212x×:])/.test(text)) return readMoves(text);
  if (/\n|\d\s*\.|[a-g]\d\s*[-\u2010-\u2015\u2212x×:]/.test(text)) return read(text);
  const hasNoSide = /^(\S*\/\S*|([a-g]\d[WBwb]+[\s,]*)+)$/.test(text);
  goToPosition(hasNoSide ? `${text} ${position().side}` : text);
}

export function play({ move, position }, options = {}) {
  if (record.practice) {
    const rated = state.answer.moves.find((other) => other.move === move);
    go(practice.withMove(practised(), rated, state.answer), { replace: true, animate: move });
  } else {
    go(withEntries({ position, move }), { ...options, animate: move });
  }
}

// Plays a move that the user has chosen.
export function choose(move) {
  stop();
  if (isAnswered() && move) play(move);
}

// Plays so many moves of a line that is shown.
export function playLine(number, count) {
  stop();
  if (!isAnswered()) return;
  const line = lines()[number].slice(0, count);
  if (state.answer.wdl) learnLine(line, state.answer.wdl);
  go(withEntries(...line.map(({ move, position }) => ({ position, move }))));
}

// Whether the moves that are shown are those of the position. Until the answer about it arrives, they are
// still those of the position before; then this says so.
export function isAnswered() {
  const isKnown = Boolean(state.answer) && !isThinking();
  if (!isKnown) refuse("The moves of this position are not known yet.");
  return isKnown;
}

export function toggleAuto() {
  if (state.auto) return stop();
  state.auto = { timer: null, passed: new Set([here().position]), isFirst: true };
  playOn();
}

// Waits for a while after the answer has arrived, and then plays the best move.
export function playOn() {
  const { auto, answer } = state;
  if (!auto || !answer) return;
  const best = nextMove();
  if (!best) {
    stop();
    return render();
  }
  clearTimeout(auto.timer);
  auto.timer = setTimeout(() => {
    const replace = !auto.isFirst;
    auto.isFirst = false;
    const isBack = auto.passed.has(best.position);
    auto.passed.add(best.position);
    const note = isBack ? "The position is repeated, so neither side makes progress." : "";
    if (isBack) stop();
    play(best, { replace, note });
    byId("inspector").textContent = note;
  }, auto.isFirst ? 0 : PACE);
}

// Reads the studies of a text, which may be that of a file, and goes to the first of them. A game without words is shown
// from its end, if it was pasted.
export async function read(text, name = null) {
  const studies = await played(text);
  if (!studies) return;
  open(name, studies);
  const [{ title, verdict, positions }] = studies;
  const isGame = name === null && studies.length === 1 && !title && !verdict && !positions[0].comments;
  goToStudy(0, isGame ? atEnd : atStart);
}

// Reads a game that begins at the position of the board.
async function readMoves(text) {
  const studies = await played(`${here().position}\n${text}`, ({ message }) => notRead({ message: message.replace(/^line \d+, column \d+: /, "") }));
  if (!studies) return;
  goToRead(atEnd(fromStudy(studies[0])));
  complain(...studies[0].errors.map(({ error }) => error));
}

// Goes to a game that was read. It may be the position that was shown before.
function goToRead(game) {
  go(game);
  writeField();
}

// Goes to a study of the file, and says which of its moves are not legal.
export function goToStudy(number, placed = atStart) {
  stop();
  const { entries, errors } = file.studies[number];
  goToRead(placed(entries));
  complain(...errors.map(({ line, column, error }) => `line ${line}, column ${column}: ${error}`));
}

// Reads the game of a link: a position, and the fragment that `link` in `record` writes. If there is a side, practice of
// that side goes on at its end. Moves that cannot be read are left out with all that follow, and what is `unread` is
// said. Until there is an answer, the address stays as it is.
export async function readLink(position, fragment, side, moves = (fragment.get("moves") ?? "").replaceAll(".", " "), unread = []) {
  const studies = await played(`${position}\n${moves}`, (error) => {
    const [, column, why] = /^line 2, column (\d+): (.*)/s.exec(error.message) ?? [];
    if (column && moves) return readLink(position, fragment, side, [...moves].slice(0, column - 1).join(""), [why]);
    if (error.reason === "not_a_study") return notRead(error);
    fail({ none: "No answer", detail: sentence(error.message), retry: true, again: () => readLink(position, fragment, side) });
  });
  if (!studies) return;
  const number = /^[1-9]\d{0,5}$/.test(fragment.get("number")) ? Number(fragment.get("number")) : undefined;
  const entries = fromStudy({ ...studies[0], number, title: fragment.get("title") ?? undefined });
  for (const [i, entry] of entries.entries()) if (fragment.has(`c${i}`)) entry.comments = fragment.getAll(`c${i}`);
  const last = entries.length - 1;
  const at = side ? last : Math.max(0, Math.min(Math.trunc(fragment.get("at") ?? last) || 0, last));
  go({ entries, at, ...(side && { practice: practice.begin(position, side).practice }) }, { replace: true });
  complain(...studies[0].errors.map(({ error }) => error), ...unread);
}

function notRead({ message }) {
  arrive();
  complain(message);
}

// The studies of a text, as the source has played them. If it has refused them, `refused` is called with the reason.
async function played(text, refused = notRead) {
  depart();
  const signal = newQuestion({ game: true });
  say("Loading the game.");
  try {
    const { studies } = await source.studies(text, signal, (line) => signal.aborted || showFetching(line));
    if (signal.aborted) return null;
    state.fetching = null;
    studies.forEach(({ positions }) => positions.forEach(learn));
    return studies;
  } catch (error) {
    if (signal.aborted) return null;
    if (!(error instanceof Refused)) throw error;
    refused(error);
    return null;
  }
}

// Says what is wrong with a text.
function complain(...errors) {
  const more = errors.length > 1 ? ` ${errors.length - 1} more ${errors.length === 2 ? "move is" : "moves are"} not legal.` : "";
  state.complaint = errors.length ? sentence(errors[0]) + more : "";
  render();
}
