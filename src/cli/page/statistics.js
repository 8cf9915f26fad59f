// Statistics of the material on the board, from its table.

import { fill, make, unbroken } from "./lists.js";
import { position } from "./record.js";
import * as source from "./source.js";
import { state } from "./state.js";
import { byId } from "./view.js";
import { materialOf, plies, sentence } from "./words.js";

// The rows: what each is about, and its text for a side to move.
const ROWS = {
  Won: (side) => share(side.win, side),
  Drawn: (side) => share(side.draw, side),
  Lost: (side) => share(side.loss, side),
  "Longest win": ({ max_win: most }) => length(most),
  "Longest loss": ({ max_loss: most }) => length(most),
};

// The material that was asked about last.
let asked = null;

const share = (count, { win, draw, loss }) => `${count.toLocaleString("en")} (${((100 * count) / (win + draw + loss)).toFixed(1)}\u00a0%)`;
const length = (count) => (count === null ? "none" : plies(count));

// Offers the statistics of the material on the board, if there is a table of it, and asks for them when they are open.
export async function count() {
  const material = materialOf(position());
  const isOf = (table) => [material, material.split("-").reverse().join("-")].includes(table.material);
  const table = state.tables.find(isOf);
  const box = byId("statistics");
  box.hidden = !table;
  if (!table) return;
  byId("statistics-of").replaceChildren(...unbroken(`Statistics of ${material}`));
  const files = (table.files ?? []).map((file) => make("li", {}, make("a", { href: file, download: "" }, file.split("/").at(-1))));
  byId("files").hidden = files.length === 0;
  fill(byId("files-of"), files);
  if (!box.open || asked === material) return;
  asked = material;
  byId("counts").hidden = true;
  byId("statistics-told").textContent = "Counting…";
  try {
    const answer = await source.stats(material);
    // Another material may be on the board now.
    if (asked === material) show(answer);
  } catch (error) {
    if (asked !== material) return;
    asked = null;
    byId("statistics-told").textContent = sentence(error.message);
  }
}

function show({ material, white, black, max_columns: most }) {
  const bound = most ? ` with at most ${most} columns` : "";
  byId("statistics-told").replaceChildren(...unbroken(`All positions of ${material}${bound} in which neither side has lost all its columns.`));
  const row = ([what, of]) => make("tr", {}, make("th", { scope: "row" }, what), ...[white, black].map((side) => make("td", {}, of(side))));
  byId("counts-of").replaceChildren(...Object.entries(ROWS).map(row));
  byId("counts").hidden = false;
}
