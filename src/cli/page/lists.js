// Lists of moves.

import { signed, valueOf } from "./words.js";

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Puts items into a list in place of those that are there. Elements with the same `data-` attributes stay and are only
// changed, so that they keep the focus, and a press: if an element is replaced between mouse down and mouse up, the
// browser reports no click. The listeners are those of the list, and `chosenIn` tells them what is meant.
export function fill(list, items) {
  const old = [...list.childNodes];
  old.slice(items.length).forEach((item) => item.remove());
  items.forEach((item, i) => (old[i] ? change(old[i], item) : list.append(item)));
}

function change(old, item) {
  if (old.isEqualNode(item)) return;
  const isSame = old.nodeName === item.nodeName && item.dataset && JSON.stringify({ ...old.dataset }) === JSON.stringify({ ...item.dataset });
  if (!isSame) return old.replaceWith(item);
  for (const { name } of [...old.attributes]) if (!item.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of item.attributes) old.setAttribute(name, value);
  fill(old, [...item.childNodes]);
}

// The `data-` attributes of the item that an event is about, if it is about one.
export const chosenIn = ({ target }) => target.closest("[data-move]")?.dataset ?? {};

// A text in pieces, so that no line ends in the middle of a material such as 4-3, or of a move.
export function unbroken(text) {
  return text.split(/(\d+-\d+|[a-g]\d-\S+)/).map((piece, i) => (i % 2 ? make("span", { class: "whole" }, piece) : piece));
}

// The items of the list of moves, with the value of each, as far as it is known. `only` is the name of the
// one that keeps the result, if there is one, and `candidates` are those among which the user has to choose.
export function moveItems(moves, only, side, candidates) {
  return moves.map((move, i) => {
    const text = make("span", { class: "move" }, move.move);
    const { wdl, holding, replies } = move;
    let standing = null;
    if (wdl && moves.length === 1) standing = "only legal move";
    else if (wdl && move.move === only) standing = "only move";
    else if (holding) standing = holding.length === replies ? "every reply holds" : `${holding.length} of ${replies} replies hold`;
    if (standing) text.append(make("span", { class: "standing" }, standing));
    const button = make("button", { type: "button" }, make("span", { class: "number" }, String(i + 1)), text);
    if (move.wdl !== undefined) {
      const { estimate } = move;
      const isGuess = wdl === null && estimate !== undefined && !move.excluded?.length;
      const value = isGuess ? `estimate ${signed(estimate)}` : valueOf(move, side);
      button.append(make("span", { class: `pill ${wdl ?? "open"}` }, value));
    }
    const marks = [move.wdl, candidates.includes(move.move) && "candidate"].filter(Boolean);
    return make("li", { class: marks.join(" "), "data-move": move.move, "data-position": move.position }, button);
  });
}

// An item with a move and its number, and words after it. A number before Black's move is written if the move is the
// first one.
function numbered(ply, isFirst, button, ...words) {
  const dots = ply % 2 ? "… " : ". ";
  const number = isFirst || ply % 2 === 0 ? [make("span", { class: "number" }, `${Math.floor(ply / 2) + 1}${dots}`)] : [];
  const move = make("span", { class: "whole" }, ...number, button);
  return make("li", {}, ...[move, ...words].flatMap((part) => [part, " "]));
}

// The items of moves with their numbers. So many plies are before the first of them, which White begins.
export const numberedItems = (moves, ply, button) => moves.map((move, i) => numbered(ply + i, i === 0, button(move, i)));

// The items of moves with their numbers and the words after each, and below each move those of the variations instead
// of it.
export function lineItems(line, ply, wordsOf, button) {
  let isFirst = true;
  return line.flatMap((move, i) => {
    const words = wordsOf(move);
    const item = numbered(ply + i, isFirst, button(move), ...words);
    isFirst = move.others.length + words.length > 0;
    const variation = (other) => make("ol", { "aria-label": `Instead of ${move.entry.move}` }, ...lineItems(other, ply + i, wordsOf, button));
    return [item, ...move.others.map((other) => make("li", { class: "variation" }, variation(other)))];
  });
}
