#!/usr/bin/env python3
"""Reads tables of Lasca endings. It was written from docs/FORMAT.md alone.

    python3 tools/read_table.py TABLE.ltbw                      shows what the table holds
    python3 tools/read_table.py TABLE.ltbw POSITION...          prints the values of these positions
    python3 tools/read_table.py TABLE.ltbw --all SIDE COLUMNS   prints the values of a whole slice
    python3 tools/read_table.py TABLE.ltbw --check              reads and checks all bytes

A position is one argument: its columns and the side to move, such as "a1WB a5BW b6W w". All of its counters
must be officers. A value is `win 5`, `draw` or `loss 12`, for the side to move; the number counts plies. The
distances come from the file of the same name that ends in .ltbd. Without that file, or with --wdl, the values
have no distances.

The exit status is 0 if all is done, 1 if the table is damaged or a position is not in it, and 2 if the arguments
are wrong or a file cannot be read.

It is also a module:

    table = Table("tables/lasca-3-2.ltbw", "tables/lasca-3-2.ltbd")
    table.value(Position.parse("a1WB a5BW b6W w"))      # (WIN, 3)

It needs Python 3.9 or later, the package xxhash (pip install xxhash), and zstd, which Python 3.14 contains. For
older versions, install the package zstandard too.
"""

import argparse
import contextlib
import functools
import importlib
import io
import itertools
import mmap
import os
import re
import struct
import sys
from bisect import bisect_right
from math import comb

LOSS, DRAW, WIN = 0, 1, 2
RESULTS = ("loss", "draw", "win")

RULE_SETS = ("lasca", "bignor", "rejump")
KINDS = ("WDL", "DTW")
WDL_FILE, DTW_FILE = 0, 1

MAGIC = b"\x89LTB\r\n\x1a\n"
VERSION = 2
HEADER_BYTES = 88
ENTRY_BYTES = 96
PAGE_BYTES = 65536
GROUP_ROWS = 32
CHUNK_ORBITS = 512
LONG = 255
MOST_PLIES = 65534
MOST_COUNTERS = 22
MOST_COLUMNS = 12
MOST_ROWS = (1 << 32) - 1
MOST_STACKINGS = 1 << 16
MOST_SLICES = 24
MOST_CLASSES = 8
MOST_BITS = 15

# How many blocks and values are kept for the next questions.
MOST_KEPT = 1 << 22

# How many orbits each half has, by the number of columns.
ORBITS_OF_HALVES = {
    2: (29, 21),
    3: (155, 167),
    4: (849, 829),
    5: (3393, 3449),
    6: (11347, 11191),
    7: (30329, 30433),
    8: (68241, 68031),
    9: (128174, 128699),
    10: (205490, 205058),
    11: (279582, 279894),
    12: (326646, 325906),
}

# How many symbols each context of a class has.
CONTEXTS = {WDL_FILE: [50] * 3 + [3] * 3 + [25] * 3, DTW_FILE: [64] * 48}


class TableError(Exception):
    """What is wrong with a table."""


class NotATable(TableError):
    """The file is not a table of this version."""


class Damaged(TableError):
    """The bytes of the table are not those that were written."""


@contextlib.contextmanager
def told_where(where):
    """Says where the damage is that is found here."""
    try:
        yield
    except Damaged as error:
        raise Damaged(f"{where}: {error}") from error


class NotInTable(TableError):
    """The table does not know this position."""


class BadPosition(TableError):
    """The text is not a position of officers."""


class PackageMissing(TableError):
    """This Python lacks a package."""


# The board: squares, symmetries, moves.


def number_of(x, y):
    return (7 * y + x) // 2


COORDINATES = [(x, y) for y in range(7) for x in range(7) if (x + y) % 2 == 0]
SQUARES = ["abcdefg"[x] + str(y + 1) for x, y in COORDINATES]
NUMBER = {name: number for number, name in enumerate(SQUARES)}


def square_at(x, y):
    return number_of(x, y) if 0 <= x < 7 and 0 <= y < 7 else None


def image_of_square(g, square):
    x, y = COORDINATES[square]
    if g & 0b100:
        x, y = y, x
    if g & 0b001:
        x = 6 - x
    if g & 0b010:
        y = 6 - y
    return number_of(x, y)


IMAGES = [[image_of_square(g, square) for square in range(25)] for g in range(8)]

# Images of sets, by five squares at a time.
PART = 5
PART_MASK = (1 << PART) - 1
IMAGES_OF_PARTS = [
    [
        [
            sum(1 << image[low + i] for i in range(PART) if part >> i & 1)
            for part in range(1 << PART)
        ]
        for low in range(0, 25, PART)
    ]
    for image in IMAGES
]


def image_of_set(g, squares):
    a, b, c, d, e = IMAGES_OF_PARTS[g]
    return (
        a[squares & PART_MASK]
        | b[squares >> PART & PART_MASK]
        | c[squares >> 2 * PART & PART_MASK]
        | d[squares >> 3 * PART & PART_MASK]
        | e[squares >> 4 * PART]
    )


def representative(squares):
    """The least image of a set, and a symmetry that maps the set to it."""
    return min((image_of_set(g, squares), g) for g in range(8))


def squares_of(squares):
    return [square for square in range(squares.bit_length()) if squares >> square & 1]


DIAGONALS = [(dx, dy) for dx in (-1, 1) for dy in (-1, 1)]
STEPS = [
    [to for dx, dy in DIAGONALS if (to := square_at(x + dx, y + dy)) is not None]
    for x, y in COORDINATES
]
# For each square, which square is jumped and where the jump ends.
JUMPS = [
    [
        (square_at(x + dx, y + dy), to)
        for dx, dy in DIAGONALS
        if (to := square_at(x + 2 * dx, y + 2 * dy)) is not None
    ]
    for x, y in COORDINATES
]


def must_capture(occupied, mine):
    """Whether the mover, who commands the columns on `mine`, can capture."""
    others = occupied & ~mine
    for square in squares_of(mine):
        for over, to in JUMPS[square]:
            if others >> over & 1 and not occupied >> to & 1:
                return True
    return False


# A board is seen by the mover: for each occupied square, whether the mover commands the column, how
# many counters of its owner are on top, and how many prisoners are beneath.


def seen_by_other(board):
    return {square: (not mine, own, under) for square, (mine, own, under) in board.items()}


def quiet_moves(board):
    """The boards after the quiet moves, each seen by the one who is then to move."""
    for square, column in board.items():
        if column[0]:
            for to in STEPS[square]:
                if to not in board:
                    after = dict(board)
                    del after[square]
                    after[to] = column
                    yield seen_by_other(after)


def captures(board, rules):
    """The boards after the captures, each seen by the one who is then to move."""
    for square, column in board.items():
        if column[0]:
            rest = dict(board)
            del rest[square]
            for after in jumps(rest, square, column, frozenset(), rules):
                yield seen_by_other(after)


def jumps(rest, square, column, jumped, rules):
    """The boards after all ways in which the column goes on capturing; `rest` is the board without it."""
    _, own, under = column
    for over, to in JUMPS[square]:
        other = rest.get(over)
        if other is None or other[0] or to in rest or (over in jumped and rules == "lasca"):
            continue
        left = dict(rest)
        if other[1] > 1:
            left[over] = (False, other[1] - 1, other[2])
        elif other[2] > 0:
            left[over] = (True, other[2], 0)
        else:
            del left[over]
        capturer = (True, own, under + 1)
        went_on = False
        if rules != "bignor":
            for after in jumps(left, to, capturer, jumped | {over}, rules):
                went_on = True
                yield after
        if not went_on:
            left[to] = capturer
            yield left


def occupied_by(board):
    occupied = 0
    for square in board:
        occupied |= 1 << square
    return occupied


def commanded_by_mover(board):
    return sum(1 << square for square, column in board.items() if column[0])


class Position:
    """Columns of officers, each its owner's counters over the other side's, and who is to move."""

    def __init__(self, columns, mover):
        """`columns` gives the column on each occupied square, such as {"a1": "WB"}; `mover` is "w" or "b"."""
        if mover not in ("w", "b"):
            raise BadPosition(f"the side to move is w or b, not {mover!r}")
        self.mover = mover
        self.columns = dict(columns)
        self.board = {}
        for name, counters in self.columns.items():
            if name not in NUMBER:
                raise BadPosition(f"{name!r} is no square of the board")
            match = re.fullmatch(r"(W+)(B*)|(B+)(W*)", counters)
            if match is None:
                raise BadPosition(
                    f"the column {counters!r} on {name} is not officers of its owner over officers of "
                    "the other side"
                )
            top, beneath = (group for group in match.groups() if group is not None)
            mine = top[0].lower() == mover
            self.board[NUMBER[name]] = (mine, len(top), len(beneath))

    @classmethod
    def parse(cls, text):
        """The position of a text such as "a1WB a5BW b6W w". The side may be a letter or a name. It and
        the letters of squares may be in upper case."""
        if text.strip().lower() == "start":
            raise BadPosition("the starting position has soldiers, which are in no table")
        *columns, mover = text.split() or [""]
        mover = {"white": "w", "black": "b"}.get(mover.lower(), mover.lower())
        found = {}
        for column in columns:
            match = re.fullmatch(r"([a-gA-G][1-7])([A-Za-z]+)", column)
            if match is None:
                raise BadPosition(f"{column!r} in {text!r} is not a square and its column")
            name = match[1].lower()
            if name in found:
                raise BadPosition(f"{name} stands twice in {text!r}")
            found[name] = match[2]
        return cls(found, mover)

    def __str__(self):
        columns = sorted(self.columns.items(), key=lambda column: NUMBER[column[0]])
        return " ".join([name + counters for name, counters in columns] + [self.mover])


def value_text(value):
    wdl, dtw = value
    return RESULTS[wdl] if dtw is None else f"{RESULTS[wdl]} {dtw}"


def checksum_of(data):
    """XXH3 with 64 bits, seed 0 and the default secret."""
    try:
        from xxhash import xxh3_64_intdigest
    except ImportError:
        raise PackageMissing("this Python has no xxhash; install it: pip install xxhash") from None
    return xxh3_64_intdigest(data)


def decompressed(frame, length):
    """What the zstd frame holds, which must have this length."""
    for name in ("compression.zstd", "zstandard"):
        try:
            zstd = importlib.import_module(name)
        except ImportError:
            continue
        try:
            with zstd.open(io.BytesIO(frame), "rb") as reader:
                data = reader.read(length + 1)
        except (zstd.ZstdError, EOFError) as error:
            raise Damaged(f"the code lengths do not decompress: {error}") from error
        if len(data) != length:
            raise Damaged(f"the code lengths do not decompress to {length} bytes")
        return data
    raise PackageMissing(
        "this Python has no zstd (3.14 has); install it: pip install zstandard"
    )


# Prefix codes.


class Code:
    """The code of a context."""

    def __init__(self, lengths):
        if max(lengths) > MOST_BITS:
            raise Damaged(f"a code has {max(lengths)} bits")
        used = [length for length in lengths if length]
        filled = sum(1 << (MOST_BITS - length) for length in used)
        if used not in ([], [1]) and filled != 1 << MOST_BITS:
            raise Damaged("the lengths are not those of a prefix code")
        self.symbols = [
            symbol
            for length in range(1, MOST_BITS + 1)
            for symbol, of_symbol in enumerate(lengths)
            if of_symbol == length
        ]
        # For each length: what the next bits are below if the code is no longer; and what to add to
        # a code for its place among the symbols.
        self.limits, self.shifts = [], []
        code = place = 0
        for length in range(1, MOST_BITS + 1):
            self.shifts.append(place - code)
            of_length = lengths.count(length)
            code += of_length
            place += of_length
            self.limits.append(code << (MOST_BITS - length))
            code *= 2


class Bits:
    """The bits of a block."""

    PADDING = 16

    def __init__(self, data):
        self.length = 8 * len(data)
        self.bits = int.from_bytes(data, "big") << self.PADDING
        self.left = self.length

    def take(self, count):
        self.left -= count
        if self.left < 0:
            raise Damaged("a block ends too early")

    def plain(self, count):
        value = self.bits >> (self.left + self.PADDING - count) & ((1 << count) - 1)
        self.take(count)
        return value

    def symbol(self, code):
        ahead = self.bits >> (self.left + self.PADDING - MOST_BITS) & ((1 << MOST_BITS) - 1)
        length = bisect_right(code.limits, ahead) + 1
        if length > MOST_BITS:
            raise Damaged("there are bits in a block that are no symbol's code")
        self.take(length)
        return code.symbols[(ahead >> (MOST_BITS - length)) + code.shifts[length - 1]]

    def end(self):
        if self.left >= 8 or self.bits >> self.PADDING & ((1 << self.left) - 1):
            raise Damaged("a block goes on after its last cell")


def decoded_wdl(data, codes, usual, cells):
    """The values of the cells of a WDL block."""
    if not data:
        return bytes([usual]) * cells
    bits = Bits(data)
    value = bits.symbol(codes[3 + usual])
    length_code = bits.symbol(codes[6 + value])
    values = bytearray()
    while True:
        left = cells - len(values)
        if length_code == 24:
            run = left
        elif length_code < 12:
            run = length_code + 1
        else:
            e, u = 3 + (length_code - 12) // 2, (length_code - 12) % 2
            run = ((2 + u) << (e - 1)) + bits.plain(e - 1) + 1
        if run > left or run == 0 or (run == left) != (length_code == 24):
            raise Damaged("the runs of a block are not as long as its cells are many")
        values += bytes([value]) * run
        if length_code == 24:
            bits.end()
            return bytes(values)
        other, length_code = divmod(bits.symbol(codes[value]), 25)
        value = (value + 1 + other) % 3


def context_of_halved(p):
    if p < 12:
        return p
    if p < 20:
        return 12 + (p - 12) // 2
    if p < 36:
        return 16 + (p - 20) // 4
    return min(23, 20 + (p - 36) // 8)


def decoded_dtw(data, codes, usual, wdl):
    """The DTWs of the cells of a block, None where it is drawn."""
    bits = Bits(data)
    last = [usual, None, usual]
    dtws = []
    for value in wdl:
        if value == DRAW:
            dtws.append(None)
            continue
        p = last[value]
        s = bits.symbol(codes[context_of_halved(p) + (24 if value == WIN else 0)])
        if s == 63:
            halved = bits.plain(16)
        elif p < 12:
            halved = s
        elif s % 2 == 0:
            halved = p + s // 2
        else:
            halved = p - (s + 1) // 2
        dtw = 2 * halved + (1 if value == WIN else 0)
        if not 0 <= dtw <= MOST_PLIES:
            raise Damaged(f"a DTW of {dtw} plies is out of bounds")
        last[value] = halved
        dtws.append(dtw)
    bits.end()
    return dtws


# Rows and orbits.


def stackings_count(k, s):
    return comb(s + k - 1, k - 1)


@functools.lru_cache(maxsize=None)
def ordinal_of_mask(mask):
    ordinal = bits = 0
    for i in range(mask.bit_length()):
        if mask >> i & 1:
            bits += 1
            ordinal += comb(i, bits)
    return ordinal


@functools.lru_cache(maxsize=1 << 20)
def ordinal_of_stacking(spare):
    k = len(spare)
    ordinal, rest = 0, sum(spare)
    for i in range(k - 1):
        j = k - 1 - i
        ordinal += comb(rest + j, j) - comb(rest - spare[i] + j, j)
        rest -= spare[i]
    return ordinal


@functools.lru_cache(maxsize=None)
def stackings(k, s):
    """All ways to lay so many spare counters on the columns, in the order of their ordinals."""
    if k == 1:
        return [(s,)]
    return [(first, *others) for first in range(s + 1) for others in stackings(k - 1, s - first)]


class Rows:
    """The rows for a mover with `n` counters against `m` on `k` columns."""

    def __init__(self, n, m, k):
        self.n, self.m, self.k = n, m, k
        self.starts, self.own_stackings, self.other_stackings = {}, {}, {}
        self.count = 0
        for c in range(max(1, k - m), min(n, k - 1) + 1):
            self.starts[c] = self.count
            self.own_stackings[c] = stackings_count(k, n - c)
            self.other_stackings[c] = stackings_count(k, m - k + c)
            self.count += comb(k, c) * self.own_stackings[c] * self.other_stackings[c]
        most = max([*self.own_stackings.values(), *self.other_stackings.values()])
        self.is_possible = self.count <= MOST_ROWS and most <= MOST_STACKINGS

    def row(self, mask, c, own, other):
        """The number of the row with this owner mask, of `c` columns, and these spare counters."""
        row = ordinal_of_mask(mask) * self.own_stackings[c] + ordinal_of_stacking(own)
        return self.starts[c] + row * self.other_stackings[c] + ordinal_of_stacking(other)

    def all(self):
        """The owner mask and the spare counters of each row, in the order of their numbers."""
        k = self.k
        for c in self.starts:
            for mask in range(1 << k):
                if bin(mask).count("1") == c:
                    for own in stackings(k, self.n - c):
                        for other in stackings(k, self.m - k + c):
                            yield mask, own, other


@functools.lru_cache(maxsize=None)
def masks_of_rows(n, m, k):
    return [mask for mask, _, _ in Rows(n, m, k).all()]


def snake_order(k, below=25, backward=False, higher=0):
    """All sets of `higher` and `k` more squares under `below`, in snake order."""
    if k == 0:
        yield higher
        return
    squares = range(k - 1, below)
    for square in reversed(squares) if backward else squares:
        yield from snake_order(k - 1, square, backward ^ bool(square & 1), higher | 1 << square)


def chunks_of(k, half):
    return -(-ORBITS_OF_HALVES[k][half] // CHUNK_ORBITS)


class Orbits:
    """The orbits of `k` columns, by their representatives."""

    def __init__(self, k):
        self.halves = ([], [])
        self.places = {}
        for squares in snake_order(k):
            if all(image_of_set(g, squares) >= squares for g in range(1, 8)):
                half = sum(COORDINATES[square][1] for square in squares_of(squares)) % 2
                self.places[squares] = (half, len(self.halves[half]))
                self.halves[half].append(squares)
        assert tuple(map(len, self.halves)) == ORBITS_OF_HALVES[k]

    def chunk(self, half, chunk):
        return self.halves[half][CHUNK_ORBITS * chunk : CHUNK_ORBITS * (chunk + 1)]

    @functools.lru_cache(maxsize=1 << 14)
    def cells(self, half, chunk, mask):
        """The place of each orbit's cell in a block with this owner mask; None for a full slice."""
        quiet = (
            squares
            for squares in self.chunk(half, chunk)
            if mask is None or not must_capture(squares, columns_to_squares(mask, squares))
        )
        return {squares: place for place, squares in enumerate(quiet)}


orbits_of = functools.lru_cache(maxsize=None)(Orbits)


def columns_to_squares(mask, squares):
    return sum(1 << square for i, square in enumerate(squares_of(squares)) if mask >> i & 1)


@functools.lru_cache(maxsize=1 << 20)
def placed(occupied):
    """The representative, and the position's own squares in the order of their images."""
    squares, g = representative(occupied)
    order = sorted(squares_of(occupied), key=IMAGES[g].__getitem__)
    return squares, order


# The files.


class Slice:
    """What the directory says of a slice, and its head when it has been read."""

    ENTRY = struct.Struct("<5B3s4I9Q")
    FIELDS = (
        "side columns cells halves classes reserved rows codes_length long_blocks histogram_entries head_offset "
        "groups_offset blocks_offset blocks_length win draw loss capture reserved_too"
    ).split()

    def __init__(self, file, entry):
        # The fields of the directory, by the names that docs/FORMAT.md lists in this order.
        self.__dict__.update(zip(self.FIELDS, self.ENTRY.unpack(entry)))
        self.file = file
        self.full = self.cells == 1
        sides = 1 if file.white == file.black else 2
        file.need(self.side < sides, f"there is no slice of side {self.side}")
        file.need(
            2 <= self.columns <= file.most_columns,
            f"there is no slice of {self.columns} columns",
        )
        self.name = f"side {self.side}, columns {self.columns}"
        self.n, self.m = (file.white, file.black)[:: -1 if self.side else 1]
        self.need(self.cells <= 1, f"cells are {self.cells}")
        whole = file.kind == WDL_FILE or self.full
        self.need(self.halves == 3 or (self.halves in (1, 2) and not whole), "these halves cannot be")
        self.need(1 <= self.classes <= MOST_CLASSES, f"there are {self.classes} classes")
        self.need(not any(self.reserved) and self.reserved_too == 0, "reserved bytes are not 0")
        self.numbers = Rows(self.n, self.m, self.columns)
        self.need(self.numbers.is_possible, "there are too many positions of so many columns")
        self.need(self.rows == self.numbers.count, f"{self.rows} rows are not {self.numbers.count}")
        self.need(
            file.kind == DTW_FILE or self.histogram_entries == 0, "a WDL file has no histograms"
        )
        self.positions = comb(25, self.columns) * self.rows
        # Which of the chunks that have blocks is each half's first one.
        self.first_chunks = {}
        self.chunks = 0
        for half in (0, 1):
            if self.has_half(half):
                self.first_chunks[half] = self.chunks
                self.chunks += chunks_of(self.columns, half)
        self.codes = None
        self.groups = {}

    def need(self, condition, what):
        self.file.need(condition, f"{self.name}: {what}")

    def said_by_both(self):
        return (self.full, self.rows, self.win, self.draw, self.loss, self.capture)

    def rows_length(self):
        return self.rows * (1 if self.file.kind == WDL_FILE else 2)

    def head_length(self):
        return self.rows_length() + self.codes_length + 12 * self.long_blocks

    def groups_of_chunk_length(self):
        return 8 * -(-self.rows // GROUP_ROWS) + self.rows

    def groups_length(self):
        return self.chunks * self.groups_of_chunk_length()

    def check_counts(self, histogram):
        """What the directory counts; `histogram` is a list of plies and positions."""
        plies = [entry[0] for entry in histogram]
        self.need(plies == sorted(set(plies)), "the plies of the histogram do not rise")
        self.need(max(plies, default=0) <= MOST_PLIES, f"a DTW is above {MOST_PLIES} plies")
        self.need(all(entry[1] > 0 for entry in histogram), "the histogram has a DTW of no position")
        self.need(
            self.win + self.draw + self.loss == self.positions,
            "win, draw and loss do not add up to all positions",
        )
        if self.file.kind == DTW_FILE:
            for name, count, odd in (("win", self.win, 1), ("loss", self.loss, 0)):
                counted = sum(positions for dtw, positions in histogram if dtw % 2 == odd)
                self.need(counted == count, f"the histogram does not add up to {name}")
        self.need(self.capture <= self.positions, "there are more captures than positions")
        self.histogram = dict(histogram)

    def has_half(self, half):
        return bool(self.halves >> half & 1)

    def load(self):
        """Reads the head."""
        if self.codes is not None:
            return
        head = self.file.read(self.head_offset, self.head_length())
        lengths_at, long_at = self.rows_length(), self.rows_length() + self.codes_length
        if self.file.kind == WDL_FILE:
            self.class_of_row = [byte & 15 for byte in head[:lengths_at]]
            self.usual_of_row = [byte >> 4 for byte in head[:lengths_at]]
            self.need(max(self.usual_of_row) <= WIN, "a usual value is none")
        else:
            self.class_of_row = list(head[0:lengths_at:2])
            self.usual_of_row = list(head[1:lengths_at:2])
        self.need(max(self.class_of_row) < self.classes, "a row's class is none")

        contexts = CONTEXTS[self.file.kind]
        codes = []
        with told_where(f"{self.file.path}: {self.name}"):
            lengths = decompressed(head[lengths_at:long_at], self.classes * sum(contexts))
            at = 0
            for _ in range(self.classes):
                codes.append([])
                for symbols in contexts:
                    codes[-1].append(Code(lengths[at : at + symbols]))
                    at += symbols

        long = list(struct.iter_unpack("<QI", head[long_at:]))
        numbers = [number for number, _ in long]
        self.need(numbers == sorted(set(numbers)), "the long blocks do not rise")
        self.need(
            all(number < self.chunks * self.rows and length >= LONG for number, length in long),
            "a long block is not one",
        )
        self.long = dict(long)
        self.codes = codes

    def group(self, chunk, group):
        """Where the group's first block starts, and the lengths of its blocks."""
        if (chunk, group) not in self.groups:
            first = GROUP_ROWS * group
            rows = min(GROUP_ROWS, self.rows - first)
            at = self.groups_offset + chunk * self.groups_of_chunk_length()
            data = self.file.read(at + group * (8 + GROUP_ROWS), 8 + rows)
            lengths = list(data[8:])
            for i, length in enumerate(lengths):
                if length == LONG:
                    number = chunk * self.rows + first + i
                    self.need(number in self.long, f"the long block {number} is not in the list")
                    lengths[i] = self.long[number]
            self.groups[chunk, group] = (int.from_bytes(data[:8], "little"), lengths)
        return self.groups[chunk, group]

    def name_of_block(self, half, chunk, row):
        return f"{self.file.path}: {self.name}, half {half}, chunk {chunk}, row {row}"

    def block(self, half, chunk, row):
        start, lengths = self.group(self.first_chunks[half] + chunk, row // GROUP_ROWS)
        place = row % GROUP_ROWS
        start += sum(lengths[:place])
        self.need(start + lengths[place] <= self.blocks_length, "a block is outside the blocks")
        return self.file.read(self.blocks_offset + start, lengths[place])


class File:
    """A WDL file or a DTW file, its header and directory checked."""

    HEADER = struct.Struct("<8sH6BII7Q")
    FIELDS = (
        "magic version kind rules white black column_bound reserved slice_count reserved_too file_length "
        "directory_offset directory_length directory_checksum page_list_checksum belongs_to reserved_as_well"
    ).split()

    def __init__(self, path, kind):
        self.path = path
        with open(path, "rb") as file:
            length = os.fstat(file.fileno()).st_size
            self.bytes = (
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if length > 0 else b""
            )
        header = self.bytes[:HEADER_BYTES]
        if header[:8] != MAGIC:
            raise NotATable(f"{path}: this is not a table")
        version = int.from_bytes(header[8:10], "little")
        if len(header) >= 10 and version != VERSION:
            raise NotATable(f"{path}: version {version} is not {VERSION}, which is read here")
        self.need(len(header) == HEADER_BYTES, "the file ends in its header")
        self.checksum = int.from_bytes(header[80:], "little")
        self.need(checksum_of(header[:80]) == self.checksum, "the header does not match its checksum")
        self.__dict__.update(zip(self.FIELDS, self.HEADER.unpack(header[:80])))
        if self.kind != kind and self.kind < len(KINDS):
            raise NotATable(f"{path}: this is a {KINDS[self.kind]} file, not a {KINDS[kind]} file")
        self.need(self.kind == kind, f"kind {self.kind} is none")
        self.need(self.rules < len(RULE_SETS), f"rule set {self.rules} is none")
        self.rules = RULE_SETS[self.rules]
        self.need(
            1 <= self.black <= self.white and self.white + self.black <= MOST_COUNTERS,
            f"{self.white} and {self.black} counters cannot be",
        )
        counters = self.white + self.black
        self.most_columns = self.column_bound or counters
        self.need(
            2 <= self.most_columns <= MOST_COLUMNS
            and (self.column_bound == 0 or self.column_bound < counters),
            f"column bound {self.column_bound} cannot be for {counters} counters",
        )
        self.need(self.slice_count <= MOST_SLICES, f"{self.slice_count} slices are too many")
        self.need(
            self.reserved == self.reserved_too == self.reserved_as_well == 0, "reserved bytes are not 0"
        )
        self.need(kind == DTW_FILE or self.belongs_to == 0, "a WDL file belongs to no other")
        self.need(self.file_length == length, f"the file has {length} bytes, not {self.file_length}")
        pages_offset = self.directory_offset + self.directory_length
        self.need(
            HEADER_BYTES <= self.directory_offset and pages_offset <= length,
            "the directory is outside the file",
        )
        pages = -(-self.directory_offset // PAGE_BYTES) if self.directory_offset > HEADER_BYTES else 0
        self.need(pages_offset + 8 * pages == length, "the page list does not end with the file")
        directory = self.bytes[self.directory_offset : pages_offset]
        self.need(checksum_of(directory) == self.directory_checksum, "the directory does not match its checksum")
        page_list = self.bytes[pages_offset:]
        self.need(checksum_of(page_list) == self.page_list_checksum, "the page list does not match its checksum")
        self.page_checksums = [checksum for (checksum,) in struct.iter_unpack("<Q", page_list)]
        self.pages_checked = set()
        self.read_directory(directory, self.slice_count)

    def need(self, condition, what):
        if not condition:
            raise Damaged(f"{self.path}: {what}")

    def read_directory(self, directory, slice_count):
        self.need(ENTRY_BYTES * slice_count <= len(directory), "the directory is too short")
        self.slices = {}
        at = ENTRY_BYTES * slice_count
        for i in range(slice_count):
            slice_ = Slice(self, directory[ENTRY_BYTES * i : ENTRY_BYTES * (i + 1)])
            key = (slice_.side, slice_.columns)
            self.need(key not in self.slices, f"{slice_.name}: is there twice")
            for offset, length in (
                (slice_.head_offset, slice_.head_length()),
                (slice_.groups_offset, slice_.groups_length()),
                (slice_.blocks_offset, slice_.blocks_length),
            ):
                slice_.need(
                    HEADER_BYTES <= offset and offset + length <= self.directory_offset,
                    "a part is not between the header and the directory",
                )
            end = at + 16 * slice_.histogram_entries
            self.need(end <= len(directory), "the directory is too short")
            slice_.check_counts(list(struct.iter_unpack("<QQ", directory[at:end])))
            at = end
            self.slices[key] = slice_
        self.need(at == len(directory), "there are bytes left in the directory")
        for (side, columns), slice_ in self.slices.items():
            other = self.slices.get((1 - side, columns), slice_)
            slice_.need(slice_.halves == other.halves, "the halves are not those of the other side")
        for side in range(1 if self.white == self.black else 2):
            for columns in range(2, self.most_columns + 1):
                self.need(
                    (side, columns) in self.slices,
                    f"the slice of side {side}, columns {columns} is missing",
                )

    def check_page(self, page):
        if page in self.pages_checked:
            return
        start = max(HEADER_BYTES, PAGE_BYTES * page)
        end = min(self.directory_offset, PAGE_BYTES * (page + 1))
        self.need(
            checksum_of(self.bytes[start:end]) == self.page_checksums[page],
            f"page {page} does not match its checksum",
        )
        self.pages_checked.add(page)

    def read(self, offset, length):
        """Bytes between the header and the directory."""
        if length:
            for page in range(offset // PAGE_BYTES, (offset + length - 1) // PAGE_BYTES + 1):
                self.check_page(page)
        return self.bytes[offset : offset + length]


class Table:
    """A table: a WDL file, and its DTW file if distances are asked for."""

    def __init__(self, wdl_path, dtw_path=None):
        self.wdl_file = File(wdl_path, WDL_FILE)
        self.dtw_file = None if dtw_path is None else File(dtw_path, DTW_FILE)
        self.white, self.black = self.wdl_file.white, self.wdl_file.black
        self.rules = self.wdl_file.rules
        if self.dtw_file is not None:
            self.check_that_they_belong_together()
        # What has been worked out of positions, and the blocks that were read.
        self.wdls, self.values = {}, {}
        self.block = functools.lru_cache(maxsize=MOST_KEPT)(self.read_block)

    def check_that_they_belong_together(self):
        one, other = self.wdl_file, self.dtw_file
        other.need(
            other.belongs_to == one.checksum
            and (other.rules, other.white, other.black, other.column_bound)
            == (one.rules, one.white, one.black, one.column_bound),
            f"does not belong to {one.path}",
        )
        for key, slice_ in other.slices.items():
            slice_.need(
                slice_.said_by_both() == one.slices[key].said_by_both(),
                f"{one.path} says something else of it",
            )

    def value(self, position):
        """The result for the side to move, and in how many plies: None for a draw, or without a DTW file."""
        self.check_material(position)
        if self.dtw_file is None:
            return self.wdl_of(position.board), None
        return self.value_of(position.board)

    def wdl(self, position):
        """The result for the side to move: LOSS, DRAW or WIN."""
        self.check_material(position)
        return self.wdl_of(position.board)

    def check_material(self, position):
        own, other = self.counters(position.board)
        if (max(own, other), min(own, other)) != (self.white, self.black):
            counters = (own, other) if position.mover == "w" else (other, own)
            raise NotInTable(
                f"{position}: a position of {counters[0]}-{counters[1]} is not in a table of "
                f"{self.white}-{self.black}"
            )
        columns = len(position.board)
        if columns > self.wdl_file.most_columns:
            raise NotInTable(
                f"{position}: a position of {columns} columns is not in a table of "
                f"{self.white}-{self.black} with at most {self.wdl_file.most_columns} columns"
            )

    @staticmethod
    def counters(board):
        own = sum(own if mine else under for mine, own, under in board.values())
        return own, sum(own + under for _, own, under in board.values()) - own

    def key(self, board):
        """The side, the number of columns, the representative and the row."""
        squares, order = placed(occupied_by(board))
        columns = len(order)
        mask = commanded = own_spares = 0
        own_spare, other_spare = [], []
        for i, square in enumerate(order):
            mine, top, under = board[square]
            if mine:
                mask |= 1 << i
                commanded += 1
                own_spare.append(top - 1)
                other_spare.append(under)
                own_spares += top - 1
            else:
                own_spare.append(under)
                other_spare.append(top - 1)
                own_spares += under
        # The mover's counters tell the side; where both have as many, there is side 0 alone.
        side = 0 if commanded + own_spares == self.white else 1
        numbers = self.wdl_file.slices[side, columns].numbers
        row = numbers.row(mask, commanded, tuple(own_spare), tuple(other_spare))
        return side, columns, squares, row

    def over(self, board):
        """The value if a side commands no column."""
        owners = {column[0] for column in board.values()}
        if len(owners) == 2:
            return None
        return (WIN, 0) if True in owners else (LOSS, 0)

    def keep(self, kept, key, value):
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[key] = value
        return value

    # The blocks.

    def read_block(self, kind, side, columns, half, chunk, row):
        """The results of the cells of a block, or their DTWs."""
        slice_ = (self.wdl_file, self.dtw_file)[kind].slices[side, columns]
        slice_.load()
        if kind == DTW_FILE:
            wdl = self.block(WDL_FILE, side, columns, half, chunk, row)
        data = slice_.block(half, chunk, row)
        with told_where(slice_.name_of_block(half, chunk, row)):
            codes = slice_.codes[slice_.class_of_row[row]]
            usual = slice_.usual_of_row[row]
            if kind == DTW_FILE:
                return decoded_dtw(data, codes, usual, wdl)
            return decoded_wdl(data, codes, usual, len(self.cells(slice_, half, chunk, row)))

    @staticmethod
    def cells(slice_, half, chunk, row):
        mask = None
        if not slice_.full:
            mask = masks_of_rows(slice_.n, slice_.m, slice_.columns)[row]
        return orbits_of(slice_.columns).cells(half, chunk, mask)

    def cell(self, key):
        """The block and the place in it; None for a capture that has no cell."""
        side, columns, squares, row = key
        half, index = orbits_of(columns).places[squares]
        chunk = index // CHUNK_ORBITS
        place = self.cells(self.wdl_file.slices[side, columns], half, chunk, row).get(squares)
        return None if place is None else ((side, columns, half, chunk, row), place)

    # The values.

    def wdl_of(self, board):
        over = self.over(board)
        if over is not None:
            return over[0]
        key = self.key(board)
        wdl = self.wdls.get(key)
        if wdl is None:
            cell = self.cell(key)
            if cell is None:
                wdl = max(WIN - self.wdl_of(after) for after in captures(board, self.rules))
            else:
                block, place = cell
                wdl = self.block(WDL_FILE, *block)[place]
            self.keep(self.wdls, key, wdl)
        return wdl

    def value_of(self, board):
        over = self.over(board)
        if over is not None:
            return over
        key = self.key(board)
        value = self.values.get(key)
        if value is None:
            value = self.keep(self.values, key, self.looked_up(board, key))
        return value

    def looked_up(self, board, key):
        cell = self.cell(key)
        if cell is None:
            return best(self.after(board, captures(board, self.rules)))
        block, place = cell
        wdl = self.block(WDL_FILE, *block)[place]
        if wdl == DRAW:
            return DRAW, None
        side, columns, half = block[:3]
        if self.dtw_file.slices[side, columns].has_half(half):
            return wdl, self.block(DTW_FILE, *block)[place]
        values = list(self.after(board, quiet_moves(board)))
        if not values and wdl == LOSS:
            return LOSS, 0
        values = [value for value in values if value[0] == wdl]
        if not values:
            raise Damaged(f"{self.wdl_file.path}: no move leads to a {RESULTS[wdl]} that is stored")
        return best(values)

    def after(self, board, boards):
        """What the moves to these boards are worth to the one who moves."""
        for after in boards:
            wdl, dtw = self.value_of(after)
            yield WIN - wdl, None if dtw is None else dtw + 1

    # All of a slice.

    def all_values(self, side, columns):
        """For each set of occupied squares: the texts of its positions, and their values.

        The sets come in lexicographic order of their squares' numbers. The positions of a set come in the
        order of the rows, its columns being numbered in the order of its own squares.
        """
        slice_ = self.wdl_file.slices[side, columns]
        rows = list(slice_.numbers.all())
        texts = [row_text(*row, columns, "wb"[side]) for row in rows]
        counts = [0, 0, 0]
        histogram = {}
        capture_count = 0
        row_numbers = {}
        of_representative = {}
        for chosen in itertools.combinations(range(25), columns):
            occupied = sum(1 << square for square in chosen)
            squares, order = placed(occupied)
            if squares not in of_representative:
                of_representative[squares] = self.values_on(squares, rows)
            values, capturing = of_representative[squares]
            order = tuple(map(chosen.index, order))
            if order not in row_numbers:
                row_numbers[order] = [
                    slice_.numbers.row(
                        sum(1 << i for i, column in enumerate(order) if mask >> column & 1),
                        bin(mask).count("1"),
                        tuple(own[column] for column in order),
                        tuple(other[column] for column in order),
                    )
                    for mask, own, other in rows
                ]
            values = [values[row] for row in row_numbers[order]]
            names = tuple(SQUARES[square] for square in chosen)
            yield [text % names for text in texts], values
            capture_count += capturing
            for value in values:
                histogram[value] = histogram.get(value, 0) + 1
        for (wdl, _), positions in histogram.items():
            counts[wdl] += positions
        slice_.need(
            (counts[LOSS], counts[DRAW], counts[WIN], capture_count)
            == (slice_.loss, slice_.draw, slice_.win, slice_.capture),
            "what the directory counts is not what there is",
        )
        if self.dtw_file is not None:
            slice_ = self.dtw_file.slices[side, columns]
            plies = {dtw: positions for (_, dtw), positions in histogram.items() if dtw is not None}
            slice_.need(plies == slice_.histogram, "the histogram is not that of the positions")

    def values_on(self, squares, rows):
        """The values of a representative's positions, by row, and how many of them are captures."""
        on = squares_of(squares)
        values = []
        capture_count = 0
        for mask, own, other in rows:
            board = {}
            for i, square in enumerate(on):
                if mask >> i & 1:
                    board[square] = (True, own[i] + 1, other[i])
                else:
                    board[square] = (False, other[i] + 1, own[i])
            if self.dtw_file is None:
                values.append((self.wdl_of(board), None))
            else:
                values.append(self.value_of(board))
            capture_count += must_capture(squares, commanded_by_mover(board))
        return values, capture_count

    def check(self):
        """Reads every page, head, group and block; gives back how many blocks there are."""
        blocks = 0
        for file in (self.wdl_file, self.dtw_file):
            if file is None:
                continue
            for page in range(len(file.page_checksums)):
                file.check_page(page)
            for side, columns in sorted(file.slices):
                slice_ = file.slices[side, columns]
                slice_.load()
                for half in slice_.first_chunks:
                    for chunk in range(chunks_of(columns, half)):
                        for row in range(slice_.rows):
                            self.block(file.kind, side, columns, half, chunk, row)
                            blocks += 1
        return blocks


def best(values):
    """The best value, seen by the one who chooses: a win soonest, a loss latest."""
    return max(
        values,
        key=lambda value: (value[0], 0 if value[0] == DRAW else value[1] * (value[0] - DRAW) * -1),
    )


def row_text(mask, own, other, columns, mover):
    """The positions of a row, with %s for each square."""
    mine, others = ("W", "B") if mover == "w" else ("B", "W")
    texts = []
    for i in range(columns):
        if mask >> i & 1:
            texts.append("%s" + mine * (own[i] + 1) + others * other[i])
        else:
            texts.append("%s" + others * (other[i] + 1) + mine * own[i])
    return " ".join(texts + [mover])


# The program.


def describe(table):
    for file in (table.wdl_file, table.dtw_file):
        if file is None:
            print("There is no DTW file, and so no distances.")
            continue
        print(
            f"{file.path}: {KINDS[file.kind]}, rules {file.rules}, {file.white} white and "
            f"{file.black} black counters, {len(file.bytes)} bytes"
        )
        print(
            "  side columns cells halves classes    rows   head  groups   blocks         win        draw"
            "        loss     capture  most plies"
        )
        for key in sorted(file.slices):
            slice_ = file.slices[key]
            slice_.load()
            print(
                f"  {slice_.side:4} {slice_.columns:7} {'all' if slice_.full else 'quiet':>5} "
                f"{'+'.join(map(str, slice_.first_chunks)):>6} {slice_.classes:7} {slice_.rows:7} "
                f"{slice_.head_length():6} {slice_.groups_length():7} "
                f"{slice_.blocks_length:8} {slice_.win:11} {slice_.draw:11} {slice_.loss:11} "
                f"{slice_.capture:11} {max(slice_.histogram, default='-'):>11}"
            )


def print_all(table, side, columns):
    for texts, values in table.all_values(side, columns):
        lines = [f"{text}: {value_text(value)}\n" for text, value in zip(texts, values)]
        sys.stdout.write("".join(lines))


def run(options):
    beside = os.path.splitext(options.table)[0] + ".ltbd"
    table = Table(options.table, beside if not options.wdl and os.path.exists(beside) else None)
    if options.check:
        print(f"in order: {table.check()} blocks")
    if options.all:
        side, columns = options.all
        if (side, columns) not in table.wdl_file.slices:
            raise NotInTable(f"{options.table}: there is no slice of side {side}, columns {columns}")
        print_all(table, side, columns)
    for text in options.position:
        position = Position.parse(text)
        print(f"{position}: {value_text(table.value(position))}")
    if not (options.check or options.all or options.position):
        describe(table)


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="read_table.py",
        description="Reads a table of Lasca endings, as docs/FORMAT.md describes it.",
    )
    parser.add_argument("table", metavar="TABLE.ltbw", help="the WDL file")
    parser.add_argument("position", metavar="POSITION", nargs="*", help='such as "a1WB a5BW b6W w"')
    parser.add_argument(
        "--all",
        nargs=2,
        type=int,
        metavar=("SIDE", "COLUMNS"),
        help="print what every position of this slice is worth",
    )
    parser.add_argument("--check", action="store_true", help="read and check all bytes")
    parser.add_argument("--wdl", action="store_true", help="do without the DTW file")
    options = parser.parse_intermixed_args(arguments)
    try:
        run(options)
        sys.stdout.flush()
        return 0
    except BrokenPipeError:
        # Nobody reads on; what is left in the buffer is for nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except (OSError, BadPosition, PackageMissing) as error:
        print(f"read_table.py: {error}", file=sys.stderr)
        return 2
    except TableError as error:
        print(f"read_table.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
