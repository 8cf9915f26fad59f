// The page: it looks positions up and solves them, keeps a record of the moves played, and lets its user practise. It
// does not know how columns move, nor what a position is worth: the source tells it.
//
// Each thing that the user does goes the same way:
//
//   1. `keys` hears it and calls an act, such as `play`.
//   2. The act makes the next record, and `go` takes it over: the record is replaced once, and so is the address.
//   3. `go` asks the source about the position of the record. What it answers goes into the state, and what positions
//      are worth into the values, which outlast it.
//   4. `render` draws everything anew from the record, the state and the values. It changes only what differs.
//
// An act that goes nowhere changes the state alone. These modules use only those above them, as
// `tools/dev/check-layers` checks:
//
//   refused           why there is no answer
//   settings          what the browser remembers for its user
//   position          squares, and positions as text
//   words             sentences about answers
//   lists, board      lists of moves, and the board
//   pictures          small pictures of positions
//   edits             changes to a position
//   address           the address of the page and the history of the browser
//   values            what positions are worth, as the tables tell and searches find
//   game              the marks and the text of a game
//   file              the studies of the file that was opened
//   record            the moves played
//   source            what is asked, and whom
//   practice          what a slip is, and how practice goes
//   state             what is known of the position that is shown
//   view              draws all that is shown
//   asking            goes to a position, asks about it, and solves it
//   playing           moves, steps, best play that goes on by itself, and games that are read
//   moving            leads a column from square to square
//   setup             changes the position
//   practising        practice as the user goes through it
//   reviewing         who is winning in each position of the game
//   endings           endings to try
//   statistics        how the positions of a material are won, drawn and lost
//   keys              keys, buttons, forms and files

import * as address from "./address.js";
import { arrive, hooks, refresh } from "./asking.js";
import * as endings from "./endings.js";
import "./keys.js";
import { make } from "./lists.js";
import { miniature } from "./pictures.js";
import { playOn, readLink } from "./playing.js";
import { parse } from "./position.js";
import * as practice from "./practice.js";
import { dropReply, reply } from "./practising.js";
import { game, here, keep, link, load, record, USUAL_RULES, withoutPractice } from "./record.js";
import { leaveReview } from "./reviewing.js";
import { offerMaterials } from "./setup.js";
import * as source from "./source.js";
import { isUnread, state, stop } from "./state.js";
import { choose, count } from "./statistics.js";
import { haveRules, rulesHere, rulesOfRecord } from "./values.js";
import { byId } from "./view.js";

const EXAMPLE = "c3WW e3BW b6B w";

hooks.left = () => {
  dropReply();
  leaveReview();
};
hooks.failed = count;
hooks.answered = () => {
  reply();
  playOn();
  count();
};

addEventListener("popstate", ({ state }) => {
  stop();
  address.forget();
  start(state);
});

// Starts with the game in the address, or with the entry in the history of the browser.
function start(saved) {
  const query = new URLSearchParams(location.search);
  // A blank may be written as "+", and that again as "%2B".
  const given = query.get("position")?.replaceAll("+", " ") ?? null;
  const first = given ?? EXAMPLE;
  const side = { white: "w", black: "b" }[query.get("practice")];
  const isGame = location.hash.length > 1;
  const values = { rules: query.get("rules") ?? (isGame ? USUAL_RULES : null) };
  const fresh = side ? practice.begin(first, side) : { entries: [{ position: first, move: null }], at: 0 };
  const isOfOtherRules = load(saved?.entries ? saved : { ...fresh, values }, (query.get("view") ?? query.get("practice")) === "black");
  const fragment = new URLSearchParams(location.hash.slice(1));
  isKept = Boolean(saved?.entries);
  if (isOfOtherRules) tellRules();
  if (!isKept && ["moves", "title", "c0"].some((name) => fragment.has(name))) return readLink(first, fragment, side);
  if (!saved && given !== null) keep(record);
  if (isOfOtherRules && isKept) readAgain();
  else arrive();
}

// Whether the game was kept by the browser. That of a link is read under the rules of the source anyway.
let isKept = false;

const tellRules = () => (byId("news").textContent = `This game or link is of ${rulesOfRecord()} rules. Here it is read under ${rulesHere()} rules.`);

// Reads the game that is shown, which is of other rules, as one under those of the source.
function readAgain() {
  if (record.practice) keep(withoutPractice());
  readLink(game().line[0].position, new URLSearchParams(new URL(link(), location.href).hash.slice(1)));
}

for (const figure of document.querySelectorAll("[data-picture]")) figure.prepend(miniature(parse(figure.dataset.picture)));

async function showTables() {
  try {
    const [{ rules, tables }, about] = await Promise.all([source.tables(), source.about()]);
    state.searches = about.searches;
    byId("about").textContent = `${about.program} ${about.version}`;
    const isOfOtherRules = haveRules(rules);
    if (isOfOtherRules) tellRules();
    if (isOfOtherRules && isKept) readAgain();
    else if (isOfOtherRules && !isUnread()) keep(record);
    refresh(here().position);
    const open = tables.filter((table) => table.rules === rules && !table.error);
    // A bounded table is named with its greatest number of columns.
    const name = ({ material, max_columns: most }) => (most ? `${material} (up to ${most} columns)` : material);
    state.tables = open;
    count();
    const asked = new URLSearchParams(location.search).get("statistics");
    if (asked) choose(asked);
    endings.offer(open);
    offerMaterials([...new Set(open.map(({ material }) => material))]);
    const links = open.map((table) => make("a", { href: `?statistics=${table.material}`, class: "whole" }, name(table)));
    const names = links.flatMap((link, i) => (i ? [", ", link] : [link]));
    byId("about-tables").replaceChildren(...(open.length ? ["Tables: ", ...names] : ["No tables"]), ` (${rules} rules)`);
  } catch {
    byId("about-tables").textContent = "";
    byId("retry").addEventListener("click", showTables, { once: true });
  }
}

// The source tells when there is another version of the page.
addEventListener("newversion", ({ detail: begin }) => {
  const button = make("button", { type: "button" }, "Reload");
  button.addEventListener("click", begin);
  byId("news").replaceChildren("There is a new version of this page. It opens when no other window shows this page. ", button);
});

start(history.state);
showTables();
