// Statistics of a material, from its table: that of the board, or one that the user has chosen.

import { svg } from "./board.js";
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

// The size of a histogram and of the room below it for the numbers, and the width of a bar with its gap.
const [HEIGHT, BELOW, BAR] = [80, 16, 4];

// The material that was asked about last, and the one that was chosen, with the material that was on the board then.
let asked = null;
let chosen = null;

const share = (count, { win, draw, loss }) => `${count.toLocaleString("en")} (${((100 * count) / (win + draw + loss)).toFixed(1)}\u00a0%)`;
const length = (count) => (count === null ? "none" : plies(count));

// Shows the statistics of a material, whatever is on the board.
export async function choose(material) {
  chosen = { material, on: materialOf(position()) };
  byId("statistics").open = true;
  await count();
  byId("statistics").scrollIntoView();
}

// Offers the statistics of the material, if there is a table of it, and asks for them when they are open.
export async function count() {
  const on = materialOf(position());
  if (chosen?.on !== on) chosen = null;
  const material = chosen?.material ?? on;
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
  byId("histograms").replaceChildren();
  try {
    const answer = await source.stats(material);
    // Another material may be asked for now.
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
  const longest = Math.max(...[white, black].flatMap(({ histogram }) => histogram.map(([plies]) => plies)));
  byId("histograms").replaceChildren(...[["White to move", white], ["Black to move", black]].map(([name, side]) => histogramOf(name, side, longest)));
}

// A picture of how many positions end in each number of plies: wins in odd ones, losses in even ones.
function histogramOf(name, { histogram }, longest) {
  const width = BAR * (longest + 1);
  const [mode, most] = histogram.reduce((best, bar) => (bar[1] > best[1] ? bar : best), [0, 1]);
  const label = `${name}: most often ${plies(mode)}, at most ${histogram.at(-1)?.[0] ?? 0}`;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT + BELOW}`, role: "img", "aria-label": label });
  for (const [ply, count] of histogram) {
    // The rarest can be seen too.
    const height = Math.max(1, (HEIGHT * count) / most);
    const bar = svg("rect", { class: ply % 2 ? "win" : "loss", x: BAR * ply, y: HEIGHT - height, width: BAR - 1, height });
    const title = svg("title", {});
    title.append(`${plies(ply)}: ${count.toLocaleString("en")}`);
    bar.append(title);
    picture.append(bar);
  }
  for (let ply = 0; ply <= longest; ply += 10) {
    const number = svg("text", { x: BAR * ply, y: HEIGHT + BELOW - 3 });
    number.append(String(ply));
    picture.append(number);
  }
  return make("figure", {}, picture, make("figcaption", {}, name));
}
