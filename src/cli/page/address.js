// The address of the page and the history of the browser, which hold the record.
//
// Browsers allow few changes: Safari throws after 100 in 30 seconds. So a change after a pause is written at
// once, and all that follow are written together, at most once in each pause.

// The time between two writes, in milliseconds.
const PAUSE = 400;

// The time until the next write after the browser has refused one, in milliseconds.
const REFUSED = 5000;

// What is still to be written, or null.
let waiting = null;
let timer = null;

// Writes the record and its address, as a new step in the history if `isStep`.
export function write(record, { isStep, url }) {
  // What waits belongs to the step before.
  if (isStep && waiting && !waiting.isStep) {
    clearTimeout(timer);
    writeNow();
  }
  waiting = { record, isStep: isStep || Boolean(waiting?.isStep), url };
  if (timer === null) writeNow();
}

function writeNow() {
  timer = null;
  if (!waiting) return;
  const { record, isStep, url } = waiting;
  let pause = PAUSE;
  try {
    history[isStep ? "pushState" : "replaceState"](record, "", url);
    waiting = null;
  } catch {
    pause = REFUSED;
  }
  timer = setTimeout(writeNow, pause);
}

// Forgets what is still to be written, because the user has gone elsewhere in the history.
export function forget() {
  waiting = null;
}

addEventListener("pagehide", writeNow);
