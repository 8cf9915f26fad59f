// Makes a table, or reads a whole one, in a worker, which `index.js` starts for that, and ends.

import init, { Plan, longestWins } from "./lasca_tb_maker.js";

// In a variable, so that bundlers leave it alone.
const THREADS = "node:worker_threads";

async function work({ source, rules, material, columns, memory, isMade, files, longest }, port) {
  try {
    await init({ module_or_path: source });
  } catch (error) {
    return port.postMessage({ failed: { error: `the WebAssembly cannot be fetched: ${error.message}`, reason: "unreachable" } });
  }
  try {
    if (files) return port.postMessage({ result: JSON.parse(longestWins(rules, material, files.wdl, files.dtw, longest)) });
    const plan = new Plan(rules, material, columns, memory);
    if (!isMade) return port.postMessage({ result: JSON.parse(plan.told()) });
    const { wdl, dtw } = plan.make((done) => port.postMessage({ done }));
    port.postMessage({ result: { wdl, dtw } }, [wdl.buffer, dtw.buffer]);
  } catch (error) {
    const failed = typeof error === "string" ? JSON.parse(error) : { error: `the table cannot be ${files ? "read" : "made"}: ${error.message}`, reason: "internal_error" };
    port.postMessage({ failed });
  }
}

// A thread of node has no function for messages of its own.
if (globalThis.postMessage) globalThis.onmessage = ({ data }) => work(data, globalThis);
else import(/* webpackIgnore: true */ /* @vite-ignore */ THREADS).then(({ parentPort }) => parentPort.on("message", (task) => work(task, parentPort)));
