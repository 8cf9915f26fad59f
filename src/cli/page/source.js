// What the page asks, and whom: the server of the page. No other file asks anything, so another source with
// these functions can take the place of this one.
//
// Each function returns a promise. It fails with a `Refused` if there is no answer, or with the reason of the
// signal that has aborted the question.

import { Refused } from "./refused.js";

// How many times a busy server is asked again.
const RETRIES = 3;

// Who answers: the `program` and its `version`, and whether it `searches`.
export const about = () => told("version");

// The rules of the source, and its tables. `files` are the addresses of a table's files, if they can be had.
export const tables = () => told("tables");

// All that is known of a position without a search: its moves, and from the tables the values and the best
// line. `missing` is there if no table has an answer. A source that fetches tables calls a third argument with how
// much it has fetched; so do those for studies and endings. A fourth one is the material of a table that the user
// has declined, and allows now.
export const known = (position, signal) => told("known", { query: { position }, signal });

// What it takes to make the table that an answer of `known` lacks: its `material` and `seconds`; null if none can be
// made. `isHere` says that this browser makes it.
export const planFor = async ({ missing }) => missing.make ?? null;

// Makes the table of a plan, for a position. `progress` is called with the share of the work that is `done`.
export const make = ({ position, signal, progress }) =>
  reached(signal, async () => {
    const response = await ask("make", { method: "POST", query: { position }, signal });
    let last = { done: 0 };
    for await (const line of linesOf(response.body)) {
      last = JSON.parse(line);
      if ("done" in last) progress(last);
    }
    if ("error" in last) throw refused(last);
    if ("done" in last) throw new Error("the answer has no end");
  });

// The positions and moves of the studies in a text, with what is known of them without a search.
export const studies = (text, signal) => told("studies", { method: "POST", body: text, signal });

// The picture of a position, as the text of an SVG file.
export const picture = (position) => reached(null, async () => (await ask("picture", { query: { position } })).text());

// How the positions of a material are won, drawn and lost.
export const stats = (material) => told("stats", { query: { material } });

// Endings to practise, as the query wants them.
export const endings = (query, signal) => told("endings", { query, signal });

// Solves a position by search, with its `exact` distance if that is wanted, and rates its moves, unless `moves` is false.
// `seconds` limits the time. `progress` is called with how far the search is. The answer `isLongest` if the source would
// have taken no more time.
export const solve = (position, { exact, moves = true, seconds, signal, progress }) =>
  reached(signal, async () => {
    const query = { position, progress: 1, ...(moves && { moves: 1 }), ...(exact && { exact: 1 }) };
    const waits = () => progress({ searching: "place" });
    const search = (time) => ask("solve", { method: "POST", query: { ...query, ...time }, signal, waits });
    // A server that searches for less time than that refuses it, and is asked for as much as it has.
    let isLongest = !seconds;
    const response = await search(seconds && { seconds }).catch((error) => {
      if (isLongest || error.reason !== "bad_argument") throw error;
      isLongest = true;
      return search();
    });
    let last = null;
    for await (const line of linesOf(response.body)) {
      last = JSON.parse(line);
      if ("searching" in last) progress(last);
    }
    if ("error" in last) throw refused(last);
    if ("searching" in last) throw new Error("the answer has no end");
    return { ...last, isLongest };
  });

const told = (path, options = {}) => reached(options.signal, async () => (await ask(path, options)).json());

// Does what asks the server. Whatever goes wrong then means that it cannot be reached, unless it has refused.
async function reached(signal, work) {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof Refused ? error : new Refused("unreachable", "the server cannot be reached");
  }
}

// The rules of the server, once it has answered.
let rules = null;

// Asks the server. If it is busy, it is asked again when it says. A search waits until there is a place for it, and
// `waits` is called meanwhile.
async function ask(path, { method = "GET", query = {}, body, signal, waits }) {
  for (let tries = 1; ; ) {
    const response = await fetch(`${path}?${new URLSearchParams(query)}`, { method, body, signal });
    const own = response.headers.get("Lasca-Rules") ?? rules;
    // One that was started again with other rules takes nothing over of what the page has.
    if (rules && own !== rules) location.reload();
    rules = own;
    if (response.ok) return response;
    const error = await refusal(response);
    const isWaiting = error.reason === "searches_busy";
    if (response.status !== 503 || (tries > RETRIES && !isWaiting)) throw error;
    const seconds = Number(response.headers.get("Retry-After")) || tries;
    if (isWaiting) waits();
    else tries += 1;
    await pause(1000 * seconds, signal);
  }
}

const refused = ({ error, reason }) => new Refused(reason, error);

// Why the server has refused, or another one before it, which may give no reason.
async function refusal(response) {
  const why = await response.json().catch(() => null);
  return why?.error ? refused(why) : new Refused("unreachable", `the server answers with status ${response.status}, and does not say why`);
}

// The lines of a body, as they come.
async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}

// Waits for some milliseconds, or fails as soon as the signal is given.
function pause(time, signal) {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    setTimeout(done, time);
    signal?.addEventListener("abort", () => fail(signal.reason), { once: true });
  });
}
