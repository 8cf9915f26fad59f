// Setting up: counters and columns are put, taken off and moved freely, and the whole position is changed.

import { go } from "./asking.js";
import * as edits from "./edits.js";
import { make } from "./lists.js";
import { format } from "./position.js";
import { here, position, withEntries } from "./record.js";
import { setMode, state, stop } from "./state.js";
import { byId, refuse, say } from "./view.js";

// The material that is proposed first, if there is a table of it.
const USUAL = "3-2";

// Starts a new record at a position that was set up.
function edit({ changed, what, refused }) {
  if (refused) return refuse(refused);
  stop();
  const text = format(changed);
  if (text === here().position) return;
  if (go(withEntries({ position: text, move: null }))) say(what);
}

const kind = () => document.querySelector("input[name=kind]:checked").value;

// A counter of the chosen kind.
const ofKind = (counter) => (kind() === "soldier" ? counter.toLowerCase() : counter);

export function changeKind() {
  const next = kind() === "soldier" ? "officer" : "soldier";
  document.querySelector(`input[name=kind][value=${next}]`).checked = true;
  say(`New counters are ${next}s.`);
}

export const put = (square, counter, beneath) => edit(edits.put(position(), square, ofKind(counter), beneath));
export const takeOff = (square, whole) => edit(edits.takeOff(position(), square, whole));

export function putDown(square) {
  const from = state.carried;
  state.carried = null;
  if (square !== from) move(from, square);
}

// Moves a column to another square, or off the board.
export const move = (from, to) => edit(edits.shift(position(), from, to));

// Picks up the column on a square.
export function pickUp(square) {
  state.chosen = null;
  state.carried = square;
  say(`The column on ${square} is picked up. Go to an empty square and press m.`);
}

// Uses the chosen tool on a square.
export function useTool(square, isShifted) {
  const tool = document.querySelector("input[name=tool]:checked").value;
  if (tool === "off") takeOff(square, false);
  else put(square, tool, byId("beneath").checked !== isShifted);
}

export const clear = () => {
  setMode("setup");
  edit(edits.clear(position()));
};
export const start = () => edit(edits.start());
export const putOfficers = () => edit(edits.officers(position(), byId("set-material").value));

// Offers materials whose officers can be put on the board.
export function offerMaterials(materials) {
  byId("set-material").replaceChildren(...materials.map((material) => make("option", { value: material }, material)));
  if (materials.includes(USUAL)) byId("set-material").value = USUAL;
  byId("set-material").hidden = byId("officers").hidden = materials.length === 0;
}

export const rotate = () => edit(edits.rotate(position()));
export const exchange = () => edit(edits.exchange(position()));
export const setSide = (side) => edit(edits.turn(position(), side));
