/**
 * Lasca: legal moves, the values of endings from tables, and search.
 *
 * A position is a text: each column with its square, then the side to move, as in `"b2B d2W a7W w"`. In a column,
 * `W` and `B` are officers, `w` and `b` are soldiers, and the commander stands first. Values are those of the side
 * to move. Distances are plies, moves of one side, until the game is won.
 *
 * Call `load` once and wait for it before anything else. What is called earlier throws an `Error` that says so.
 */

/** The type of a global object, where its types are there: those of browsers (the library "dom") or of node. */
type Global<Name extends string, Otherwise> =
  typeof globalThis extends Record<Name, { prototype: infer Type }> ? Type : Otherwise;

/** A `URL`. */
type Address = Global<"URL", { readonly href: string }>;

/** A `WebAssembly.Module`. */
type Module = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Type } } } ? Type : object;

/** Loads the WebAssembly. `source` says where it is; without it, it stands beside this file. */
export function load(
  source?: Address | string | Global<"Response", never> | ArrayBuffer | ArrayBufferView | Module,
): Promise<void>;

/** The folder of the tables that come with the package. */
export const INCLUDED: Address;

export type Rules = "lasca" | "bignor" | "rejump";
export type Wdl = "win" | "draw" | "loss";
export type Side = "white" | "black";

/** Why there is no answer, in a word for programs. */
export type Reason =
  | "not_a_position"
  | "not_a_move"
  | "not_a_study"
  | "game_over"
  | "not_covered"
  | "other_rules"
  | "no_distances"
  | "damaged"
  | "inconsistent"
  | "no_memory"
  | "bad_argument"
  | "too_many_moves"
  | "internal_error"
  /** A file cannot be fetched. The next question fetches it again. */
  | "unreachable"
  /** The table is large, and `allow` has said no. The next question asks `allow` again. */
  | "declined"
  /** The browser, or the policy of the host, allows no WebAssembly, or not the one that is needed. */
  | "unsupported";

/**
 * What all functions throw if there is no answer. A search that a signal has ended throws the reason of the signal
 * instead, by default an `AbortError`. Where a text is expected, anything else throws a `TypeError`. After
 * a `RuntimeError` of the WebAssembly, which no argument should cause, the module cannot be used any more.
 */
export class LascaError extends Error {
  readonly reason: Reason;
  /** The material of the table that would answer. */
  readonly material?: string;
  /** The number of columns of the position. */
  readonly columns?: number;
}

/** What is known of a position. */
export interface Known {
  /** What it is worth to the side to move; `null` if that is open. */
  wdl?: Wdl | null;
  /** The plies to the end with best play; `null` for a draw, or if it is not known. */
  dtw?: number | null;
  /** After a search: the win or loss takes at most this many plies. */
  at_most?: number | null;
  /** After a search: the sides that are proved to be unable to win. */
  excluded?: Side[];
}

/** A move, the position after it, and what it is worth to the side that makes it. */
export interface Move extends Known {
  move: string;
  position: string;
}

/** A move with what proves its value. */
export interface ExplainedMove extends Move {
  /**
   * What the move looks worth to the side that makes it, from -100 to 100, where 0 is even. It proves nothing. Only
   * moves whose result a search has left open have it.
   */
  estimate?: number;
  /** The play that is expected after the move, which proves nothing. Only for the two open moves with the best estimates. */
  estimated_line?: { move: string; position: string }[];
  /** How it compares with the other moves; `null` if that is open. */
  standing?: "only legal move" | "only move" | "best" | "one of several" | "gives away" | null;
  /** The best line after the move, and how it ends. */
  line?: Move[];
  line_end?: "white wins" | "black wins" | "repetition" | null;
  /** How many legal replies there are. */
  replies?: number;
  /** After a move that draws, the replies that hold the draw. */
  holding?: string[] | null;
}

export interface Answer extends Known {
  position: string;
  /** All legal moves, the best first; in the order of their squares where nothing is known of them. */
  moves?: ExplainedMove[];
  /** The move to play, with `moves` of which something is known, if the game is not over. */
  best_move?: string;
  /** The best line. */
  line?: Move[];
  /** How the line ends; `null` if nothing is known of the position after it. */
  line_end?: "white wins" | "black wins" | "repetition" | null;
  /** After a search: how many positions it has met, and in how many seconds. */
  positions?: number;
  seconds?: number;
  /** Why the search has stopped before it found all that was asked for; absent if it found all. */
  stop?: "time" | "memory" | "cancelled" | "too_many_moves" | "no_distances";
}

/** Both forms of a position. */
export interface PositionForms {
  position: string;
  /** The form that lists the rows. */
  rows: string;
  /** How many counters White and Black have, as in `"3-2"`; `null` if a side has none. */
  material: string | null;
  /**
   * The position and its images that are worth the same: rotated and reflected. If there is a soldier, only left and
   * right can be exchanged.
   */
  symmetric: string[];
}

/** Reads a position in one of its two forms. Positions can have soldiers and up to 22 counters. */
export function readPosition(position: string): PositionForms;

/** The legal moves of a position, in the order of their squares: none if the game is over. */
export function legalMoves(position: string, options?: { rules?: Rules }): { position: string; moves: Move[] };

/** The picture of a position as SVG, in the colours of a wooden board. */
export function picture(position: string): string;

/** The position after a move, such as `"c3-d4"` or `"b2xd4"`. */
export function play(position: string, move: string, options?: { rules?: Rules }): string;

/** How far a search is. */
export interface Progress {
  searching: "position" | "distance" | "moves";
  positions: number;
  seconds: number;
}

export interface SearchOptions {
  /** The longest time of the search itself. Without it, the search goes on until all is found, or the memory is full. */
  seconds?: number;
  /** Whether to find the exact distance. */
  exact?: boolean;
  /** Whether to find what each move is worth. */
  moves?: boolean;
  /** The positions that came before in the game. Where nothing better is known, `best_move` does not lead back to them. */
  before?: string[];
  /** The most bytes that the search holds; default 256 MiB. */
  memory?: number;
  /** Ends the search. Then `solve` rejects. */
  signal?: Global<"AbortSignal", { readonly aborted: boolean; throwIfAborted(): void }>;
  onProgress?: (progress: Progress) => void;
}

/**
 * An ending to practise, with White to move. White has `choices` choices before the first turn with several right moves:
 * turns with more than one legal move, of which only one keeps the result.
 */
export interface Ending {
  position: string;
  wdl: Wdl;
  dtw: number | null;
  choices: number;
}

export interface Endings {
  material: string;
  value: "win" | "draw";
  /** Rounded, if it was greater than 2 ** 53. */
  seed: number;
  looked_at: number;
  /** Whether these are all that the table has. */
  whole_table: boolean;
  endings: Ending[];
}

/** A position of a study, and the move that leads to it. */
export interface StudyPosition {
  position: string;
  move?: string;
  /** The place of the position before the move. */
  parent?: number;
  mark?: "!" | "!!" | "?" | "??" | "!?" | "?!";
  /** The last result that stands after the move, such as "1-0", or "1-0 in 12" with its length in plies. */
  result?: string;
  comments?: string[];
  /** What the position is worth to its side to move, if the tables tell. */
  wdl?: Wdl;
  /** The one of several moves that keeps the result, if the tables tell that there is one. */
  only?: string;
}

/** A study whose moves were played. */
export interface PlayedStudy {
  /** The line of its position in the text. */
  line: number;
  title?: string;
  /** What the author claims about the position, such as "1-0" or "1-0 in 12". */
  verdict?: string;
  /** The number of the first move, unless it is 1. */
  number?: number;
  /** The first position, and then those after moves. Each line stands before its variations. */
  positions: StudyPosition[];
  /** The moves that are not legal. Each ends its line. */
  errors: { line: number; column: number; error: string }[];
}

/** A table in the list of a tablebase. */
export interface Table {
  material: string;
  rules: Rules;
  /** The most columns of a position that a bounded table covers. */
  max_columns: number | null;
  bytes: number;
  distances: boolean;
}

/**
 * Counts of all positions of a material in which neither side has lost all its columns, or of those of at most `max_columns`
 * columns. Positions that differ only by a symmetry count separately.
 */
export interface Stats {
  material: string;
  rules: Rules;
  max_columns?: number;
  white: SideStats;
  black: SideStats;
  columns: (Results & { columns: number })[];
  /** The longest wins of the side to move, if they are asked for. */
  longest?: { position: string; wdl: "win"; dtw: number }[];
}

export interface Results {
  win: number;
  draw: number;
  loss: number;
}

/** Counts for a side to move. */
export interface SideStats extends Results {
  /** The longest win and the longest loss, in plies. */
  max_win: number | null;
  max_loss: number | null;
  /** Positions in which the side must capture. */
  capture: number;
  /** Pairs of a number of plies and of positions. */
  histogram: [number, number][];
}

/** What it takes to make a table. */
export interface Plan {
  material: string;
  /** The most columns of a position in it. */
  columns: number;
  /** How many positions it stores. */
  positions: number;
  /** About how long it takes here. */
  seconds: number;
  /** Bytes. */
  memory: number;
}

/** Tables in memory under one rule set. */
export class Tablebase {
  constructor(options?: { rules?: Rules });

  readonly rules: Rules;

  /** The tables that can still be fetched. */
  readonly offered: Omit<Table, "bytes">[];

  /** Adds a table: the bytes of its WDL file (`.ltbw`) and, for distances, those of its DTW file (`.ltbd`). */
  addTable(wdl: Uint8Array, dtw?: Uint8Array): void;

  /**
   * Offers the tables of a folder, whose file `SHA256SUMS` lists them; without `url`, those that come with the
   * package. `url` can also name a list that `lasca-tb list --json` has printed, a file whose name ends in `.json` and
   * which is in the folder. Only that list tells how many columns bounded tables cover. Its tables that are inside
   * the program, and have no path, are not offered. In node, `url` must be a whole address, such as
   * `new URL("./tables/", import.meta.url)`.
   *
   * A table is fetched when a question needs it. `allow` is asked before a table of more than 10 MB is fetched, or
   * one whose length is not known (`null`); if it says no, the reason is `declined`. Only a list of `lasca-tb list`
   * tells the length before the table is asked for. `onProgress` is told now and then how many bytes have come, `of`
   * how many in all, if that is known.
   */
  fetchTables(
    url?: Address | string,
    options?: {
      allow?: (table: { material: string; bytes: number | null }) => boolean | Promise<boolean>;
      onProgress?: (progress: { material: string; bytes: number; of: number | null }) => void;
    },
  ): Promise<void>;

  /**
   * What it takes to make the table that a position of officers needs: that of its material with at most as many
   * columns. `null` if the tables answer, if none can, or if it takes more than so many bytes of `memory`; default 1 GiB.
   */
  planFor(position: string, options?: { memory?: number; signal?: SearchOptions["signal"] }): Promise<Plan | null>;

  /**
   * Makes the table of a material with at most so many `columns`, by default all, adds it, and returns the bytes of its
   * files, so that they can be kept: `addTable` takes them. A worker does that, with a WebAssembly of its own that is
   * fetched then. `signal` ends it. `onProgress` is told the share of the work that is done.
   */
  make(
    material: string,
    options?: {
      columns?: number;
      memory?: number;
      signal?: SearchOptions["signal"];
      onProgress?: (progress: { material: string; done: number }) => void;
    },
  ): Promise<{ wdl: Uint8Array; dtw: Uint8Array }>;

  /** The rules, and the tables that are here. */
  list(): { rules: Rules; tables: Table[] };

  /**
   * The value of a position of officers, by the tables. `moves` adds all moves, and `line` the best line; both are off
   * by default.
   */
  probe(position: string, options?: { moves?: boolean; line?: boolean }): Promise<Answer>;

  /** The value of a position and of each move, with what proves it. */
  explain(position: string): Promise<Answer>;

  /** All that a board shows: the answer of the tables, or the legal moves and why there is no other answer. */
  known(position: string, options?: Pick<SearchOptions, "before">): Promise<
    Answer & { missing?: { error: string; reason: Reason; material?: string; columns?: number } }
  >;

  /** Plays the moves of the studies in a text, which may be games. */
  studies(studies: string): Promise<{ studies: PlayedStudy[] }>;

  /**
   * The move to play, as `docs/PROTOCOL.md` says; `null` if the game is over. With `seconds`, a search finds it where
   * no table covers the position, or a table says that it is won but not how far the win is.
   */
  bestMove(
    position: string,
    options?: Pick<SearchOptions, "seconds" | "before" | "memory" | "signal" | "onProgress">,
  ): Promise<ExplainedMove | null>;

  /** The values of many positions; `null` where no table has it. */
  values(positions: string[]): Promise<({ wdl: Wdl; dtw: number | null } | null)[]>;

  /** Endings to practise, picked at random. `choices` and `plies` are ranges; the ends belong to them. */
  endings(
    material: string,
    options?: {
      value?: "win" | "draw";
      choices?: [number, number];
      plies?: [number, number];
      limit?: number;
      /** A whole number below 2^53; 0 by default. */
      seed?: number | bigint;
    },
  ): Promise<Endings>;

  /** How the positions of a material are won, drawn and lost, as the table counts them. */
  stats(material: string, options?: { longest?: number }): Promise<Stats>;

  /**
   * Solves a position by search. Soldiers are allowed, and tables help. Other events have their turn every half
   * second or more often, and less often in long searches for distances: a page should search in a worker.
   */
  solve(position: string, options?: SearchOptions): Promise<Answer>;

  /** A certificate of the value of a position, as text. This blocks for as long as it takes, or `seconds` allow. */
  certify(position: string, options?: { seconds?: number; memory?: number }): Promise<string>;

  /** Frees the memory. What is asked later throws an `Error` that says so. */
  free(): void;
}
