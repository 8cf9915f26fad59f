// What the page asks, and whom: workers of the page, which have the tables and search. It has the functions of
// the `source.js` that asks a server, and takes its place in a site without one.

// How long a worker may take to stop a search before another takes its place, in milliseconds.
const PATIENCE = 3000;

// Why there is no answer. `reason` is a word for programs, such as "not_a_position", and `message` a text
// for people.
export class Refused extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

// A worker, and the questions that it has not answered. It is started when it is first asked.
class Asker {
  #worker = null;
  #waiting = new Map();
  #last = 0;

  // Asks a question. `progress` is called with what is found meanwhile.
  ask(what, about, { signal, progress } = {}) {
    signal?.throwIfAborted();
    this.#worker ??= this.#start();
    const number = ++this.#last;
    return new Promise((done, fail) => {
      const stop = () => {
        this.#worker?.postMessage({ number, what: "stop" });
        setTimeout(() => this.#waiting.has(number) && this.#fails(signal.reason), PATIENCE);
      };
      signal?.addEventListener("abort", stop, { once: true });
      const ends = (end) => (value) => {
        signal?.removeEventListener("abort", stop);
        this.#waiting.delete(number);
        end(value);
      };
      this.#waiting.set(number, { done: ends(done), fail: ends(fail), progress, signal });
      this.#worker.postMessage({ number, what, about });
    });
  }

  #start() {
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    const broken = () => this.#fails(new Refused("internal_error", "the page has made a mistake, and begins anew"));
    worker.onerror = broken;
    worker.onmessage = ({ data: { number, answer, progress, refused, large, isBroken } }) => {
      if (large) return worker.postMessage({ number, what: "allow", about: allows(large) });
      const question = this.#waiting.get(number);
      if (isBroken) broken();
      else if (progress) question?.progress?.(progress);
      else if (question?.signal?.aborted) question.fail(question.signal.reason);
      else if (refused) question?.fail(new Refused(refused.reason, refused.message));
      else question?.done(answer);
    };
    return worker;
  }

  // The worker ends, and with it all its questions. The next question has another worker.
  #fails(error) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { fail } of [...this.#waiting.values()]) fail(error);
  }
}

// The user decides whether a large table is fetched.
const allows = ({ material, bytes }) => confirm(`The table ${material} has ${Math.round(bytes / 1e6)} MB. Fetch it?`);

// One looks positions up while the other searches.
const tells = new Asker();
const searches = new Asker();

export const tables = () => tells.ask("tables");

export const known = (position, signal) => tells.ask("known", { position }, { signal });

export const endings = (query, signal) => tells.ask("endings", query, { signal });

export const solve = (position, { exact, signal, progress }) => searches.ask("solve", { position, exact }, { signal, progress });

// Keeps the files of the site for the next visit, which may be offline.
addEventListener("load", () => navigator.serviceWorker?.register("offline.js").catch(() => {}));
