// How fast the package is beside the program: LASCA_NPM=DIR LASCA_TB=PROGRAM node bindings/wasm/speed.js
//
// The values of 200,000 positions, read from texts, and a search of Lasker's ending for who wins and for the
// exact distance, each three times. The shortest time counts, and each program has one thread.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { LASCA_NPM: npm, LASCA_TB: program } = process.env;
const { Tablebase, legalMoves, load } = await import(pathToFileURL(join(npm, "index.js")));
const LASKER = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";
const START = "a1w c1w e1w g1w b2w d2w f2w a3w c3w e3w g3w a5b c5b e5b g5b b6b d6b f6b a7b c7b e7b g7b w";

await load();
const tables = new Tablebase();
await tables.fetchTables();

// Random play from an ending.
const positions = [];
for (let [position, state] = ["c3WW e3BW b6B w", 1]; positions.length < 200_000; ) {
  state = (state * 48271) % 2147483647;
  const { moves } = legalMoves(position);
  position = moves.length ? moves[state % moves.length].position : "a1W c1W e5BB g5B w";
  positions.push(position);
}

function run(...args) {
  const { stdout, status, stderr } = spawnSync(program, ["--threads", "1", ...args], { input: positions.join("\n"), encoding: "utf8", maxBuffer: 1 << 30 });
  // Of the start of a game, it is open who wins.
  if (status > 1) throw new Error(stderr);
  return stdout;
}

async function least(work) {
  let least = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    const begun = performance.now();
    await work();
    least = Math.min(least, performance.now() - begun);
  }
  return least / 1000;
}

const rate = (count, seconds) => `${Math.round(count / seconds / 1000)} thousand a second`;
const values = [await least(() => tables.values(positions)), await least(() => run("probe", "--stdin", "--brief"))];
console.log(`values: package ${rate(200_000, values[0])}, program ${rate(200_000, values[1])}`);

const searched = [];
for (let turn = 0; turn < 3; turn++) {
  const here = await tables.solve(START, { seconds: 3 });
  const there = JSON.parse(run("solve", START, "--seconds", "3", "--json"));
  searched.push([here, there].map(({ positions, seconds }) => positions / seconds));
}
const most = [0, 1].map((which) => Math.max(...searched.map((pair) => pair[which])));
console.log(`searched positions: package ${rate(most[0], 1)}, program ${rate(most[1], 1)}`);

const exact = [await least(() => tables.solve(LASKER, { exact: true })), await least(() => run("solve", LASKER, "--exact"))];
console.log(`Lasker's ending, exact: package ${exact[0].toFixed(2)} s, program ${exact[1].toFixed(2)} s`);
