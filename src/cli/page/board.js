// The board: it draws columns, and reports presses, drags and keys on its squares.

import { SQUARES, colourOf, fileOf, inWords, isOfficer, landingsOf, rowOf, squareAt } from "./position.js";

const SVG = "http://www.w3.org/2000/svg";

// The drawing of a column, in a square of 100 by 100: the radii of its discs, and the height of each
// above the one below, if there is room.
const RADIUS_X = 39;
const RADIUS_Y = 17;
const THICKNESS = 15;
const ROOM = 58;

// How far a pointer must move to start a drag, in pixels.
const DRAG = 6;

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// The picture of a column, with the commander on top. An officer has a ring, and a mark on its side.
export function drawColumn(counters) {
  const picture = svg("svg", { viewBox: "0 0 100 100", class: "column", "aria-hidden": "true" });
  const height = counters.length;
  const step = Math.min(THICKNESS, ROOM / height);
  const lowest = 50 + (step * height) / 2;
  picture.append(
    svg("ellipse", { class: "shadow", cx: 50, cy: lowest + 2.5, rx: RADIUS_X + 2.5, ry: RADIUS_Y + 1.5 }),
  );
  [...counters].reverse().forEach((counter, i) => {
    const colour = colourOf(counter);
    const top = lowest - step * (i + 1);
    const left = 50 - RADIUS_X;
    const arc = `a${RADIUS_X} ${RADIUS_Y} 0 0 0 ${2 * RADIUS_X} 0`;
    picture.append(
      svg("path", { class: `side ${colour}`, d: `M${left} ${top}v${step}${arc}v${-step}z` }),
      svg("ellipse", { class: `top ${colour}`, cx: 50, cy: top, rx: RADIUS_X, ry: RADIUS_Y }),
    );
    if (!isOfficer(counter)) return;
    const front = top + RADIUS_Y + step / 2;
    picture.append(svg("ellipse", { class: `mark ${colour}`, cx: 50, cy: front, rx: 9, ry: 0.24 * step }));
    if (i === height - 1) {
      picture.append(
        svg("ellipse", { class: `ring ${colour}`, cx: 50, cy: top, rx: 25, ry: 10.4 }),
        svg("ellipse", { class: `gem ${colour}`, cx: 50, cy: top, rx: 8, ry: 3.4 }),
      );
    }
  });
  return picture;
}

// The numbers of counters of each colour in turn, from the top: "2+3". Low columns have no such label.
function countsOf(counters) {
  if (counters.length < 4) return "";
  return counters.match(/[Ww]+|[Bb]+/g).map((run) => run.length).join("+");
}

export class Board {
  // `events` has press(square, event), drag(from, to), key(square, event) and look(square).
  constructor(element, events) {
    this.element = element;
    this.events = events;
    this.squares = new Map();
    this.flipped = false;
    this.at = "d4";
    // What was looked at last, and whether the square that has the focus was framed when it got it.
    this.looked = null;
    this.isFramed = false;
    this.shown = new Map();
    this.shownPath = null;
    this.build();
    this.listen();
  }

  build() {
    const hadFocus = this.element.contains(document.activeElement);
    this.squares.clear();
    const grid = [];
    for (let line = 0; line < 7; line++) {
      const y = this.flipped ? line : 6 - line;
      const row = document.createElement("div");
      row.setAttribute("role", "row");
      for (let across = 0; across < 7; across++) {
        const x = this.flipped ? 6 - across : across;
        if ((x + y) % 2) {
          row.append(Object.assign(document.createElement("div"), { className: "unused" }));
          continue;
        }
        const square = squareAt(x, y);
        const cell = document.createElement("div");
        cell.setAttribute("role", "gridcell");
        const button = document.createElement("button");
        button.type = "button";
        button.className = "square";
        button.dataset.square = square;
        button.tabIndex = square === this.at ? 0 : -1;
        cell.append(button);
        row.append(cell);
        this.squares.set(square, button);
      }
      grid.push(row);
    }
    this.path = svg("svg", { class: "path", viewBox: "0 0 7 7", "aria-hidden": "true" });
    this.element.replaceChildren(...grid, this.path);
    this.shown.clear();
    this.shownPath = null;
    const frame = this.element.parentElement;
    const labels = (selector, names) => {
      const spans = frame.querySelectorAll(`${selector} span`);
      spans.forEach((span, i) => (span.textContent = names[this.flipped ? 6 - i : i]));
    };
    labels(".files", "abcdefg");
    labels(".rows", "7654321");
    if (hadFocus) this.squares.get(this.at).focus();
  }

  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.build();
  }

  // Shows columns, the chosen square, the squares where its column can go, the squares of the last
  // move, and the number of moves of each square.
  show({ columns, chosen = null, targets = [], last = [], moves = new Map() }) {
    for (const [square, button] of this.squares) {
      const counters = columns.get(square) ?? "";
      if (this.shown.get(square) !== counters) {
        this.shown.set(square, counters);
        button.replaceChildren();
        if (counters) {
          button.append(drawColumn(counters));
          const counts = countsOf(counters);
          if (counts) {
            const label = document.createElement("span");
            label.className = "counts";
            label.textContent = counts;
            label.setAttribute("aria-hidden", "true");
            button.append(label);
          }
        }
      }
      const count = moves.get(square) ?? 0;
      const is = {
        taken: counters !== "",
        chosen: square === chosen,
        target: targets.includes(square),
        last: last.includes(square),
        movable: count > 0,
      };
      for (const [name, on] of Object.entries(is)) button.classList.toggle(name, on);
      const notes = [
        is.chosen && "chosen",
        is.target && "can be reached",
        count > 0 && `${count} ${count === 1 ? "move" : "moves"}`,
      ].filter(Boolean);
      button.setAttribute("aria-label", [`${square}: ${inWords(counters)}`, ...notes].join(", "));
      if (is.chosen) button.setAttribute("aria-pressed", "true");
      else button.removeAttribute("aria-pressed");
    }
  }

  focus(square, options) {
    for (const [name, button] of this.squares) button.tabIndex = name === square ? 0 : -1;
    this.at = square;
    this.squares.get(square).focus(options);
  }

  // The place of a square in the view: from the left, and from the top.
  seenAt(square) {
    const [x, y] = [fileOf(square), rowOf(square)];
    return this.flipped ? [6 - x, y] : [x, 6 - y];
  }

  // The next square in the direction of an arrow key: two files to the side, or one rank up or down.
  // Up and down go right and left in turn, so that several steps lead straight up or down.
  neighbour(square, key) {
    const [x, y] = this.seenAt(square);
    const across = { ArrowLeft: -2, ArrowRight: 2 }[key] ?? 0;
    const down = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
    const shift = y % 2 ? -1 : x === 6 ? -1 : 1;
    const [toX, toY] = [x + (down ? shift : across), y + down];
    return SQUARES.find((name) => String(this.seenAt(name)) === String([toX, toY]));
  }

  // Draws the path of a move over the board, or nothing for null.
  showPath(move) {
    if (move === this.shownPath) return;
    this.shownPath = move;
    this.path.replaceChildren();
    if (!move) return;
    const points = landingsOf(move).map((square) => this.seenAt(square).map((at) => at + 0.5));
    const [from, to] = points.slice(-2);
    const [dx, dy] = [Math.sign(to[0] - from[0]), Math.sign(to[1] - from[1])];
    // The line ends where the head of the arrow begins.
    const end = [to[0] - 0.22 * dx, to[1] - 0.22 * dy];
    const line = [...points.slice(0, -1), end].map((point) => point.join(" ")).join(" L");
    const head = [
      [to[0] + 0.06 * dx, to[1] + 0.06 * dy],
      [end[0] - 0.17 * dy, end[1] + 0.17 * dx],
      [end[0] + 0.17 * dy, end[1] - 0.17 * dx],
    ];
    for (const name of ["under", "over"]) {
      const group = svg("g", { class: name });
      group.append(
        svg("circle", { cx: points[0][0], cy: points[0][1], r: 0.1 }),
        svg("path", { class: "line", d: `M${line}` }),
        svg("path", { class: "head", d: `M${head.map((point) => point.join(" ")).join(" L")}z` }),
      );
      this.path.append(group);
    }
  }

  // Animates the move of a column from the square where it was.
  animate(move) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const landings = landingsOf(move);
    const picture = this.squares.get(landings.at(-1)).querySelector(".column");
    if (!picture) return;
    const size = picture.parentElement.getBoundingClientRect().width;
    const [toX, toY] = this.seenAt(landings.at(-1));
    const frames = landings.map((square) => {
      const [x, y] = this.seenAt(square);
      return { transform: `translate(${(x - toX) * size}px, ${(y - toY) * size}px)` };
    });
    picture.parentElement.classList.add("moving");
    const moving = picture.animate(frames, { duration: 180 * landings.length, easing: "ease-in-out" });
    moving.onfinish = moving.oncancel = () => picture.parentElement?.classList.remove("moving");
  }

  listen() {
    const squareOf = (target) => target?.closest?.(".square")?.dataset.square ?? null;
    this.element.addEventListener("click", (event) => {
      const square = squareOf(event.target);
      if (!square) return;
      this.focus(square);
      // A drag also ends with a click. Ignore it.
      if (this.dragged) this.dragged = false;
      else this.events.press(square, event);
    });
    // Later, a key can frame the square that has the focus.
    this.element.addEventListener("focusin", ({ target }) => (this.isFramed = target.matches(":focus-visible")));
    this.element.addEventListener("keydown", (event) => {
      const square = squareOf(event.target);
      if (!square || event.ctrlKey || event.altKey || event.metaKey) return;
      // These keys step through the game then.
      if (event.key.startsWith("Arrow") && !this.isFramed) return;
      if (event.key.startsWith("Arrow")) {
        const to = this.neighbour(square, event.key);
        if (to) this.focus(to);
        event.preventDefault();
      } else if (this.events.key(square, event)) {
        event.preventDefault();
      }
    });
    for (const [type, looks] of [["pointerover", true], ["focusin", true], ["pointerleave", false]]) {
      this.element.addEventListener(type, (event) => {
        if (type === "focusin" && !this.isFramed) return;
        const square = looks ? squareOf(event.target) : null;
        const seen = square + this.shown.get(square);
        // A browser tells again that the pointer is over a square when a mark there goes away.
        if (seen !== this.looked) this.events.look(square);
        this.looked = seen;
      });
    }
    this.element.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      const square = squareOf(event.target);
      if (!square || event.button !== 0 || !this.shown.get(square)) return;
      this.startDrag(square, event);
    });
  }

  startDrag(square, down) {
    const picture = this.squares.get(square).querySelector(".column");
    const size = this.squares.get(square).getBoundingClientRect().width;
    let ghost = null;
    const place = (event) => {
      ghost.style.transform = `translate(${event.clientX - size / 2}px, ${event.clientY - size / 2}px)`;
    };
    const squareUnder = (event) => {
      const under = document.elementFromPoint(event.clientX, event.clientY);
      return this.element.contains(under) ? under.closest(".square") : null;
    };
    const move = (event) => {
      if (event.pointerId !== down.pointerId) return;
      if (!ghost) {
        const far = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY);
        if (far < DRAG) return;
        this.dragged = true;
        ghost = document.createElement("div");
        ghost.className = "ghost";
        ghost.style.width = ghost.style.height = `${size}px`;
        ghost.append(picture.cloneNode(true));
        document.body.append(ghost);
        picture.parentElement.classList.add("lifted");
      }
      place(event);
      const under = squareUnder(event);
      for (const button of this.squares.values()) button.classList.toggle("over", button === under);
    };
    const end = (event) => {
      if (event.pointerId !== down.pointerId) return;
      for (const [type, listener] of listeners) document.removeEventListener(type, listener);
      for (const button of this.squares.values()) button.classList.remove("over", "lifted");
      if (!ghost) return;
      ghost.remove();
      if (event.type === "pointercancel") return;
      const to = squareUnder(event)?.dataset.square ?? null;
      if (to !== square) this.events.drag(square, to);
      // If the pointer was released elsewhere, no click follows.
      setTimeout(() => (this.dragged = false));
    };
    const listeners = [["pointermove", move], ["pointerup", end], ["pointercancel", end]];
    for (const [type, listener] of listeners) document.addEventListener(type, listener);
  }
}
