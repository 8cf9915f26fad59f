// Lists of moves.

import { valueOf } from "./words.js";

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A text in pieces, so that no line ends in the middle of a material such as 4-3.
export function unbroken(text) {
  return text.split(/(\d+-\d+)/).map((piece, i) => (i % 2 ? make("span", { class: "whole" }, piece) : piece));
}

// The items of the list of moves, with the value of each. `lines` says more about some of the moves,
// as from /line. `press` is called with a move that is pressed, and `look` with one that is pointed at,
// or with null.
export function moveItems(moves, lines, side, { press, look }) {
  return moves.map((move, i) => {
    const known = lines.find((other) => other.move === move.move);
    const text = make("span", { class: "move" }, move.move);
    const standing = { "only move": "only move", "only legal move": "only legal move" }[known?.standing];
    if (standing) text.append(make("span", { class: "standing" }, standing));
    else if (known?.holding) {
      const holding = known.holding.length;
      const replies = holding === known.replies ? "every reply holds" : `${holding} of ${known.replies} replies hold`;
      text.append(make("span", { class: "standing" }, replies));
    }
    const button = make("button", { type: "button" }, make("span", { class: "number" }, String(i + 1)), text);
    if (move.wdl !== undefined) {
      button.append(make("span", { class: `pill ${move.wdl ?? "open"}` }, valueOf(move, side)));
    }
    button.addEventListener("click", () => press(move));
    for (const type of ["pointerenter", "focus"]) button.addEventListener(type, () => look(move));
    for (const type of ["pointerleave", "blur"]) button.addEventListener(type, () => look(null));
    return make("li", { class: move.wdl ?? "", "data-move": move.move }, button);
  });
}

// Appends moves with their numbers. White's move comes first in each pair.
export function appendNumbered(list, moves, side, button) {
  moves.forEach((move, i) => {
    const ply = i + (side === "b" ? 1 : 0);
    const item = make("li");
    if (ply % 2 === 0) item.append(make("span", { class: "number" }, `${ply / 2 + 1}. `));
    else if (i === 0) item.append(make("span", { class: "number" }, "1… "));
    item.append(button(move, i));
    list.append(item);
  });
}
