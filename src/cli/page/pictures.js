// Small pictures of positions.

import { drawColumn, svg } from "./board.js";
import { SQUARES, fileOf, rowOf } from "./position.js";

// A picture of a position.
export function miniature({ columns }) {
  const picture = svg("svg", { viewBox: "0 0 7 7", class: "miniature", "aria-hidden": "true" });
  for (const square of SQUARES) {
    picture.append(svg("rect", { x: fileOf(square), y: 6 - rowOf(square), width: 1, height: 1 }));
  }
  for (const [square, counters] of columns) {
    const column = drawColumn(counters);
    // A column fills its square, so that it can be seen well.
    const at = { x: fileOf(square) - 0.1, y: 5.9 - rowOf(square), width: 1.2, height: 1.2 };
    for (const [key, value] of Object.entries(at)) column.setAttribute(key, value);
    picture.append(column);
  }
  return picture;
}
