// Makes a table in a worker, which `index.js` starts for that, and ends.

import init, { Plan } from "./lasca_tb_maker.js";

// In a variable, so that bundlers leave it alone.
const THREADS = "node:worker_threads";

async function work({ source, rules, material, columns, memory, isMade }, port) {
  try {
    await init({ module_or_path: source });
  } catch (error) {
    return port.postMessage({ failed: { error: `the WebAssembly cannot be fetched: ${error.message}`, reason: "unreachable" } });
  }
  try {
    const plan = new Plan(rules, material, columns, memory);
    if (!isMade) return port.postMessage({ result: JSON.parse(plan.told()) });
    const { wdl, dtw } = plan.make((done) => port.postMessage({ done }));
    port.postMessage({ result: { wdl, dtw } }, [wdl.buffer, dtw.buffer]);
  } catch (error) {
    const failed = typeof error === "string" ? JSON.parse(error) : { error: `the table cannot be made: ${error.message}`, reason: "internal_error" };
    port.postMessage({ failed });
  }
}

// A thread of node has no function for messages of its own.
if (globalThis.postMessage) globalThis.onmessage = ({ data }) => work(data, globalThis);
else import(/* webpackIgnore: true */ /* @vite-ignore */ THREADS).then(({ parentPort }) => parentPort.on("message", (task) => work(task, parentPort)));
