// What the page asks, and whom: workers of the page, which have the tables and search. It has the functions of
// the `source.js` that asks a server, and takes its place in a site without one.

import { Refused } from "./refused.js";

// How long a worker may take to stop a search before another takes its place, in milliseconds.
const PATIENCE = 10_000;

// Why a worker has no answers.
const BROKEN = ["internal_error", "the page has made a mistake, and begins anew"];
const UNREACHABLE = ["unreachable", "a file of the page cannot be fetched"];
const FORBIDDEN = ["unsupported", "the policy of the host (Content-Security-Policy) forbids the workers of the page: its worker-src needs 'self'"];

// Whether the policy of the host has forbidden something.
let isForbidden = false;
addEventListener("securitypolicyviolation", () => (isForbidden = true));

// A worker, and the questions that it has not answered. It is started when it is first asked.
class Asker {
  #worker = null;
  #waiting = new Map();
  #last = 0;

  // Asks a question. If its signal is given, nobody waits for the answer any more. `progress` is called with how
  // much of a table has been fetched.
  ask(what, about, signal, progress) {
    return this.#ask({ what, about }, signal, (question) => question.fail(signal.reason), progress);
  }

  // Makes a table. If the signal is given, the worker stops at once.
  make(plan, { signal, progress }) {
    return this.#ask({ what: "make", about: plan }, signal, (question) => {
      this.#worker?.postMessage({ number: question.number, what: "stop" });
      question.fail(signal.reason);
    }, progress);
  }

  // Starts a search. `progress` is called with how far it is. If the signal is given, the worker ends the search; if it
  // does not soon, another one takes its place.
  search(about, { signal, progress }) {
    return this.#ask({ what: "solve", about }, signal, (question) => {
      this.#worker.postMessage({ number: question.number, what: "stop" });
      setTimeout(() => this.#waiting.has(question.number) && this.#replace(), PATIENCE);
    }, progress);
  }

  #ask(message, signal, stop, progress) {
    signal?.throwIfAborted();
    this.#worker ??= this.#start();
    const number = ++this.#last;
    return new Promise((done, fail) => {
      const question = { number, message: { number, ...message }, progress, signal };
      const stopped = () => stop(question);
      const ends = (end) => (value) => {
        signal?.removeEventListener("abort", stopped);
        this.#waiting.delete(number);
        end(value);
      };
      Object.assign(question, { done: ends(done), fail: ends(fail) });
      this.#waiting.set(number, question);
      signal?.addEventListener("abort", stopped);
      this.#worker.postMessage(question.message);
    });
  }

  #start() {
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    // An event without a message tells of a file that could not be loaded.
    worker.onerror = ({ message }) => this.#breaks(message !== undefined ? BROKEN : isForbidden ? FORBIDDEN : UNREACHABLE);
    worker.onmessage = ({ data: { number, answer, progress, fetching, refused, large, isBroken } }) => {
      if (large) return worker.postMessage({ number, what: "allow", about: this.#waiting.size > 0 && allows(large) });
      if (isBroken) return this.#breaks(BROKEN);
      // A table can be what several questions wait for.
      if (fetching) return this.#waiting.forEach((question) => question.progress?.({ fetching }));
      const question = this.#waiting.get(number);
      if (progress) question?.progress(progress);
      else if (question?.signal?.aborted) question.fail(question.signal.reason);
      else if (refused) question?.fail(new Refused(refused.reason, refused.message));
      else question?.done(answer);
    };
    return worker;
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  // Another worker takes the place of one that does not stop. It is asked all questions but those that were
  // stopped.
  #replace() {
    this.#end();
    for (const { signal, fail } of [...this.#waiting.values()]) if (signal?.aborted) fail(signal.reason);
    this.#worker = this.#start();
    for (const { message } of this.#waiting.values()) this.#worker.postMessage(message);
  }

  // The worker has made a mistake, or cannot be loaded. It ends, and the next question has another one.
  #breaks(why) {
    this.#end();
    for (const { fail } of [...this.#waiting.values()]) fail(new Refused(...why));
  }
}

// The user decides whether a large table is fetched, once for both workers, until the user asks for it again.
const allowed = new Map();

function allows({ material, bytes }) {
  const size = bytes ? `has ${Math.round(bytes / 1e6)} MB` : "may be large";
  if (!allowed.has(material)) allowed.set(material, confirm(`The table ${material} ${size}. Fetch it?`));
  return allowed.get(material);
}

// One looks positions up while the other searches.
const tells = new Asker();
const searches = new Asker();

export const about = async () => (await fetch(new URL("about.json", import.meta.url))).json();

export const tables = () => tells.ask("tables");

export function known(position, signal, progress, material) {
  if (material) allowed.set(material, true);
  return tells.ask("known", { position }, signal, progress);
}

export async function planFor({ position }, signal) {
  const plan = await tells.ask("plan", { position }, signal);
  return plan && { ...plan, isHere: true };
}

export const make = ({ plan, signal, progress }) => tells.make(plan, { signal, progress });

export const picture = (position) => tells.ask("picture", { position });

export const stats = (material) => tells.ask("stats", { material });

export const studies = (text, signal, progress) => tells.ask("studies", { text }, signal, progress);

export function endings(query, signal, progress) {
  for (const [material, isAllowed] of allowed) if (!isAllowed) allowed.delete(material);
  return tells.ask("endings", query, signal, progress);
}

export const solve = (position, { exact, moves = true, seconds, signal, progress }) =>
  searches.search({ position, exact, moves, seconds }, { signal, progress });

// Keeps the files of the site for the next visit, which may be offline. A new version waits, and is told.
async function keepFiles() {
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register("offline.js");
  const begin = () => {
    serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    registration.waiting?.postMessage("begin");
  };
  const tell = () => registration.waiting && serviceWorker.controller && dispatchEvent(new CustomEvent("newversion", { detail: begin }));
  registration.addEventListener("updatefound", () => registration.installing.addEventListener("statechange", tell));
  tell();
}

// The browser may allow no storage, or only a connection that is safe.
addEventListener("load", () => keepFiles().catch(() => {}));
