// The npm package in node: `node --test bindings/wasm/tests/*.test.js`, with LASCA_NPM naming the folder that
// `bindings/wasm/build` has made, and LASCA_TB the program.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

const { LASCA_NPM: npm, LASCA_TB: program } = process.env;
const ROOT = new URL("../../../", import.meta.url);
const { INCLUDED, LascaError, Tablebase, legalMoves, load, picture, play, readPosition } = await import(pathToFileURL(join(npm, "index.js")));

const WIN_IN_5 = "b2B d2W a7W w";
const START = "a1w c1w e1w g1w b2w d2w f2w a3w c3w e3w g3w a5b c5b e5b g5b b6b d6b f6b a7b c7b e7b g7b w";
const LASKER = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";

// What functions say that are called too early.
const early = [() => legalMoves(START), () => readPosition(START), () => new Tablebase()].map((work) => {
  try {
    return work();
  } catch (error) {
    return error.message;
  }
});

before(() => load());

test("what is called before load or after free says so", async () => {
  for (const message of early) assert.match(message, /await load\(\)/);
  const tables = new Tablebase();
  tables.free();
  tables.free();
  assert.throws(() => tables.list(), /free\(\) was called/);
  assert.throws(() => tables.addTable(new Uint8Array()), /free\(\) was called/);
  for (const ask of [() => tables.probe(WIN_IN_5), () => tables.solve(START), () => tables.certify(START), () => tables.endings("1-1")]) {
    await assert.rejects(ask(), /free\(\) was called/);
  }
});

async function included(options) {
  const tables = new Tablebase(options);
  await tables.fetchTables();
  return tables;
}

test("the package holds all licences, the protocol and the checker of certificates", () => {
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-PACKAGES.txt", "PROTOCOL.md", "output.schema.json", "check_certificate.py"]) {
    assert.ok(readFileSync(join(npm, name), "utf8").length > 1000, name);
  }
});

// What the program prints for some positions.
function printed(command, positions, ...options) {
  const args = [command, "--stdin", "--json", "--tables", join(npm, "tables"), ...options];
  const run = { input: positions.join("\n") + "\n", encoding: "utf8", stdio: ["pipe", "pipe", "ignore"], maxBuffer: 1 << 28 };
  try {
    return linesOf(execFileSync(program, args, run));
  } catch (error) {
    // Some have no answer.
    return linesOf(error.stdout);
  }
}

const linesOf = (text) => text.trim().split("\n").map((line) => JSON.parse(line));

// Positions by random play from endings and from the start, and texts that are none.
function positions(count) {
  let state = 1;
  const below = (most) => (state = (state * 48271) % 2147483647) % most;
  const all = ["x", "a1w a1b w", "a1w c3B w", "a1WWWWWW c3BBBBBB w"];
  const starts = [WIN_IN_5, LASKER, "d2W f2B d4W f4B b", "c3WW e3BW b6B w", "c3W e5B d4W b", START];
  while (all.length < count) {
    let position = starts[below(starts.length)];
    for (let ply = below(30); ply > 0; ply--) {
      const { moves } = legalMoves(position);
      if (!moves.length) break;
      position = moves[below(moves.length)].position;
    }
    all.push(position);
  }
  return all;
}

// What an error tells programs.
const told = ({ reason, material, columns }) => ({ reason, material, columns });

async function answerOf(ask) {
  try {
    return await ask();
  } catch (error) {
    assert(error instanceof LascaError, error);
    return told(error);
  }
}

test("a picture is that of the program", () => {
  const drawn = execFileSync(program, ["picture", LASKER, "--palette", "wood"], { encoding: "utf8" });
  assert.equal(`${picture(LASKER)}\n`, drawn);
});

test("answers equal those of the program, key by key", async () => {
  const tables = await included();
  const all = positions(500);
  const asks = {
    moves: [[], (position) => legalMoves(position)],
    probe: [["--line"], (position) => tables.probe(position, { moves: true, line: true })],
    explain: [[], (position) => tables.explain(position)],
  };
  for (const [command, [options, ask]] of Object.entries(asks)) {
    const lines = printed(command, all, ...options);
    assert.equal(lines.length, all.length);
    let answered = 0;
    for (const [number, expected] of lines.entries()) {
      const found = await answerOf(() => ask(all[number]));
      assert.deepEqual(found, expected.error ? told(expected) : expected, `${command} ${all[number]}`);
      answered += !expected.error;
    }
    assert(answered > 100 && answered < all.length, `${command}: ${answered}`);
  }
});

test("values and best moves are those of whole answers", async () => {
  const tables = await included();
  const values = await tables.values([WIN_IN_5, "d2W f2B d4W f4B b", "a1w c3B w"]);
  assert.deepEqual(values, [{ wdl: "win", dtw: 5 }, { wdl: "draw", dtw: null }, null]);
  for (const wrong of ["", " ", "a1W b2B w\na1W b2B b", "x"]) {
    await assert.rejects(tables.values([WIN_IN_5, wrong]), { reason: "not_a_position" });
  }
  const { moves } = await tables.probe(WIN_IN_5, { moves: true });
  assert.deepEqual(await tables.bestMove(WIN_IN_5), moves[0]);
  assert.equal((await tables.bestMove("d2W f2B d4W f4B b")).move, "f2-g3");
  const drawn = "a1W c1W g7B e7B w";
  assert.equal((await tables.bestMove(drawn)).move, "a1-b2");
  assert.equal((await tables.bestMove(drawn, { before: ["b2W c1W g7B e7B b"] })).move, "c1-b2");
  await assert.rejects(tables.bestMove(drawn, { before: ["x"] }), { reason: "not_a_position" });
  await assert.rejects(tables.bestMove(drawn, { before: drawn }), { reason: "bad_argument" });
  // The game is over, with soldiers too, and whether a table could answer or not.
  const over = ["a1W b2B c3B w", "a1w b2b c3b w", "g7w a1B w", "a1w w", "a1WWWWWW b2BBBBBB c3B w"];
  for (const position of over) {
    assert.equal(await tables.bestMove(position), null, position);
    assert.equal(await tables.bestMove(position, { seconds: 1 }), null, position);
  }
  const opening = await tables.bestMove("start", { seconds: 0.2 });
  assert(opening.wdl === null && Math.abs(opening.estimate) <= 100);
  await assert.rejects(tables.bestMove("start"), { reason: "not_covered" });
});

test("a table that is made answers as the one that comes with the package, and making can be stopped", async () => {
  const tables = new Tablebase();
  const plan = await tables.planFor(WIN_IN_5);
  assert.deepEqual([plan.material, plan.columns], ["2-1", 3]);
  assert(plan.seconds > 0 && plan.memory > plan.positions && plan.positions > 0);
  const told = [];
  const { wdl, dtw } = await tables.make("2-3", { onProgress: ({ material, done }) => told.push([material, done]) });
  assert(told.length > 3 && told.every(([material, done]) => material === "2-3" && done >= 0 && done <= 1));
  const whole = await included();
  assert.deepEqual(await tables.stats("3-2"), await whole.stats("3-2"));
  const kept = new Tablebase();
  kept.addTable(wdl, dtw);
  assert.deepEqual(await kept.probe("c3WW e3BW b6B w", { moves: true }), await whole.probe("c3WW e3BW b6B w", { moves: true }));
  assert.equal(await tables.planFor("c3WW e3BW b6B w"), null);
  for (const none of [START, "a1W w", "a1w c3B w"]) assert.equal(await tables.planFor(none), null);
  assert.equal(await tables.planFor("a1WW c1WW b2BB d2BB w", { memory: 1e6 }), null);
  await assert.rejects(tables.make("4-4", { memory: 1e6 }), { reason: "no_memory" });
  await assert.rejects(tables.make("11-11"), { reason: "bad_argument" });
  const controller = new AbortController();
  const stopped = tables.make("4-4", { signal: controller.signal, onProgress: () => controller.abort() });
  await assert.rejects(stopped, { name: "AbortError" });
});

test("a win without distances is played by search", async () => {
  const tables = new Tablebase();
  tables.addTable(new Uint8Array(readFileSync(new URL("lasca-2-1.ltbw", INCLUDED))));
  await assert.rejects(tables.bestMove(WIN_IN_5), { reason: "no_distances" });
  const { wdl, dtw } = await tables.bestMove(WIN_IN_5, { seconds: 10 });
  assert.deepEqual([wdl, dtw], ["win", 5]);
  tables.free();
});

test("a position has two forms and its images, and moves are played under each rule set", () => {
  const { position, rows, material, symmetric } = readPosition("b2B d2W a7W w");
  assert.deepEqual([readPosition(rows).position, material], [position, "2-1"]);
  assert(symmetric.length === 8 && symmetric[0] === position);
  assert.deepEqual(readPosition("c1W b2wB a7b w").symmetric, ["c1W b2wB a7b w", "e1W f2wB g7b w"]);
  assert.deepEqual([readPosition("a1W w").material, readPosition(START).material], [null, "11-11"]);
  assert.equal(play(WIN_IN_5, legalMoves(WIN_IN_5).moves[0].move), legalMoves(WIN_IN_5).moves[0].position);
  for (const rules of ["lasca", "bignor", "rejump"]) {
    for (const { move, position } of legalMoves(LASKER, { rules }).moves) assert.equal(play(LASKER, move, { rules }), position);
  }
  assert.throws(() => play(WIN_IN_5, "a1-b2"), { reason: "not_a_move" });
  assert.throws(() => legalMoves("x"), { reason: "not_a_position" });
  const many = "c3W b4BBBB b6BB d2BBB d4BBBBB d6BBB f2B f4BBB w";
  assert.throws(() => legalMoves(many, { rules: "rejump" }), { reason: "too_many_moves" });
  assert.throws(() => play(many, "c3-c3", { rules: "rejump" }), { reason: "too_many_moves" });
  assert.throws(() => legalMoves("a1W c3B w", { rules: "chess" }), { reason: "bad_argument" });
});

test("what is no text is refused as such", async () => {
  const tables = await included();
  for (const wrong of [undefined, null, 5, ["a1W b2B w"], { rules: "lasca" }]) {
    assert.throws(() => readPosition(wrong), TypeError);
    assert.throws(() => legalMoves(wrong), TypeError);
    assert.throws(() => play("a1W c3B w", wrong), TypeError);
    assert.throws(() => play(wrong, "a1-b2"), TypeError);
    // Without rules, they are those of Lasker.
    if (wrong !== undefined) assert.throws(() => new Tablebase({ rules: wrong }), TypeError);
    for (const ask of ["probe", "explain", "known", "bestMove", "solve", "certify", "endings"]) {
      await assert.rejects(tables[ask](wrong), TypeError, `${ask} ${wrong}`);
    }
    await assert.rejects(tables.values([WIN_IN_5, wrong]), TypeError);
    await assert.rejects(tables.values([wrong]), TypeError);
  }
  assert.deepEqual(await tables.values([]), []);
});

test("a search tells its progress, finds what the program finds, and can be stopped", async () => {
  const tables = await included();
  const stages = new Set();
  const onProgress = ({ searching }) => stages.add(searching);
  const answer = await tables.solve(LASKER, { exact: true, moves: true, onProgress });
  assert.deepEqual([answer.wdl, answer.dtw], ["win", 25]);
  const [expected] = printed("solve", [LASKER], "--exact", "--moves");
  assert.deepEqual([expected.wdl, expected.dtw], ["win", 25]);
  assert.deepEqual(new Set(answer.moves.map(({ move, wdl }) => `${move} ${wdl}`)), new Set(expected.moves.map(({ move, wdl }) => `${move} ${wdl}`)));
  assert(stages.size > 0);
  const controller = new AbortController();
  let last = null;
  const stopped = tables.solve(START, {
    signal: controller.signal,
    onProgress(progress) {
      last = progress;
      controller.abort();
    },
  });
  await assert.rejects(stopped, { name: "AbortError" });
  assert.equal(last.searching, "position");
  await assert.rejects(tables.solve(START, { memory: 1 }), { reason: "no_memory" });
  for (const wrong of [{ memory: 2 ** 32 }, { memory: -1 }, { seconds: -1 }, { seconds: NaN }]) {
    await assert.rejects(tables.solve(START, wrong), { reason: "bad_argument" });
  }
  const limited = await tables.solve(START, { seconds: 0.2 });
  assert.equal(limited.wdl, null);
});

test("endings have the values of the tables, and counts and certificates are those of the program", async () => {
  const tables = await included();
  const { endings } = await tables.endings("3-2", { choices: [3, 20], limit: 2, seed: 7 });
  assert.equal(endings.length, 2);
  const values = await tables.values(endings.map(({ position }) => position));
  assert.deepEqual(values, endings.map(({ wdl, dtw }) => ({ wdl, dtw })));
  for (const wrong of [{ choices: [5, 2] }, { plies: [1, 65545] }, { limit: -1 }, { seed: 1.5 }, { seed: -1 }, { value: "drawn" }]) {
    await assert.rejects(tables.endings("3-2", wrong), { reason: "bad_argument" });
  }
  for (const material of ["3-2", "2-3", "3-3"]) {
    const told = execFileSync(program, ["stats", material, "--json", "--tables", join(npm, "tables")]);
    assert.deepEqual(await tables.stats(material), JSON.parse(told));
    const longest = execFileSync(program, ["stats", material, "--longest", "3", "--json", "--tables", join(npm, "tables")]);
    assert.deepEqual(await tables.stats(material, { longest: 3 }), JSON.parse(longest));
  }
  for (const longest of [0, 101, 1.5, "3"]) await assert.rejects(tables.stats("3-2", { longest }), { reason: "bad_argument" });
  await assert.rejects(tables.stats("9-9"), { reason: "not_covered", material: "9-9" });
  const folder = await mkdtemp(join(tmpdir(), "lasca-"));
  const file = join(folder, "certificate");
  execFileSync(program, ["certify", WIN_IN_5, "--out", file, "--tables", join(npm, "tables")]);
  assert.equal(await tables.certify(WIN_IN_5), readFileSync(file, "utf8"));
  await rm(folder, { recursive: true });
});

test("studies are played and endings are picked as by the server", async () => {
  const studies = `# One\n${WIN_IN_5}, wins {Quick} 1. d2-c1! (1. a7-b6 2. x) b2-a1\n${START} 1. c3-d4 e5xc3`;
  const server = spawn(program, ["serve", "--addr", "127.0.0.1:0", "--tables", join(npm, "tables")]);
  try {
    const [url] = String((await once(server.stdout, "data"))[0]).split("\n");
    const tables = await included();
    for (const text of [studies, studies.replace("2. x", "b2-a1"), "no study"]) {
      const answer = await (await fetch(`${url}studies`, { method: "POST", body: text })).json();
      if (answer.error) await assert.rejects(tables.studies(text), { message: answer.error, reason: answer.reason });
      else assert.deepEqual(await tables.studies(text), answer);
      assert.equal("error" in answer, text !== studies.replace("2. x", "b2-a1"));
    }
    // Here numbers have 32 bits.
    for (const material of ["2-2", "3-2"]) {
      const answer = await (await fetch(`${url}endings?material=${material}&seed=7`)).json();
      assert.deepEqual(await tables.endings(material, { seed: 7 }), answer);
    }
  } finally {
    server.kill();
  }
});

test("tables are fetched when they are needed, and again after a failure", async () => {
  const asked = [];
  let isDown = true;
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (isDown && request.url.endsWith(".ltbw")) return response.writeHead(500).end();
    response.end(readFileSync(join(npm, request.url)));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const tables = new Tablebase();
  await tables.fetchTables(`http://127.0.0.1:${server.address().port}/tables`);
  assert.deepEqual(asked, ["/tables/SHA256SUMS"]);
  await assert.rejects(tables.probe(WIN_IN_5), { reason: "unreachable" });
  // Moves and a search need no table.
  assert.equal((await tables.known(WIN_IN_5)).missing.reason, "unreachable");
  assert.equal((await tables.solve(WIN_IN_5)).wdl, "win");
  asked.length = 0;
  isDown = false;
  const answers = await Promise.all([tables.probe(WIN_IN_5), tables.probe(WIN_IN_5)]);
  assert.deepEqual(answers.map(({ dtw }) => dtw), [5, 5]);
  // Another list of the same tables brings nothing new.
  await tables.fetchTables(`http://127.0.0.1:${server.address().port}/tables/`);
  await tables.probe(WIN_IN_5);
  assert.equal(asked.filter((url) => url === "/tables/lasca-2-1.ltbd").length, 1);
  assert.deepEqual(tables.list().tables.map(({ material }) => material), ["2-1"]);
  assert.equal((await tables.known("a1w c3B w")).missing.reason, "not_covered");
  server.close();
});

test("a large table that is not allowed is not asked for, and the next question asks again", async () => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url !== "/list.json") return response.end(readFileSync(new URL(`.${request.url}`, INCLUDED)));
    response.end(`{"material":"2-1","rules":"lasca","bytes":12000000,"distances":true}`);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const tables = new Tablebase();
  let isAllowed = false;
  const told = [];
  const allow = (table) => told.push(table) && isAllowed;
  await tables.fetchTables(`http://127.0.0.1:${server.address().port}/list.json`, { allow });
  await assert.rejects(tables.probe(WIN_IN_5), { reason: "declined", material: "2-1" });
  assert.equal((await tables.known(WIN_IN_5)).missing.reason, "declined");
  // A search does without it.
  assert.equal((await tables.solve(WIN_IN_5)).wdl, "win");
  assert.deepEqual([asked, told], [["/list.json"], Array(3).fill({ material: "2-1", bytes: 12000000 })]);
  isAllowed = true;
  assert.equal((await tables.probe(WIN_IN_5)).dtw, 5);
  server.close();
});

test("a bounded table is only fetched for what it covers, and tells how much has come; what is not in the folder is not fetched", async () => {
  const asked = [];
  const list = `{"material":"2-1","rules":"lasca","max_columns":2,"distances":false}\n{"material":"1-1","rules":"bignor","distances":true}\n{"material":"3-2","rules":"lasca","path":null,"distances":true}\n`;
  const table = readFileSync(new URL("lasca-2-1.ltbw", INCLUDED));
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url === "/list.json") return response.end(list);
    response.writeHead(200, { "Content-Length": table.length }).write(table.subarray(0, 100));
    setTimeout(() => response.write(table.subarray(100, 200)), 300);
    setTimeout(() => response.end(table.subarray(200)), 400);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const tables = new Tablebase();
  const told = [];
  await tables.fetchTables(`http://127.0.0.1:${server.address().port}/list.json`, { onProgress: (progress) => told.push(progress) });
  assert.deepEqual(tables.offered, [{ material: "2-1", rules: "lasca", max_columns: 2, distances: false }]);
  await assert.rejects(tables.probe(WIN_IN_5), { reason: "not_covered" });
  assert.deepEqual(asked, ["/list.json"]);
  await tables.probe("a1WB c3W w");
  assert.deepEqual(asked, ["/list.json", "/lasca-2-1.ltbw"]);
  assert(told.length > 0);
  for (const { material, bytes, of } of told) assert.deepEqual([material, bytes > 0 && bytes <= of, of], ["2-1", true, table.length]);
  server.close();
});

test("damaged tables and those of other rules are refused", () => {
  const [wdl, dtw] = ["w", "d"].map((kind) => new Uint8Array(readFileSync(new URL(`lasca-2-1.ltb${kind}`, INCLUDED))));
  const tables = new Tablebase();
  assert.throws(() => tables.addTable(wdl, wdl), { reason: "damaged" });
  tables.addTable(wdl, dtw);
  assert.equal(tables.list().tables.length, 1);
  assert.throws(() => new Tablebase({ rules: "chess" }), { reason: "bad_argument" });
});

test("no damage of a table ends the WebAssembly or changes a value", async () => {
  const wdl = new Uint8Array(readFileSync(new URL("lasca-2-1.ltbw", INCLUDED)));
  const whole = new Tablebase();
  whole.addTable(wdl);
  const asked = [WIN_IN_5, "a1WB c3W w", "a1W c3W e5B b", "c3WB d4W b"];
  const right = await whole.values(asked);
  let refused = 0;
  // Each byte is changed, and the file is cut there.
  for (let place = 0; place < wdl.length; place++) {
    const changed = wdl.slice();
    changed[place] ^= 255;
    for (const bytes of [changed, wdl.slice(0, place)]) {
      const tables = new Tablebase();
      try {
        tables.addTable(bytes);
        for (const [number, position] of asked.entries()) assert.deepEqual(await tables.values([position]), [right[number]]);
      } catch (error) {
        assert.equal(error.reason, "damaged", error);
        refused++;
      }
      tables.free();
    }
  }
  assert(refused > wdl.length);
});

// What a worker has in a browser, and what a page sends it.
const WORKER = `globalThis.onmessage = null; globalThis.postMessage = ({ answer }) => answer && console.log(answer.wdl);\n`;
const ASKED = `\nfor (const data of ["${START}", "${WIN_IN_5}"]) onmessage({ data });\n`;

test("the examples of the README run", async () => {
  const text = readFileSync(new URL("bindings/wasm/README.md", ROOT), "utf8");
  const examples = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  assert(examples.length > 0);
  const folder = await mkdtemp(join(tmpdir(), "lasca-"));
  await cp(npm, join(folder, "node_modules/lasca-tb"), { recursive: true });
  for (const example of examples) {
    // A page and its worker, in one module of node: the last of two positions is answered.
    if (example.includes("new Worker")) continue;
    // bundler.test.js tries what only bundlers read.
    if (example.includes("?url")) continue;
    const isWorker = example.includes("postMessage");
    const code = isWorker ? `${WORKER}${example}${ASKED}` : example;
    const lines = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)\n/g)].map(([, line]) => line);
    const out = execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: folder, encoding: "utf8" });
    assert.deepEqual(out.trim().split("\n"), isWorker ? ["win"] : lines, code);
  }
  await rm(folder, { recursive: true });
});

test("a list of tables that is none is told from one without tables", async () => {
  const lists = {
    "/page/SHA256SUMS": "<!DOCTYPE html>\n<title>Not here</title>\n",
    "/sums/SHA256SUMS": `${"0".repeat(64)}  lasca-1-1.ltbw\nlasca-2-1.ltbw\n`,
    "/page.json": "<!DOCTYPE html>\n",
    "/cut.json": '{"material":"1-1","rules":"lasca","distances":true}\n{"material":"2-1","ru',
    "/others.json": '{"files":[]}\n',
    "/empty/SHA256SUMS": "",
    "/notes/SHA256SUMS": `${"0".repeat(64)} *notes.txt\r\n`,
  };
  const server = createServer((request, response) => response.end(lists[request.url]));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const fetching = (path) => new Tablebase().fetchTables(`http://127.0.0.1:${server.address().port}${path}`);
  for (const path of ["/page", "/sums", "/page.json", "/cut.json", "/others.json"]) {
    await assert.rejects(fetching(path), { reason: "bad_argument", message: /^the list of tables http.*: expected lines of SHA256SUMS or of lasca-tb list --json, found "/ }, path);
  }
  for (const path of ["/empty", "/notes"]) await fetching(path);
  server.close();
});

test("a seed is a number that JSON can hold", async () => {
  const tables = await included();
  const seed = Number.MAX_SAFE_INTEGER;
  for (const same of [seed, BigInt(seed)]) assert.equal((await tables.endings("1-1", { seed: same })).seed, seed);
  for (const wrong of [2 ** 53, 2n ** 53n, 2n ** 53n + 1n, -1n, "7", null]) {
    await assert.rejects(tables.endings("1-1", { seed: wrong }), { message: /seed: a whole number from 0 to 2\^53 - 1/ });
  }
});
