// Endings to try: positions that the server picks from its tables, by material, task and difficulty.

import { make, unbroken } from "./lists.js";
import { miniature } from "./pictures.js";
import { parse } from "./position.js";
import { begin } from "./practising.js";
import { record } from "./record.js";
import * as source from "./source.js";
import { state } from "./state.js";
import { byId } from "./view.js";
import { plies, progressOf, sentence } from "./words.js";

// How many only moves an ending of each difficulty has, and how many plies a win takes.
const DIFFICULTIES = {
  easy: { choices: "1..2", plies: "3..9" },
  medium: { choices: "3..4", plies: "5..19" },
  hard: { choices: "5..", plies: "9.." },
};

// The server counts no more only moves.
const MOST = 20;

// The material that is proposed first, if there is a table of it.
const FIRST = "3-2";

function item({ position, dtw, choices: count }) {
  const task = dtw === null ? "Hold the draw" : `Win in ${plies(dtw)}`;
  const link = make(
    "a",
    { href: `?${new URLSearchParams({ position, practice: "white" })}` },
    miniature(parse(position)),
    make("span", {}, task),
    make("span", { class: "soft" }, count < MOST ? `${count} ${count === 1 ? "choice" : "choices"}` : `${MOST} or more choices`),
    make("span", { class: "unseen" }, `: ${position}`),
  );
  return make("li", {}, link);
}

function tell(text) {
  byId("endings-told").replaceChildren(...unbroken(text));
}

// Offers the materials whose tables have distances.
export function offer(tables) {
  const materials = tables.filter((table) => table.distances).map((table) => table.material);
  const select = byId("endings-material");
  select.replaceChildren(...materials.map((material) => make("option", { value: material }, material)));
  if (materials.includes(FIRST)) select.value = FIRST;
  byId("endings").hidden = materials.length === 0;
}

let asking = new AbortController();

// Asks for endings. A question that is still under way is given up.
export async function propose() {
  const [larger, smaller] = byId("endings-material").value.split("-");
  const value = byId("endings-value").value;
  const difficulty = { ...DIFFICULTIES[byId("endings-difficulty").value] };
  if (value === "draw") delete difficulty.plies;
  // White has more counters to win with, or fewer to hold the draw with.
  const material = value === "win" ? `${larger}-${smaller}` : `${smaller}-${larger}`;
  const seed = Math.floor(Math.random() * 2 ** 32);
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  tell("Looking for endings…");
  byId("endings-list").replaceChildren();
  state.endings = [];
  try {
    const found = await source.endings({ material, value, ...difficulty, seed }, signal, (line) => tell(progressOf(line)));
    const { endings, looked_at: count, whole_table: isWhole } = found;
    byId("endings-list").replaceChildren(...endings.map(item));
    state.endings = endings.map(({ position }) => position);
    if (endings.length) tell(`White to move. Choose one to practise it.`);
    else if (isWhole) tell(`The table of ${larger}-${smaller} has no such ending. Choose another material, task or difficulty.`);
    else tell(`None was found in a sample of ${count.toLocaleString("en")} positions. Try again for another sample, or choose another material, task or difficulty.`);
  } catch (error) {
    if (!signal.aborted) tell(sentence(error.message));
  }
}

// Goes on with the ending after the one that is practised. After the last of them, others are looked for.
export async function next() {
  const after = () => state.endings[state.endings.indexOf(record.entries[0].position) + 1];
  if (!after()) await propose();
  if (record.practice && after()) begin(after(), "w");
}
