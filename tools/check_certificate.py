#!/usr/bin/env python3
"""Checks a certificate: a proof of who wins a Lasca ending, or that neither side does.

    python3 tools/check_certificate.py FILE      (- reads standard input)
    python3 tools/check_certificate.py --perft POSITION DEPTH [--rules lasca|bignor|rejump]

It knows the rules of Lasca, soldiers included, and the format (docs/CERTIFICATE.md). It shares nothing
with the program that wrote the file: it works out every move by itself.

It prints one line, `accepted: ...` or `rejected: ...` with the first mistake that it found. Its exit
status is 0 (accepted), 1 (rejected) or 2 (wrong usage, or the file cannot be read).

With --perft it checks no file. It prints the number of move sequences of length DEPTH from POSITION, so
that its move generator can be compared with others.

The file is text, or text compressed with gzip.
"""

import gzip
import io
import itertools
import operator
import os
import re
import sys
import zlib

# The rule sets differ only in how a capture goes on: how many jumps a move may have, and how often it
# may jump the same square. None means that there is no limit.
RULES = {
    "lasca": {"jumps": None, "jumps_of_a_square": 1},
    "bignor": {"jumps": 1, "jumps_of_a_square": 1},
    "rejump": {"jumps": None, "jumps_of_a_square": None},
}

# A game has 22 counters, and none ever leaves the board.
MOST_COUNTERS = 22

# The longest move has 21 jumps, so no line of a certificate comes near this length.
LONGEST_LINE = 1000

# perft calls itself once for each move of a sequence.
MOST_PLIES = 100

SIDES = {"w": "white", "b": "black"}
OTHER = {"white": "black", "black": "white"}
# What a side to move may be called.
LETTER = {name: letter for letter, colour in SIDES.items() for name in (letter, colour)}
START = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w"
OFFICERS = set("WB")
COUNTERS = set("WBwb")

# The versions of the format, and the counters that may stand on the board in each of them.
VERSIONS = {"1": OFFICERS, "2": COUNTERS}


class Rejected(Exception):
    """The certificate does not prove what it claims."""


# The board: 25 squares, numbered rank by rank from a1. A board is a tuple of 25 columns, each a text of
# counters from the top down, "" for an empty square. The first letter is the commander: its colour
# owns the column, and its kind says how the column moves.

SQUARES = [
    "abcdefg"[x] + str(y + 1) for y in range(7) for x in range(7) if (x + y) % 2 == 0
]
NUMBER = {name: number for number, name in enumerate(SQUARES)}


def coordinates(number):
    return "abcdefg".index(SQUARES[number][0]), int(SQUARES[number][1:]) - 1


def number_at(x, y):
    return NUMBER["abcdefg"[x] + str(y + 1)] if 0 <= x < 7 and 0 <= y < 7 else None


def rays(number, steps_up):
    """The next two squares in each direction; None where the board ends.

    `steps_up` holds 1 for the directions up the board, -1 for those down the board.
    """
    x, y = coordinates(number)
    for dy, dx in itertools.product(steps_up, (-1, 1)):
        yield number_at(x + dx, y + dy), number_at(x + 2 * dx, y + 2 * dy)


# Where each kind of commander may go: an officer in all four directions, a soldier only forward, White's
# up the board and Black's down the board.
WAYS = {"W": (-1, 1), "B": (-1, 1), "w": (1,), "b": (-1,)}
STEPS = {
    commander: [[near for near, _ in rays(n, up) if near is not None] for n in range(25)]
    for commander, up in WAYS.items()
}
JUMPS = {
    commander: [[(over, to) for over, to in rays(n, up) if to is not None] for n in range(25)]
    for commander, up in WAYS.items()
}
# The squares on which a soldier that moves there is promoted: the last rank of its side.
LAST_RANK = {
    soldier: {n for n in range(25) if coordinates(n)[1] == rank}
    for soldier, rank in (("w", 6), ("b", 0))
}

# The symmetries. Each is kept as the function that makes the image of a board. With officers only, the
# four turns and the mirror images of the turns are symmetries. Soldiers move up or down the board: with a
# soldier on it, only the mirror that exchanges left and right is left, and the identity.
TURNS = [
    lambda x, y: (x, y),
    lambda x, y: (y, 6 - x),
    lambda x, y: (6 - x, 6 - y),
    lambda x, y: (6 - y, x),
]
IDENTITY_AND_MIRROR, ALL_SYMMETRIES = (
    [
        operator.itemgetter(*(number_at(*turn(x, y)) for x, y in map(coordinates, range(25))))
        for turn in turns + [lambda x, y, turn=turn: turn(6 - x, y) for turn in turns]
    ]
    for turns in (TURNS[:1], TURNS)
)


def has_soldier(board):
    """Whether a soldier is anywhere on the board, also below other counters."""
    return not set().union(*board) <= OFFICERS


def representative(board):
    """The same text for a board and its images, and different texts for any other two boards."""
    symmetries = IDENTITY_AND_MIRROR if has_soldier(board) else ALL_SYMMETRIES
    return ",".join(min(image(board) for image in symmetries))


# The rules.


def commands(board, side):
    """The squares whose columns `side` commands."""
    officer = side[0].upper()
    return [number for number, column in enumerate(board) if column[:1].upper() == officer]


def arrived(column, to):
    """The column after its move to the square `to`, where a soldier in command may be promoted."""
    if to in LAST_RANK.get(column[0], ()):
        return column[0].upper() + column[1:]
    return column


def moves(board, side, rules):
    """All legal moves of `side`: a dictionary from the squares that a move passes to the board after it.

    It is empty if the game is over: `side` cannot move, or one of the sides commands no column.
    """
    if not commands(board, OTHER[side]):
        return {}
    own, enemy = commands(board, side), OTHER[side][0].upper()
    found = {}
    for start in own:
        capture_on(list(board), start, enemy, RULES[rules], [start], found)
    if not found:
        for start in own:
            for to in STEPS[board[start][0]][start]:
                if not board[to]:
                    after = list(board)
                    after[start], after[to] = "", arrived(board[start], to)
                    found[(start, to)] = tuple(after)
    return found


def capture_on(board, at, enemy, rule, path, found):
    """Adds to `found` every whole capture by the column on `at` that begins with `path`."""
    jumped = path[1::2]
    went_on = False
    if rule["jumps"] is None or len(jumped) < rule["jumps"]:
        for over, to in JUMPS[board[at][0]][at]:
            if board[over][:1].upper() != enemy or board[to]:
                continue
            limit = rule["jumps_of_a_square"]
            if limit is not None and jumped.count(over) >= limit:
                continue
            went_on = True
            after = list(board)
            column = board[at] + board[over][0]
            after[at], after[over], after[to] = "", board[over][1:], arrived(column, to)
            if after[to] == column:
                capture_on(after, to, enemy, rule, path + [over, to], found)
            else:
                # A promotion ends the move.
                found[(*path, over, to)] = tuple(after)
    if jumped and not went_on:
        found[tuple(path)] = tuple(board)


def winner_if_over(board, side, rules):
    """The side that has won when `side` is to move; None if the game goes on."""
    if not commands(board, OTHER[side]):
        return side
    return None if moves(board, side, rules) else OTHER[side]


def perft(board, side, rules, plies):
    """The number of sequences of so many legal moves. Moves that pass different squares differ."""
    if plies == 0:
        return 1
    after = moves(board, side, rules).values()
    if plies == 1:
        return len(after)
    return sum(perft(board, OTHER[side], rules, plies - 1) for board in after)


# The text.


def read_position(text, counters=COUNTERS):
    """The board and the side to move, from the list form. There may be only these counters."""
    *columns, side = text.split(" ")
    if side not in SIDES or not columns:
        raise Rejected(f"expected a position, found {text[:80]!r}")
    board = [""] * 25
    for word in columns:
        number, column = NUMBER.get(word[:2]), word[2:]
        if number is None or not column or board[number]:
            raise Rejected(
                f"expected a square and what stands there, found {word[:40]!r} in {text[:80]!r}"
            )
        if not set(column) <= COUNTERS:
            raise Rejected(
                f"expected counters (w, b, W or B), found {word[:40]!r} in {text[:80]!r}"
            )
        if not set(column) <= counters:
            raise Rejected(
                f"expected officers only in version 1, found {word[:40]!r} in {text[:80]!r}"
            )
        board[number] = column
    if sum(map(len, board)) > MOST_COUNTERS:
        raise Rejected(f"expected at most {MOST_COUNTERS} counters, found more in {text[:80]!r}")
    return tuple(board), SIDES[side]


def read_row_form(text):
    """The same from the row form: rank 7 first, ranks separated by "/" and squares by ","."""
    board, _, side = text.rpartition(" ")
    if " " in board:
        raise Rejected(f"expected no space before the side to move, found one in {text[:80]!r}")
    ranks = board.split("/")
    words = []
    for rank, fields in zip("7654321", ranks):
        squares = [square for square in SQUARES if square[1] == rank]
        fields = fields.split(",") if fields else [""] * len(squares)
        if len(fields) != len(squares):
            raise Rejected(
                f"expected {len(squares)} squares on rank {rank}, found {len(fields)} in {text[:80]!r}"
            )
        words += [square + field for square, field in zip(squares, fields) if field]
    if len(ranks) != 7:
        raise Rejected(f"expected 7 ranks, found {len(ranks)} in {text[:80]!r}")
    return read_position(" ".join([*words, side]))


def read_asked_position(text):
    """The same from what a user types: in either form, the squares and the side in either case."""
    if text.strip().lower() == "start":
        return read_row_form(START)
    board, _, side = text.rpartition(" ")
    side = LETTER.get(side.lower(), side)
    if "/" in board:
        return read_row_form(f"{board} {side}")
    words = [word[:1].lower() + word[1:] for word in board.split(" ")] if board else []
    return read_position(" ".join([*words, side]))


def read_move(text):
    """The numbers of the squares that the move passes."""
    squares = tuple(NUMBER.get(name) for name in text.split("-"))
    if None in squares or len(squares) < 2:
        raise Rejected(f"expected a move, found {text!r}")
    return squares


def position_text(board, side):
    columns = [SQUARES[number] + column for number, column in enumerate(board) if column]
    return " ".join(columns + [side[0]])


def move_text(squares):
    return "-".join(SQUARES[number] for number in squares)


class Lines:
    """The lines of the file, one after another."""

    def __init__(self, file):
        self.file = file
        self.number = 0

    def next(self, expected):
        """The next line, which is `expected`, for messages."""
        self.number += 1
        line = self.file.readline(LONGEST_LINE)
        if not line:
            raise Rejected(f"line {self.number}: expected {expected}, found the end of the file")
        if not line.endswith("\n"):
            fault = "is too long" if len(line) == LONGEST_LINE else "breaks off"
            raise Rejected(f"line {self.number}: expected {expected}, found a line that {fault}")
        return line[:-1]

    def at_end(self):
        """Whether nothing follows."""
        return not self.file.read(1)

    def words(self, form, expected):
        """The groups of the next line, which has this form."""
        line = self.next(expected)
        match = re.fullmatch(form, line)
        if not match:
            raise Rejected(f"line {self.number}: expected {expected}, found {line[:80]!r}")
        return match.groups()


class Strategy:
    """A set of positions with `side` to move, and what it plays in each."""

    def __init__(self, side):
        self.side = side
        # (board, the squares of the move, plies to the win or None), as they stand in the file.
        self.entries = []
        # The plies of each position and of its images.
        self.plies = {}


def read_strategy(lines, side, wins, counters):
    """The strategy of `side`; if it `wins`, each position has the plies that are left."""
    expected = f"'strategy {side}' and how many positions it has"
    (count,) = lines.words(f"strategy {side} ([0-9]{{1,18}})", expected)
    form, expected = r"(.+ [wb]): (\S+)", "a position and its move"
    if wins:
        form, expected = form + " ([0-9]{1,9})", "a position, its move and the plies to the win"
    strategy = Strategy(side)
    for _ in range(int(count)):
        text, move, *plies = lines.words(form, expected)
        board, to_move = read_position(text, counters)
        if to_move != side:
            raise Rejected(f"{text}: expected a position with {side} to move")
        key = representative(board)
        if key in strategy.plies:
            raise Rejected(f"{text}: the position, or an image of it, stands there twice")
        strategy.plies[key] = int(plies[0]) if wins else None
        strategy.entries.append((board, read_move(move), strategy.plies[key]))
    return strategy


# The proof.


def check_replies(strategy, board, rules, most):
    """Sees that every move of the other side on `board` leads back into the strategy; counts them.

    If the strategy wins, the position that it leads to must be at most `most` plies from the win.
    """
    other = OTHER[strategy.side]
    replies = moves(board, other, rules)
    for reply, after in replies.items():
        key = representative(after)
        here, there = position_text(board, other), position_text(after, strategy.side)
        if key not in strategy.plies:
            if winner_if_over(after, strategy.side, rules) == other:
                raise Rejected(f"{here}: after {move_text(reply)} {strategy.side} has lost")
            raise Rejected(
                f"{here}: the reply {move_text(reply)} is not covered, "
                f"it leads to {there}, which is not in the strategy of {strategy.side}"
            )
        if most is not None and strategy.plies[key] > most:
            raise Rejected(
                f"{here}: the distance does not fall, the reply {move_text(reply)} leads to "
                f"{there}, {strategy.plies[key]} plies from the win where at most {most} are left"
            )
    return len(replies)


def check_step(strategy, board, played, plies, rules):
    """Sees that the move is legal and every reply to it is covered; counts the replies."""
    text = position_text(board, strategy.side)
    if plies is not None and plies < 1:
        raise Rejected(f"{text}: expected at least 1 ply for the move, found {plies}")
    after = moves(board, strategy.side, rules).get(played)
    if after is None:
        raise Rejected(f"{text}: {move_text(played)} is not a legal move")
    # If the other side cannot move now, or commands nothing, it has no reply: it has lost.
    return check_replies(strategy, after, rules, None if plies is None else plies - 2)


def check_start(strategy, board, to_move, plies, rules):
    """Sees that the strategy is one for the position that the certificate is about."""
    text = position_text(board, to_move)
    over = winner_if_over(board, to_move, rules)
    if over:
        if over != strategy.side:
            raise Rejected(f"{text}: the game is over, {over} has won")
    elif to_move != strategy.side:
        check_replies(strategy, board, rules, None if plies is None else plies - 1)
    elif representative(board) not in strategy.plies:
        raise Rejected(f"{text}: the position is not in the strategy of {strategy.side}")
    elif plies is not None and strategy.plies[representative(board)] > plies:
        found = strategy.plies[representative(board)]
        raise Rejected(f"{text}: the verdict says {plies} plies, the strategy needs {found}")


def check(file):
    """What the certificate proves, as a text. Raises Rejected if it does not prove it."""
    lines = Lines(file)
    (version,) = lines.words("lasca-certificate ([0-9]{1,9})", "'lasca-certificate' and a version")
    if version not in VERSIONS:
        expected = " or ".join(VERSIONS)
        raise Rejected(f"expected version {expected} of the format, found version {version}")
    counters = VERSIONS[version]
    (rules,) = lines.words("rules (.*)", "'rules' and their name")
    if rules not in RULES:
        raise Rejected(f"expected rules ({', '.join(RULES)}), found {rules!r}")
    (text,) = lines.words("position (.*)", "'position' and one")
    board, to_move = read_position(text, counters)
    winner, plies = lines.words(
        "verdict (?:draw|(white|black) wins in ([0-9]{1,9}))",
        "'verdict draw', or 'verdict', who wins, and in how many plies",
    )
    plies = int(plies) if winner else None
    sides = [winner] if winner else ["white", "black"]
    strategies = [read_strategy(lines, side, bool(winner), counters) for side in sides]
    lines.words("end", "'end'")
    if not lines.at_end():
        raise Rejected("expected nothing after 'end', found more lines")

    if not winner and winner_if_over(board, to_move, rules):
        raise Rejected(f"{text}: the game is over, and no draw")
    replies = 0
    for strategy in strategies:
        check_start(strategy, board, to_move, plies, rules)
        replies += sum(check_step(strategy, *entry, rules) for entry in strategy.entries)
    claim = f"{winner} wins in at most {plies} plies" if winner else "neither side can force a win"
    counts = [f"{len(s.entries)} positions of {s.side}" for s in strategies]
    return f"{text}: {claim}, rules {rules} ({', '.join(counts)}, {replies} replies)"


# The file.


# What reading a damaged file raises.
DAMAGE = (EOFError, UnicodeDecodeError, gzip.BadGzipFile, zlib.error)


def open_text(raw):
    """The lines of a file, which is decompressed if it must be."""
    raw = io.BufferedReader(raw)
    if raw.peek(2)[:2] == b"\x1f\x8b":
        raw = gzip.open(raw, "rb")
    return io.TextIOWrapper(raw, encoding="ascii", newline="\n")


def checked(name):
    """Checks the file of this name, prints the result, and returns the exit status."""
    try:
        raw = io.FileIO(0, closefd=False) if name == "-" else io.FileIO(name)
        print(f"accepted: {check(open_text(raw))}")
        return 0
    except Rejected as why:
        print(f"rejected: {why}")
        return 1
    except BrokenPipeError:
        raise
    except DAMAGE as error:
        print(f"rejected: the file is damaged: {error}")
        return 1
    except OSError as error:
        print(f"check_certificate.py: {error}", file=sys.stderr)
        return 2


def counted(text, depth, rules):
    """Prints the number of move sequences, and returns the exit status."""
    try:
        if rules not in RULES:
            raise Rejected(f"expected rules ({', '.join(RULES)}), found {rules!r}")
        if not re.fullmatch("[0-9]{1,3}", depth) or int(depth) > MOST_PLIES:
            raise Rejected(f"expected a depth from 0 to {MOST_PLIES}, found {depth!r}")
        board, side = read_asked_position(text)
        print(perft(board, side, rules, int(depth)))
        return 0
    except Rejected as why:
        print(f"check_certificate.py: {why}", file=sys.stderr)
        return 2


def main(arguments):
    if len(arguments) == 1 and (arguments[0] == "-" or not arguments[0].startswith("-")):
        return checked(arguments[0])
    if len(arguments) == 3 and arguments[0] == "--perft":
        return counted(arguments[1], arguments[2], "lasca")
    if len(arguments) == 5 and arguments[0] == "--perft" and arguments[3] == "--rules":
        return counted(arguments[1], arguments[2], arguments[4])
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads the result. Python must not try again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 2
    sys.exit(status)
