// Answers the questions of `source.js` from tables and by search.

import { LascaError, Tablebase, load, picture } from "./lasca-tb/index.js";

// The greatest numbers that a range of endings can end with.
const MOST = { choices: 20, plies: 65535 };

// The most bytes of memory that making a table may take.
const MEMORY = 256 * 2 ** 20;

// The tables that were made are kept under such names, with their greatest number of columns. offline.js leaves this
// cache alone.
const MADE = `lasca ${new URL("./", import.meta.url)} made`;
const NAME = /\/made\/(\d+-\d+)-(\d+)\.ltbw$/;

let opening = null;
// What stops the searches under way, and what waits for the user's word, by the number of the question.
const stops = new Map();
const allowing = new Map();
let asked = 0;
// The last search has ended. The next one begins then.
let searched = Promise.resolve();

function open() {
  opening ??= start().catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function start() {
  await load();
  const tables = new Tablebase();
  const onProgress = (fetching) => postMessage({ fetching });
  await tables.fetchTables(new URL("tables/list.json", import.meta.url), { allow, onProgress });
  return tables;
}

// Whether a file is kept from a visit before. The browser may allow no storage.
const isKept = async (url) => Boolean(await globalThis.caches?.match(url).catch(() => null));

// Adds a table that was made before and covers so many columns of a material. Returns whether there is one.
async function addMade(tables, { material, columns }) {
  const cache = await caches.open(MADE);
  for (const { url } of await cache.keys()) {
    const [, of, most] = NAME.exec(url) ?? [];
    if (of !== material || Number(most) < columns) continue;
    const files = await Promise.all([url, url.replace(/w$/, "d")].map((file) => cache.match(file)));
    tables.addTable(...(await Promise.all(files.map(async (file) => new Uint8Array(await file.arrayBuffer())))));
    return true;
  }
  return false;
}

// Keeps a table for the next visit. The file of WDLs comes last, as it is looked for.
async function keepMade({ material, columns }, { wdl, dtw }) {
  const cache = await caches.open(MADE);
  for (const [kind, bytes] of Object.entries({ d: dtw, w: wdl })) {
    await cache.put(new URL(`made/${material}-${columns}.ltb${kind}`, import.meta.url), new Response(bytes));
  }
}

// Asks the page whether to fetch a large table, unless it is kept.
async function allow(large) {
  if (await isKept(new URL(`tables/lasca-${large.material}.ltbw`, import.meta.url))) return true;
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
  // All tables of the site, whether they have been fetched or not, in the order of the program.
  tables(tables) {
    const order = ({ material }) => {
      const [more, fewer] = material.split("-").map(Number);
      return 100 * (more + fewer) + fewer;
    };
    const all = [...tables.list().tables, ...tables.offered].sort((one, other) => order(one) - order(other));
    const kinds = ({ distances }) => (distances ? ["w", "d"] : ["w"]);
    const files = (table) => kinds(table).map((kind) => `tables/${tables.rules}-${table.material}.ltb${kind}`);
    return { rules: tables.rules, tables: all.map((table) => ({ ...table, files: files(table) })) };
  },
  picture: (_, { position }) => picture(position),
  stats: (tables, { material }) => tables.stats(material),
  async known(tables, { position }) {
    const answer = await tables.known(position);
    const { missing } = answer;
    if (missing?.reason !== "not_covered" || !missing.material) return answer;
    // The browser may allow no storage, or have a table of another version.
    const isThere = await addMade(tables, missing).catch(() => false);
    return isThere ? tables.known(position) : answer;
  },
  plan: (tables, { position }) => tables.planFor(position, { memory: MEMORY }),
  async make(tables, { material, columns }, number) {
    const onProgress = ({ done }) => postMessage({ number, progress: { making: material, done } });
    const made = await tables.make(material, { columns, memory: MEMORY, signal: stops.get(number).signal, onProgress });
    await keepMade({ material, columns }, made).catch(() => {});
  },
  studies: (tables, { text }) => tables.studies(text),
  endings(tables, { material, choices, plies, ...more }) {
    const ranges = { choices: choices && range(choices, MOST.choices), plies: plies && range(plies, MOST.plies) };
    return tables.endings(material, { ...ranges, ...more });
  },
  solve(tables, { position, exact, moves, seconds }, number) {
    const { signal } = stops.get(number);
    const onProgress = (progress) => postMessage({ number, progress });
    const solved = searched.then(() => tables.solve(position, { exact, moves, seconds, signal, onProgress }));
    // It has ended, however it has.
    searched = solved.catch(() => {});
    return solved;
  },
};

onmessage = async ({ data: { number, what, about } }) => {
  if (what === "stop") return stops.get(number)?.abort();
  if (what === "allow") {
    allowing.get(number)?.(about);
    return allowing.delete(number);
  }
  stops.set(number, new AbortController());
  try {
    postMessage({ number, answer: await ANSWERS[what](await open(), about, number) });
  } catch (error) {
    const { reason, message } = error;
    if (error instanceof LascaError) postMessage({ number, refused: { reason, message } });
    // Nobody waits for the answer any more.
    else if (error.name === "AbortError") postMessage({ number });
    else {
      console.error(error);
      postMessage({ number, isBroken: true });
    }
  } finally {
    stops.delete(number);
  }
};
