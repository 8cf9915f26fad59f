// The page: it looks positions up and solves them, keeps a record of the moves played, and lets its user practise. It
// does not know how columns move, nor what a position is worth: the source tells it.
//
// These modules use only those above them, but for `asking`, `playing`, `setup` and `practising`, which use
// each other: a move leads to a position, its answer to a reply in practice, and that is a move.
//
//   refused           why there is no answer
//   position          squares, and positions as text
//   words             sentences about answers
//   lists, board      lists of moves, and the board
//   game, edits       the marks and the text of a game, and changes to a position
//   address, record   the moves played, in the address of the page too
//   source            what is asked, and whom
//   search            what searches have found
//   practice          what a slip is, and how practice goes
//   state             what is known of the position that is shown
//   view              what is shown
//   asking            asks about the position that is shown, and solves it
//   playing           moves, steps, and best play that goes on by itself
//   setup             changes the position
//   practising        practice as the user goes through it
//   reviewing         who is winning in each position of the game
//   endings           endings to try
//   keys              keys, buttons, forms and files

import * as address from "./address.js";
import { arrive } from "./asking.js";
import * as endings from "./endings.js";
import { key } from "./keys.js";
import { unbroken } from "./lists.js";
import { choose, drag, go, goTo, playLine, press, replay, stop } from "./playing.js";
import * as practice from "./practice.js";
import { keep, load, record } from "./record.js";
import { setMode, view } from "./setup.js";
import * as source from "./source.js";
import { begin, board, byId } from "./view.js";

const EXAMPLE = "c3WW e3BW b6B w";

begin({ press, drag, key, choose, playLine, goTo });

addEventListener("popstate", ({ state }) => {
  stop();
  address.forget();
  start(state);
});

// Starts with the game in the address, or with the entry in the history of the browser.
function start(state) {
  const query = new URLSearchParams(location.search);
  const given = query.get("position");
  const first = given ?? EXAMPLE;
  const side = { white: "w", black: "b" }[query.get("practice")];
  const fresh = side ? practice.begin(first, side) : { entries: [{ position: first, move: null }], at: 0 };
  view(query.get("view") === "black");
  load(state?.entries ? state : fresh, board.flipped);
  const fragment = new URLSearchParams(location.hash.slice(1));
  const moves = (fragment.get("moves") ?? "").split(".").filter(Boolean).map((move, ply) => ({ move, ply, after: ply - 1, depth: 0 }));
  if (!state?.entries && moves.length) {
    replay({ position: first, moves }, (entries) => {
      const at = Math.min(Number(fragment.get("at") ?? moves.length) || 0, entries.length - 1);
      go({ entries, at }, { replace: true });
    });
    return;
  }
  if (!state && given !== null) keep(record);
  arrive();
}

async function showTables() {
  try {
    const { rules, tables } = await source.tables();
    const here = tables.filter((table) => table.rules === rules && !table.error);
    // A bounded table is named with its greatest number of columns.
    const name = ({ material, max_columns: most }) => (most ? `${material} (up to ${most} columns)` : material);
    const names = here.map(name).join(", ");
    endings.offer(here);
    byId("about-tables").replaceChildren(...unbroken(here.length ? `Tables: ${names} (${rules} rules)` : `No tables (${rules} rules)`));
  } catch {
    byId("about-tables").textContent = "";
    byId("retry").addEventListener("click", showTables, { once: true });
  }
}

setMode("play");
start(history.state);
showTables();
