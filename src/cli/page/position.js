// Squares, and positions as text. This module does not know how columns move.

// The 25 squares from a1 on, rank by rank. The file (0 to 6) and the rank (0 to 6) have the same parity.
export const SQUARES = [];
for (let y = 0; y < 7; y++) {
  for (let x = y % 2; x < 7; x += 2) {
    SQUARES.push(squareAt(x, y));
  }
}

export function squareAt(x, y) {
  return "abcdefg"[x] + (y + 1);
}

export function fileOf(square) {
  return square.charCodeAt(0) - 97;
}

export function rowOf(square) {
  return Number(square[1]) - 1;
}

// Reads the list form that the server writes, such as "a1WWW b2BBB w". Returns null for other text.
export function parse(text) {
  const words = text.trim().split(/\s+/);
  const side = words.pop();
  if (side !== "w" && side !== "b") return null;
  const columns = new Map();
  for (const word of words) {
    const [, square, counters] = /^([a-g][1-7])([WBwb]+)$/.exec(word) ?? [];
    if (!SQUARES.includes(square) || columns.has(square)) return null;
    columns.set(square, counters);
  }
  return { columns, side };
}

export function format({ columns, side }) {
  const words = SQUARES.filter((square) => columns.has(square));
  return [...words.map((square) => square + columns.get(square)), side].join(" ");
}

// The squares of a move in order, with those that are jumped: "a1-b2BB-c3WWWB" has a1, b2, c3.
export function squaresOf(move) {
  return move.split("-").map((part) => part.slice(0, 2));
}

// The squares on which the moving column stands, from first to last.
export function landingsOf(move) {
  const squares = squaresOf(move);
  return squares.length === 2 ? squares : squares.filter((_, i) => i % 2 === 0);
}

export function colourOf(counter) {
  return counter === "W" || counter === "w" ? "white" : "black";
}

export const isOfficer = (counter) => counter === counter.toUpperCase();

export const sideName = (side) => (side === "w" ? "White" : "Black");

// A column in words, for screen readers: "white officer over 2 black". If there is a soldier in it,
// each counter is named with its kind.
export function inWords(counters) {
  if (!counters) return "empty";
  const [top, ...below] = counters;
  const kindOf = (counter) => (isOfficer(counter) ? "officer" : "soldier");
  const hasKinds = /[wb]/.test(counters);
  const runs = [];
  for (const counter of below) {
    if (runs.at(-1)?.counter === counter) runs.at(-1).count += 1;
    else runs.push({ counter, count: 1 });
  }
  const words = runs.map(({ counter, count }) => {
    const kind = hasKinds ? ` ${kindOf(counter)}${count === 1 ? "" : "s"}` : "";
    return ` over ${count} ${colourOf(counter)}${kind}`;
  });
  return `${colourOf(top)} ${kindOf(top)}${words.join("")}`;
}
