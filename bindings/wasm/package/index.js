// Lasca: legal moves, the values of endings from tables, and search. `index.d.ts` describes everything.

import init, * as wasm from "./lasca_tb.js";

// How long a part of a search is, in milliseconds: at first, and at most. The library makes a part longer where it is
// too short for work that can only be done as a whole.
const PART = 30;
const LONGEST_PART = 500;

// How often the progress of a search or of a fetch is told, in milliseconds.
const PACE = 250;

// The reasons for which a search can still answer.
const NOT_COVERED = new Set(["not_covered", "other_rules", "no_distances"]);

// The reasons for which a table has not been fetched. The next question tries again.
const NOT_FETCHED = new Set(["unreachable", "declined"]);

// What larger tables must be allowed for, in bytes.
const LARGE = 10e6;

// The name of the file of a table.
const TABLE = /^(lasca|bignor|rejump)-(\d+-\d+)\.ltbw$/;

// A line of SHA256SUMS, with the name of the file.
const SUM = /^\\?[0-9a-f]{64} [ *](.+?)\r?$/i;

// A small WebAssembly that has vectors of 128 bits, as that of the package has.
const VECTORS = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

// A module of node, which bundlers leave alone.
const ofNode = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ name);
const FILES = "node:fs/promises";
const THREADS = "node:worker_threads";

// The most bytes of memory that making a table takes by default.
const MAKING = 2 ** 30;

// The folder of the tables that come with the package.
export const INCLUDED = new URL(/* @vite-ignore */ "./tables/", import.meta.url);

export class LascaError extends Error {
  constructor({ error, reason, material, columns }, options) {
    super(error, options);
    this.name = "LascaError";
    Object.assign(this, { reason, material, columns });
  }
}

let loading = null;
let isLoaded = false;

export function load(source = new URL("./lasca_tb_bg.wasm", import.meta.url)) {
  loading ??= reached("the WebAssembly", () => start(source)).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

// Why no WebAssembly of the package can run here, or null.
function hindrance() {
  if (typeof WebAssembly !== "object") return "there is no WebAssembly here: this browser is too old, or has it switched off";
  if (!WebAssembly.validate(VECTORS)) return "the WebAssembly of this browser has no vectors (simd128): a newer browser is needed";
  try {
    new WebAssembly.Module(VECTORS);
    return null;
  } catch {
    return "the policy of the host (Content-Security-Policy) forbids WebAssembly: its script-src needs 'wasm-unsafe-eval'";
  }
}

async function start(source) {
  const error = hindrance();
  if (error) throw new LascaError({ error, reason: "unsupported" });
  const isFile = source instanceof URL && source.protocol === "file:";
  await init({ module_or_path: isFile ? await (await ofNode(FILES)).readFile(source) : source });
  isLoaded = true;
}

// Calls a function of the WebAssembly, which throws texts of JSON.
function call(work) {
  if (!isLoaded) throw new Error("expected load() to be done before this: await load()");
  try {
    return work();
  } catch (error) {
    if (typeof error !== "string") throw error;
    throw new LascaError(JSON.parse(error));
  }
}

const parsed = (work) => JSON.parse(call(work));

// The same, if it is a text. The WebAssembly would take some other values for one.
function text(value, name) {
  if (typeof value !== "string") throw new TypeError(`${name}: expected a text, found ${value}`);
  return value;
}

export const readPosition = (position) => parsed(() => wasm.position(text(position, "position")));

export const legalMoves = (position, { rules = "lasca" } = {}) =>
  parsed(() => wasm.legalMoves(text(rules, "rules"), text(position, "position")));

export const picture = (position) => call(() => wasm.picture(text(position, "position")));

export const play = (position, move, { rules = "lasca" } = {}) =>
  call(() => wasm.play(text(rules, "rules"), text(position, "position"), text(move, "move")));

// Lets other events happen. A timer would wait for some milliseconds each time.
const pause = () =>
  new Promise((done) => {
    if (globalThis.setImmediate) return setImmediate(done);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });

// Begins to fetch from an address, or reads a file of node.
async function fetched(url) {
  if (url.protocol === "file:") {
    const bytes = await (await ofNode(FILES)).readFile(url);
    return new Response(bytes, { headers: { "Content-Length": bytes.length } });
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the status is ${response.status}`);
  return response;
}

// The bytes of a file. `more` is told of each part that comes.
function bytesOf({ body }, more) {
  const counted = new TransformStream({
    transform(part, rest) {
      more(part.length);
      rest.enqueue(part);
    },
  });
  return new Response(body.pipeThrough(counted)).arrayBuffer();
}

// The tables of a list: lines of JSON from `lasca-tb list`, or checksums of files.
function listed(list, from) {
  const lines = list.split("\n").filter((line) => line.trim());
  const read = list.startsWith("{") ? tableOf : (line) => SUM.exec(line)?.[1];
  const wrong = lines.find((line) => !read(line));
  if (wrong !== undefined) {
    const error = `the list of tables ${from}: expected lines of SHA256SUMS or of lasca-tb list --json, found ${JSON.stringify(wrong.slice(0, 60))}`;
    throw new LascaError({ error, reason: "bad_argument" });
  }
  // The tables that are inside the program have no path.
  if (list.startsWith("{")) return lines.map(read).filter(({ path }) => path !== null);
  const names = new Set(lines.map(read));
  const tables = [...names].map((name) => TABLE.exec(name)).filter(Boolean);
  return tables.map(([, rules, material]) => ({ rules, material, distances: names.has(`${rules}-${material}.ltbd`) }));
}

// The table of a line of JSON, or null.
function tableOf(line) {
  try {
    const table = JSON.parse(line);
    return typeof table.material === "string" && typeof table.rules === "string" ? table : null;
  } catch {
    return null;
  }
}

function check(isRight, expected, found) {
  if (!isRight) throw new LascaError({ error: `expected ${expected}, found ${found}`, reason: "bad_argument" });
}

// Checks that an argument is a whole number in a range.
function checkWhole(name, value, least, most) {
  check(Number.isInteger(value) && value >= least && value <= most, `${name}: a whole number from ${least} to ${most}`, value);
}

// Checks a range of whole numbers, if there is one.
function checkRange(name, range, least, most) {
  if (!range) return;
  check(range.length === 2 && range[0] <= range[1], `${name}: two numbers, the smaller first`, range);
  range.forEach((end) => checkWhole(name, end, least, most));
}

function checkSearch({ seconds, memory }) {
  check(seconds === undefined || (seconds >= 0 && seconds < Infinity), "seconds: a number from 0", seconds);
  if (memory !== undefined) checkWhole("memory", memory, 0, 2 ** 32 - 1);
}

// Checks an array of texts.
function checkTexts(name, texts) {
  check(Array.isArray(texts), `${name}: an array`, texts);
  texts.forEach((value) => text(value, name));
}

// Does what fetches something.
async function reached(what, work) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LascaError) throw error;
    throw new LascaError({ error: `${what} cannot be fetched: ${error.message}`, reason: "unreachable" }, { cause: error });
  }
}

// Lets a worker plan, make or read a table. It has a WebAssembly of its own, which is fetched now, and ends when that is done
// or the signal is given: then its memory is free again.
async function inMaker(task, { signal, onDone } = {}) {
  signal?.throwIfAborted();
  const source = new URL("./lasca_tb_maker_bg.wasm", import.meta.url);
  const isFile = source.protocol === "file:";
  const message = { ...task, source: isFile ? await (await ofNode(FILES)).readFile(source) : source.href };
  const worker = globalThis.Worker
    ? new Worker(new URL("./maker.js", import.meta.url), { type: "module" })
    : new (await ofNode(THREADS)).Worker(new URL("./maker.js", import.meta.url));
  let stop;
  try {
    return await new Promise((done, fail) => {
      stop = () => fail(signal.reason);
      if (signal?.aborted) stop();
      signal?.addEventListener("abort", stop);
      const hear = ({ result, failed, done: share }) => {
        if (result) done(result);
        else if (failed) fail(new LascaError(failed));
        else onDone?.(share);
      };
      const breaks = () => fail(new LascaError({ error: "what makes tables cannot be fetched", reason: "unreachable" }));
      if (worker.on) worker.on("message", hear).on("error", breaks);
      else Object.assign(worker, { onmessage: ({ data }) => hear(data), onerror: breaks });
      worker.postMessage(message);
    });
  } finally {
    signal?.removeEventListener("abort", stop);
    worker.terminate();
  }
}

export class Tablebase {
  #tables;
  #rules;
  // By material: the files of the tables that can be fetched, and who allows large ones.
  #offered = new Map();
  // By material: the tables that are being fetched.
  #coming = new Map();
  // The materials of the tables that have been fetched.
  #fetched = new Set();

  constructor({ rules = "lasca" } = {}) {
    this.#rules = rules;
    this.#tables = call(() => new wasm.Tables(text(rules, "rules")));
  }

  get rules() {
    return this.#rules;
  }

  // What is in the WebAssembly.
  get #here() {
    if (!this.#tables) throw new Error("this Tablebase cannot be used any more: free() was called");
    return this.#tables;
  }

  addTable(wdl, dtw) {
    call(() => this.#here.add(wdl, dtw));
  }

  async fetchTables(url = INCLUDED, { allow, onProgress } = {}) {
    const list = new URL(url, globalThis.location?.href);
    if (!list.pathname.endsWith(".json")) list.pathname = list.pathname.replace(/\/?$/, "/SHA256SUMS");
    const lines = await reached(`the list of tables ${list}`, async () => (await fetched(list)).text());
    for (const { material, rules, max_columns = null, distances, bytes = null } of listed(lines, list)) {
      if (rules !== this.#rules || this.#fetched.has(material)) continue;
      this.#offered.set(material, { table: { material, rules, max_columns, distances }, size: bytes, list, allow, onProgress });
    }
  }

  get offered() {
    return [...this.#offered.values()].map(({ table }) => table);
  }

  list() {
    return JSON.parse(this.#here.list());
  }

  // Fetches the tables of positions, each on a line, which are offered and not there yet.
  async #needed(positions) {
    for (const [material, columns] of parsed(() => wasm.materials(text(positions, "position")))) await this.#need(material, columns);
  }

  // A search does without tables that cannot be fetched, or may not be.
  async #neededIfReached(positions) {
    try {
      await this.#needed(positions);
    } catch (error) {
      if (!NOT_FETCHED.has(error.reason)) throw error;
    }
  }

  // Fetches the table of a material, if it is offered and not there yet, and covers so many columns.
  async #need(material, columns = 0) {
    // A table covers both colours.
    const [white, black] = material.split("-");
    const name = [material, `${black}-${white}`].find((name) => this.#offered.has(name));
    if (!name || columns > (this.#offered.get(name).table.max_columns ?? Infinity)) return;
    if (!this.#coming.has(name)) {
      this.#coming.set(name, this.#fetch(name).finally(() => this.#coming.delete(name)));
    }
    await this.#coming.get(name);
  }

  async #fetch(material) {
    const { table, size, list, allow, onProgress } = this.#offered.get(material);
    const kinds = table.distances ? ["w", "d"] : ["w"];
    // Where a length is not told, it may be large.
    const isAllowed = async (bytes) => (bytes && bytes <= LARGE) || !allow || (await allow({ material, bytes }));
    const declined = () => new LascaError({ error: `the table ${material} is large, and was not fetched`, reason: "declined", material });
    // If the list tells its length, a table that is not allowed is not asked for at all.
    if (size && !(await isAllowed(size))) throw declined();
    await reached(`the table ${material}`, async () => {
      const files = await Promise.all(kinds.map((kind) => fetched(new URL(`${table.rules}-${material}.ltb${kind}`, list))));
      const of = size ?? (files.reduce((sum, { headers }) => sum + Number(headers.get("Content-Length") ?? NaN), 0) || null);
      if (!size && !(await isAllowed(of))) {
        for (const { body } of files) body.cancel();
        throw declined();
      }
      let [bytes, told] = [0, performance.now()];
      const more = (part) => {
        bytes += part;
        if (performance.now() < told + PACE) return;
        told = performance.now();
        // A host may have packed the files.
        onProgress?.({ material, bytes, of: bytes <= of ? of : null });
      };
      const parts = files.map(async (file) => new Uint8Array(await bytesOf(file, more)));
      this.addTable(...(await Promise.all(parts)));
      this.#fetched.add(material);
      this.#offered.delete(material);
    });
  }

  async planFor(position, { memory = MAKING, signal } = {}) {
    checkSearch({ memory });
    const { missing } = await this.known(position);
    if (missing?.reason !== "not_covered" || !missing.material) return null;
    const { material, columns } = missing;
    try {
      return await inMaker({ rules: this.#rules, material, columns, memory }, { signal });
    } catch (error) {
      if (error.reason === "no_memory") return null;
      throw error;
    }
  }

  async make(material, { columns = 22, memory = MAKING, signal, onProgress } = {}) {
    text(material, "material");
    checkWhole("columns", columns, 2, 22);
    checkSearch({ memory });
    const task = { rules: this.#rules, material, columns, memory, isMade: true };
    const made = await inMaker(task, { signal, onDone: (done) => onProgress?.({ material, done }) });
    this.addTable(made.wdl, made.dtw);
    return made;
  }

  // Fetches the table of a position, then asks.
  async #ask(position, ask) {
    await this.#needed(position);
    return parsed(ask);
  }

  probe(position, { moves = false, line = false } = {}) {
    return this.#ask(position, () => this.#here.probe(position, moves, line, false));
  }

  explain(position) {
    return this.#ask(position, () => this.#here.probe(position, true, false, true));
  }

  async known(position, { before = [] } = {}) {
    checkTexts("before", before);
    try {
      return await this.#ask(position, () => this.#here.known(position, before));
    } catch (error) {
      if (!NOT_COVERED.has(error.reason) && !NOT_FETCHED.has(error.reason)) throw error;
      const { message, reason, material, columns } = error;
      return { ...legalMoves(position, this), missing: { error: message, reason, material, columns } };
    }
  }

  async studies(studies) {
    const played = () => parsed(() => this.#here.studies(text(studies, "studies")));
    const positions = played().studies.flatMap(({ positions }) => positions.map(({ position }) => position));
    await this.#neededIfReached(positions.join("\n"));
    return played();
  }

  async bestMove(position, { seconds, before, ...options } = {}) {
    let answer = await this.known(position, { before });
    if (answer.best_move === undefined && answer.moves.length) {
      const search = () => this.solve(position, { ...options, seconds, before, exact: true, moves: true });
      // Without a search, this says why there is none.
      answer = await (seconds === undefined ? this.explain(position) : search());
    }
    return answer.moves.find(({ move }) => move === answer.best_move) ?? null;
  }

  async values(positions) {
    for (const position of positions) {
      if (!/^[^\r\n]*\S[^\r\n]*$/.test(text(position, "position"))) readPosition(position.replaceAll(/[\r\n]/g, "?"));
    }
    const lines = positions.join("\n");
    await this.#needed(lines);
    const values = parsed(() => this.#here.values(lines));
    return values.map((value) => value && { wdl: value[0], dtw: value[1] });
  }

  async endings(material, { value = "win", choices, plies, limit = 4, seed = 0 } = {}) {
    text(material, "material");
    check(["win", "draw"].includes(value), "value: win or draw", value);
    checkRange("choices", choices, 1, 20);
    checkRange("plies", plies, 1, 65535);
    checkWhole("limit", limit, 0, 1000);
    // The answer has it as a number.
    check(["number", "bigint"].includes(typeof seed) && Number.isSafeInteger(Number(seed)) && seed >= 0, "seed: a whole number from 0 to 2^53 - 1", seed);
    await this.#need(material);
    const ranges = [Uint32Array.from(choices ?? []), Uint16Array.from(plies ?? [])];
    return parsed(() => this.#here.endings(material, value === "draw", ...ranges, limit, BigInt(seed)));
  }

  async stats(material, { longest } = {}) {
    text(material, "material");
    if (longest !== undefined) checkWhole("longest", longest, 1, 100);
    await this.#need(material);
    const stats = parsed(() => this.#here.stats(material));
    if (longest === undefined) return stats;
    const { wdl, dtw } = call(() => this.#here.files(material));
    return { ...stats, longest: await inMaker({ rules: this.#rules, material, files: { wdl, dtw }, longest }) };
  }

  async solve(position, { seconds, exact = false, moves = false, before = [], memory, signal, onProgress } = {}) {
    checkSearch({ seconds, memory });
    checkTexts("before", before);
    await this.#neededIfReached(position);
    signal?.throwIfAborted();
    // Very many moves cannot be listed.
    if (moves) legalMoves(position, this);
    const search = call(() => this.#here.solve(position, before, exact, moves, seconds, memory));
    try {
      for (let [part, told] = [PART, 0]; !call(() => search.goOn(part)); ) {
        const progress = parsed(() => search.progress());
        const time = 1000 * progress.seconds;
        part = Math.max(part, Math.min(time / 8, LONGEST_PART));
        await pause();
        signal?.throwIfAborted();
        if (time < told + PACE) continue;
        told = time;
        onProgress?.(progress);
      }
      return parsed(() => search.answer());
    } finally {
      search.free();
    }
  }

  async certify(position, { seconds, memory } = {}) {
    checkSearch({ seconds, memory });
    await this.#neededIfReached(position);
    return call(() => this.#here.certify(position, seconds, memory));
  }

  free() {
    this.#tables?.free();
    this.#tables = null;
  }
}
