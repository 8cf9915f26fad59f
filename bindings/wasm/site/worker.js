// Answers the questions of `source.js` from tables and by search.

import { LascaError, Tablebase, load } from "./lasca-tb/index.js";

// The greatest numbers that a range of endings can end with.
const MOST = { choices: 20, plies: 65535 };

let opening = null;
// What stops the searches under way, and what waits for the user's word, by the number of the question.
const stops = new Map();
const allowing = new Map();
let asked = 0;

function open() {
  opening ??= start().catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function start() {
  const tables = new Tablebase();
  const offer = tables.fetchTables(new URL("tables/", import.meta.url), { allow });
  await Promise.all([load(), offer]);
  return tables;
}

// Asks the page whether to fetch a large table.
function allow(large) {
  return new Promise((done) => {
    allowing.set(++asked, done);
    postMessage({ number: asked, large });
  });
}

const range = (text, most) => {
  const [first, last = first] = text.split("..");
  return [Number(first), last === "" ? most : Number(last)];
};

const ANSWERS = {
  // All tables of the site, whether they have been fetched or not.
  tables: (tables) => ({ rules: tables.rules, tables: [...tables.list().tables, ...tables.offered] }),
  known: (tables, { position }) => tables.known(position),
  endings(tables, { material, choices, plies, ...more }) {
    const ranges = { choices: choices && range(choices, MOST.choices), plies: plies && range(plies, MOST.plies) };
    return tables.endings(material, { ...ranges, ...more });
  },
  solve(tables, { position, exact }, number) {
    const controller = new AbortController();
    stops.set(number, controller);
    const onProgress = (progress) => postMessage({ number, progress });
    return tables.solve(position, { exact, moves: true, signal: controller.signal, onProgress });
  },
};

onmessage = async ({ data: { number, what, about } }) => {
  if (what === "stop") return stops.get(number)?.abort();
  if (what === "allow") return allowing.get(number)?.(about);
  try {
    postMessage({ number, answer: await ANSWERS[what](await open(), about, number) });
  } catch (error) {
    const { reason, message } = error;
    if (error instanceof LascaError) postMessage({ number, refused: { reason, message } });
    // Nobody waits for the answer any more.
    else if (error.name === "AbortError") postMessage({ number });
    else postMessage({ number, isBroken: true });
  } finally {
    stops.delete(number);
  }
};
