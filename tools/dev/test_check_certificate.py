#!/usr/bin/env python3
"""Tests of tools/check_certificate.py: its rules with soldiers, and certificates of format version 2.

    python3 tools/dev/test_check_certificate.py

No table and no Rust program is needed. The certificates are made here: a naive solver lists all
positions that can arise from a small one and solves them backwards. It is compared with the values in
tests/data/soldiers.csv, which come from another program.
"""

import csv
import functools
import gzip
import io
import pathlib
import random
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_certificate as checker  # noqa: E402

CHECKER = [sys.executable, "-B", str(ROOT / "tools/check_certificate.py")]

# Small endings with soldiers: few positions can arise from each of them.
DECIDED = [
    "a1B a5w a7B w",
    "d6w a7bB b",
    "a5Ww g5b w",
    "g3bW e5b f6W w",
    "c7WBB g7bw w",
    "c5BBW b6wwwb b",
    "d4bWw c5wwbB w",
    "g5w c7bbW w",
    "b6WbbB f6bBw w",
]
DRAWN = ["c1b e3b a5w b", "e1bW a3WbB f6Bbwwwb b", "g1b b2b d2w a7wbwbBWbwwwBBw w", "e1w f6bb a7wbb b"]

# The naive solver.


def read(text):
    return checker.read_position(text)


@functools.lru_cache(maxsize=None)
def replies(position, rules):
    """The moves of a position with the position after each."""
    board, side = position
    after = checker.moves(board, side, rules).items()
    return [(move, (board, checker.OTHER[side])) for move, board in after]


class TooMany(Exception):
    """More positions can arise than a test should look at."""


@functools.lru_cache(maxsize=None)
def solve(start, rules, most=4000):
    """Who wins in how many plies, of every position that can arise from `start`, if anyone does."""
    reached, waiting = {start}, [start]
    while waiting:
        for _, after in replies(waiting.pop(), rules):
            if after not in reached:
                reached.add(after)
                waiting.append(after)
        if len(reached) > most:
            raise TooMany
    values = {}
    for position in reached:
        if not replies(position, rules):
            board, side = position
            beaten = not checker.commands(board, checker.OTHER[side])
            values[position] = (side if beaten else checker.OTHER[side], 0)
    plies, found = 0, values
    while found:
        plies, found = plies + 1, {}
        for position in reached - values.keys():
            side, after = position[1], [values.get(p) for _, p in replies(position, rules)]
            if (side, plies - 1) in after:
                found[position] = (side, plies)
            elif all(value and value[0] != side for value in after):
                found[position] = (checker.OTHER[side], plies)
        values.update(found)
    return values


# Certificates of what it finds.


def image(board, turn):
    """The image of the board, where `turn` moves a square's file and rank."""
    to = [""] * 25
    for number, column in enumerate(board):
        to[image_of_square(number, turn)] = column
    return tuple(to)


def image_of_square(number, turn):
    x, y = "abcdefg".index(checker.SQUARES[number][0]), int(checker.SQUARES[number][1]) - 1
    x, y = turn(x, y)
    return checker.SQUARES.index("abcdefg"[x] + "1234567"[y])


def mirror(x, y):
    return 6 - x, y


def half_turn(x, y):
    return 6 - x, 6 - y


def quarter_turn(x, y):
    return y, 6 - x


def all_turns():
    """The eight symmetries of the board."""
    for first in (lambda x, y: (x, y), mirror):
        for second in (lambda x, y: (x, y), half_turn):
            for third in (lambda x, y: (x, y), quarter_turn):
                yield lambda x, y, a=first, b=second, c=third: a(*b(*c(x, y)))


def officers_only(board):
    return "".join(board).isupper()


def images(board):
    """The boards that a line with this board stands for."""
    turns = all_turns() if officers_only(board) else (lambda x, y: (x, y), mirror)
    return {image(board, turn) for turn in turns}


class Line:
    """A position of a strategy, its move and the plies that are left, None in a draw."""

    def __init__(self, board, side, move, plies):
        self.board, self.side, self.move, self.plies = board, side, move, plies

    def text(self):
        text = f"{checker.position_text(self.board, self.side)}: {checker.move_text(self.move)}"
        return text if self.plies is None else f"{text} {self.plies}"

    def turned(self, turn):
        move = [image_of_square(number, turn) for number in self.move]
        return Line(image(self.board, turn), self.side, move, self.plies)


class Certificate:
    """A certificate that can be damaged before it is written."""

    def __init__(self, text, rules):
        self.start, self.rules, self.version = read(text), rules, 2
        self.values = solve(self.start, rules)
        self.winner, self.plies = self.values.get(self.start, (None, None))
        sides = [self.winner] if self.winner else ["white", "black"]
        self.strategies = {side: self.strategy(side) for side in sides}

    def holds(self, side, position):
        """Whether `side` has in this position what its strategy promises: a win, or no loss."""
        winner = self.values.get(position, (None, None))[0]
        return winner == side if self.winner else winner != checker.OTHER[side]

    def strategy(self, side):
        """The lines of `side`: its quickest wins, or moves after which it does not lose."""
        lines, covered = [], set()
        after_start = [after for _, after in replies(self.start, self.rules)]
        waiting = [self.start] if self.start[1] == side else after_start
        while waiting:
            position = waiting.pop()
            # The other side may not have been the one to move last: then the game is over.
            if position[0] in covered or not replies(position, self.rules):
                continue
            covered |= images(position[0])
            plies = self.values[position][1] if self.winner else None
            wanted = {(side, plies - 1)} if self.winner else {(side, n) for n in range(99)} | {None}
            choices = replies(position, self.rules)
            move, after = next(c for c in choices if self.values.get(c[1]) in wanted)
            lines.append(Line(position[0], side, move, plies))
            waiting += [reply for _, reply in replies(after, self.rules)]
        return lines

    def text(self):
        won = f"{self.winner} wins in {self.plies}"
        lines = [
            f"lasca-certificate {self.version}",
            f"rules {self.rules}",
            f"position {checker.position_text(*self.start)}",
            f"verdict {won if self.winner else 'draw'}",
        ]
        for side, strategy in self.strategies.items():
            lines.append(f"strategy {side} {len(strategy)}")
            lines += [line.text() for line in strategy]
        return "\n".join([*lines, "end", ""])

    def lines(self):
        return [line for strategy in self.strategies.values() for line in strategy]

    def with_line(self, line, *instead):
        """The text with other lines in the place of this one."""
        side, lines = line.side, self.strategies[line.side]
        at = lines.index(line)
        self.strategies[side] = lines[:at] + list(instead) + lines[at + 1 :]
        text = self.text()
        self.strategies[side] = lines
        return text


@functools.lru_cache(maxsize=None)
def certificate(text, rules):
    return Certificate(text, rules)


def certificates():
    for text in DECIDED + DRAWN:
        for rules in checker.RULES:
            yield certificate(text, rules)


def result(text):
    """What the checker says. Any exception but Rejected is a fault of the checker."""
    try:
        return "accepted: " + checker.check(io.StringIO(text, newline="\n"))
    except checker.Rejected as why:
        return f"rejected: {why}"


def run(arguments, data=b""):
    """What the command prints, and its exit status."""
    done = subprocess.run(CHECKER + arguments, input=data, capture_output=True, check=False)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


class Case(unittest.TestCase):
    def accepts(self, text, part=""):
        said = result(text)
        self.assertTrue(said.startswith("accepted: ") and part in said, f"{said}\n{text}")

    def rejects(self, text, part=""):
        said = result(text)
        self.assertTrue(said.startswith("rejected: ") and part in said, f"{said}\n{text}")
        self.assertEqual(len(said.splitlines()), 1)
        self.assertLess(len(said), 600)


class Rules(Case):
    """The move generator, with soldiers."""

    def test_perft_equals_the_golden_counts(self):
        with open(ROOT / "tests/data/perft.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 10)
        for row in rows:
            arguments = ["--perft", row["position"], row["depth"], "--rules", row["rules"]]
            self.assertEqual(run(arguments), (row["count"] + "\n", "", 0), row)

    def test_perft_counts_what_can_be_counted_by_hand(self):
        for text, counts in [
            # One soldier against one: each has two moves until it meets the edge.
            ("c1w e7b w", [1, 2, 4, 8]),
            # A promotion in the first move. The soldier has one reply. Then the officer on e7 has two
            # moves, and the one on g7 has one.
            ("f6w a7b w", [1, 2, 2, 3]),
            # White wins at once, by a capture after which Black commands nothing.
            ("c3w d4b w", [1, 1, 0, 0]),
            # A soldier on its last rank cannot move, so White has lost.
            ("c7w a5b w", [1, 0, 0]),
            ("c7w a5b b", [1, 1, 0]),
        ]:
            board, side = read(text)
            for depth, count in enumerate(counts):
                for rules in checker.RULES:
                    self.assertEqual(checker.perft(board, side, rules, depth), count, text)

    def test_the_naive_solver_agrees_with_another_program(self):
        with open(ROOT / "tests/data/soldiers.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        compared = 0
        for row in rows:
            start = read(row["position"])
            try:
                winner, plies = solve(start, "lasca", 2000).get(start, (None, ""))
            except TooMany:
                continue
            value = "draw" if winner is None else "win" if winner == start[1] else "loss"
            self.assertEqual((value, str(plies)), (row["wdl"], row["dtw"]), row)
            compared += 1
        self.assertGreater(compared, 40)


class Proofs(Case):
    """Certificates of version 2."""

    def test_what_the_naive_solver_finds_is_accepted(self):
        for proof in certificates():
            claim = f"{proof.winner} wins in at most {proof.plies} plies"
            self.accepts(proof.text(), claim if proof.winner else "neither side can force a win")

    def test_the_examples_of_the_format_description_are_accepted(self):
        text = (ROOT / "docs/CERTIFICATE.md").read_text(encoding="utf-8")
        examples = re.findall(r"```text\n(lasca-certificate .*?\n)```", text, re.DOTALL)
        self.assertEqual([example[18] for example in examples], ["1", "2"])
        for example in examples:
            self.accepts(example)

    def test_the_endings_hold_what_is_to_be_tested(self):
        """Promotions, soldiers on their last rank, and lines with and without soldiers."""
        lines = [line for proof in certificates() for line in proof.lines()]
        promoting = [
            line
            for line in lines
            if line.board[line.move[0]][0] in checker.LAST_RANK
            and line.move[-1] in checker.LAST_RANK[line.board[line.move[0]][0]]
        ]
        stuck = [line for line in lines if any(line.board[n][:1] == "w" for n in range(21, 25))]
        officers = [line for line in lines if officers_only(line.board)]
        self.assertTrue(all(len(kind) > 10 for kind in (promoting, stuck, officers)))
        for texts in (DECIDED, DRAWN):
            values = [solve(read(text), "lasca").get(read(text)) for text in texts]
            self.assertEqual([bool(value) for value in values], [texts is DECIDED] * len(texts))

    def test_each_line_is_needed_and_each_number_counts(self):
        chance = random.Random(12)
        for proof in certificates():
            lines = proof.lines()
            for line in chance.sample(lines, min(len(lines), 12)):
                self.rejects(proof.with_line(line))
                self.rejects(proof.with_line(line, line, line), "stands there twice")
                for plies in [line.plies - 1, 10**8] if proof.winner else []:
                    changed = Line(line.board, line.side, line.move, plies)
                    self.rejects(proof.with_line(line, changed))

    def test_each_wrong_move_is_seen(self):
        chance = random.Random(34)
        bad = 0
        for proof in certificates():
            lines = proof.lines()
            for line in chance.sample(lines, min(len(lines), 12)):
                for move, after in replies((line.board, line.side), proof.rules):
                    changed = proof.with_line(line, Line(line.board, line.side, move, line.plies))
                    if not proof.holds(line.side, after):
                        self.rejects(changed)
                        bad += 1
                backward = Line(line.board, line.side, line.move[::-1], line.plies)
                self.rejects(proof.with_line(line, backward), "is not a legal move")
        self.assertGreater(bad, 30)

    def test_each_counter_of_each_position_counts(self):
        chance = random.Random(56)
        for proof in certificates():
            lines = proof.lines()
            for line in chance.sample(lines, min(len(lines), 2)):
                for number, column in enumerate(line.board):
                    for at, counter in enumerate(column):
                        # Its kind exchanged, its colour exchanged, and the counter left out.
                        for other in (counter.swapcase(), {"w": "b", "b": "w"}.get(counter, "w"), ""):
                            board = list(line.board)
                            board[number] = column[:at] + other + column[at + 1 :]
                            changed = Line(tuple(board), line.side, line.move, line.plies)
                            self.rejects(proof.with_line(line, changed))

    def test_a_wrong_verdict_is_seen(self):
        for proof in certificates():
            text = proof.text()
            if not proof.winner:
                self.rejects(text.replace("verdict draw", "verdict white wins in 9"))
                continue
            other = checker.OTHER[proof.winner]
            verdict = f"verdict {proof.winner} wins in {proof.plies}\n"
            if proof.plies:
                fewer = f"verdict {proof.winner} wins in {proof.plies - 1}\n"
                self.rejects(text.replace(verdict, fewer))
            more = f"verdict {proof.winner} wins in {proof.plies + 2}\n"
            self.accepts(text.replace(verdict, more), f"at most {proof.plies + 2} plies")
            self.rejects(text.replace(verdict, f"verdict {other} wins in {proof.plies}\n"))
            self.rejects(text.replace(verdict, "verdict draw\n"))

    def test_a_wrong_verdict_on_a_game_that_is_over_is_seen(self):
        def over(verdict, strategies):
            head = "lasca-certificate 1\nrules lasca\nposition a1W c1WB b\n"
            return f"{head}verdict {verdict}\nstrategy {strategies} 0\nend\n"

        self.accepts(over("white wins in 0", "white"))
        self.rejects(over("black wins in 0", "black"), "the game is over, white has won")
        draw = over("draw", "white 0\nstrategy black")
        self.rejects(draw, "the game is over, and no draw")

    def test_the_other_rule_sets_differ(self):
        text = "position a1W b2bb c7w w\nverdict white wins in 1\nstrategy white 1\n"
        text += "a1W b2bb c7w w: a1-b2-c3-b2-a1 1\nend\n"
        self.accepts("lasca-certificate 2\nrules rejump\n" + text)
        for rules in ("lasca", "bignor"):
            self.rejects(f"lasca-certificate 2\nrules {rules}\n" + text, "is not a legal move")


class Images(Case):
    """Which positions a line stands for."""

    def test_a_line_with_a_soldier_stands_for_its_mirror_image_only(self):
        seen = 0
        for proof in certificates():
            for line in [line for line in proof.lines() if not officers_only(line.board)][:8]:
                self.accepts(proof.with_line(line, line.turned(mirror)))
                self.rejects(
                    proof.with_line(line, line, line.turned(mirror)), "stands there twice"
                )
                for turn in all_turns():
                    turned = line.turned(turn)
                    if turned.board not in images(line.board):
                        self.rejects(proof.with_line(line, turned))
                        seen += 1
        self.assertGreater(seen, 200)

    def test_the_move_goes_with_the_image(self):
        for proof in certificates():
            for line in proof.lines()[:8]:
                turned = line.turned(mirror)
                turned.move = line.move
                if turned.move not in dict(replies((turned.board, line.side), proof.rules)):
                    self.rejects(proof.with_line(line, turned), "is not a legal move")

    def test_a_line_without_soldiers_stands_for_its_eight_images(self):
        seen = 0
        for proof in certificates():
            for line in [line for line in proof.lines() if officers_only(line.board)][:4]:
                for turn in all_turns():
                    self.accepts(proof.with_line(line, line.turned(turn)))
                    twice = proof.with_line(line, line, line.turned(turn))
                    self.rejects(twice, "stands there twice")
                    seen += 1
        self.assertGreater(seen, 50)

    def test_a_soldier_below_other_counters_counts(self):
        for text, count in [
            ("a1W g5B w", 8),
            ("a1Ww g5B w", 2),
            ("a1WWWBb g5B w", 2),
            ("a1w g5B w", 2),
            ("d4w d2B w", 1),
            ("d4W d2B w", 4),
        ]:
            board, _ = read(text)
            found = {image(board, turn) for turn in all_turns()}
            same = {b for b in found if checker.representative(b) == checker.representative(board)}
            self.assertEqual((len(same), same), (count, images(board)), text)


class Files(Case):
    """Versions and bad input."""

    OFFICERS = (
        "lasca-certificate 1\nrules lasca\nposition a1WWW b2BBB w\nverdict white wins in 5\n"
        "strategy white 3\na1WWW b2BBB w: a1-b2-c3 5\nc3WWB d4BBW w: c3-d4-e5 3\n"
        "b2BWW c3WBB w: c3-b2-a1 1\nend\n"
    )

    def test_version_1_holds_officers_only_and_both_versions_may(self):
        self.accepts(self.OFFICERS)
        self.accepts(self.OFFICERS.replace("certificate 1", "certificate 2"))
        for version in ("0", "3", "02", "999999999"):
            other = self.OFFICERS.replace("certificate 1", f"certificate {version}")
            self.rejects(other, f"expected version 1 or 2 of the format, found version {version}")
        text = certificate("d6w a7bB b", "lasca").text()
        old = text.replace("certificate 2", "certificate 1")
        self.rejects(old, "expected officers only in version 1")
        line = "c3WWB d4BBW w: c3-d4-e5 3"
        self.rejects(self.OFFICERS.replace(line, line.replace("WWB", "WwB")), "officers only")

    def test_lines_that_are_none_are_refused(self):
        for found, instead, part in [
            ("rules lasca", "rules draughts", "expected rules (lasca, bignor, rejump)"),
            ("strategy white 3", "strategy white 999999999999999", "expected a position"),
            ("strategy white 3", "strategy white 4", "expected a position, its move and the plies"),
            ("strategy white 3", "strategy black 3", "expected 'strategy white'"),
            (": a1-b2-c3 5", ": a1-b3 5", "expected a move"),
            (": a1-b2-c3 5", ": a1 5", "expected a move"),
            (": a1-b2-c3 5", ": 5", "expected a position, its move and the plies"),
            (": a1-b2-c3 5", "", "expected a position, its move and the plies"),
            (": a1-b2-c3 5", ": a1-b2-c3", "expected a position, its move and the plies"),
            (": a1-b2-c3 5", ": a1-b2-c3 0", "expected at least 1 ply"),
            (": a1-b2-c3 5", ": a1-b2-c3 1", "the distance does not fall"),
            (": c3-d4-e5 3", ": c3-d4-e5 5", "the distance does not fall"),
            (" w: a1-b2-c3 5", " b: a1-b2-c3 5", "expected a position with white to move"),
        ]:
            self.rejects(self.OFFICERS.replace(found, instead), part)
        line = "c3WWB d4BBW w: c3-d4-e5 3\n"
        fewer = self.OFFICERS.replace("strategy white 3", "strategy white 2")
        self.rejects(fewer.replace(line, ""), "is not covered, it leads to ")

    def test_each_line_must_stand_there_once(self):
        lines = self.OFFICERS.splitlines(keepends=True)
        for at, line in enumerate(lines):
            for instead in ("", line * 2):
                self.rejects("".join([*lines[:at], instead, *lines[at + 1 :]]))

    def test_positions_that_are_none_are_refused(self):
        text = certificate("d6w a7bB b", "lasca").text()
        for position, part in [
            ("a7bB d6x b", "expected counters (w, b, W or B), found 'd6x'"),
            ("a7bB d6 b", "expected a square and what stands there, found 'd6'"),
            ("a7bB a7w b", "expected a square and what stands there, found 'a7w'"),
            ("a7bB  d6w b", "expected a square and what stands there, found ''"),
            ("a7bB a6w b", "expected a square and what stands there, found 'a6w'"),
            ("a7bB d6w", "expected a position"),
            ("b", "expected a position"),
            ("", "expected a position"),
            ("a7" + "b" * 22 + " d6w b", "expected at most 22 counters"),
            ("a7bB d6" + "w" * 2000 + " b", "is too long"),
        ]:
            changed = text.replace("position d6w a7bB b", "position " + position)
            self.rejects(changed, part)

    def test_a_file_that_breaks_off_is_seen(self):
        text = certificate("a5Ww g5b w", "lasca").text()
        for length in list(range(0, len(text), 97)) + [len(text) - 1]:
            self.rejects(text[:length], "the end of the file" if not length else "")
        self.rejects(text + "\n", "expected nothing after 'end'")
        self.rejects(text.replace("\n", "\r\n"), "line 1: expected")

    def test_the_command_says_what_is_wrong_and_shows_no_traceback(self):
        text = certificate("d6w a7bB b", "lasca").text().encode()
        chance = random.Random(90)
        noise = bytes(chance.randrange(256) for _ in range(3000))
        for data, status in [
            (text, 0),
            (gzip.compress(text), 0),
            (gzip.compress(text)[:-9], 1),
            (b"\x1f\x8b" + noise, 1),
            (b"\x1f\x8b\x08" + b"\0" * 7 + noise, 1),
            (b"", 1),
            (noise, 1),
            (text[:-1], 1),
            (text.replace(b"w", b"\xff", 1), 1),
            (b"\0" * 5000, 1),
            (b"lasca-certificate 2\n" + b"9" * 10**6, 1),
        ]:
            out, err, code = run(["-"], data)
            self.assertEqual((code, err), (status, ""), data[:40])
            self.assertTrue(out.startswith(("accepted: ", "rejected: ")) and out.count("\n") == 1)

    def test_perft_refuses_bad_input(self):
        for start in [
            "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w",
            "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w W",
            "start",
            "Start",
        ]:
            self.assertEqual(run(["--perft", start, "0"]), ("1\n", "", 0))
            self.assertEqual(run(["--perft", start, "4"]), ("54\n", "", 0))
        counts = [run(["--perft", text, "3"]) for text in ("a1WW e3bB b", "A1WW E3bB B", "A1WW e3bB BLACK")]
        self.assertEqual(counts, [counts[0]] * 3)
        self.assertEqual(counts[0][1:], ("", 0))
        self.assertEqual(run(["--perft", "///,BBB,///W,,, w", "1"])[0], "1\n")
        for arguments, part in [
            (["--perft", "a1w g7B w", "x"], "expected a depth from 0 to 100, found 'x'"),
            (["--perft", "a1w g7B w", "-1"], "expected a depth"),
            (["--perft", "a1w g7B w", "101"], "expected a depth"),
            (["--perft", "a1w g7B w", "9" * 5000], "expected a depth"),
            (["--perft", "a1w g7B", "1"], "expected a position"),
            (["--perft", "start b", "1"], "expected a square"),
            (["--perft", "", "1"], "expected a position"),
            (["--perft", "a1q g7B w", "1"], "expected counters"),
            (["--perft", "a1\u00e9 g7B w", "1"], "expected counters"),
            (["--perft", "w/b w", "1"], "on rank 7, found 1"),
            (["--perft", "////// w x w", "1"], "expected no space"),
            (["--perft", "/////// w", "1"], "expected 7 ranks, found 8"),
            (["--perft", "////// w", "1"], "expected a position"),
            (["--perft", "w" * 23 + ",,,/////b,,/ w", "1"], "expected at most 22 counters"),
            (["--perft", "a1w g7B w", "1", "--rules", "chess"], "expected rules (lasca, bignor"),
            (["--perft", "a1w g7B w", "1", "--rules"], "--perft POSITION DEPTH"),
            (["--perft", "a1w g7B w"], "--perft POSITION DEPTH"),
            (["--perft"], "--perft POSITION DEPTH"),
            (["--help"], "--perft POSITION DEPTH"),
            ([], "--perft POSITION DEPTH"),
        ]:
            out, err, code = run(arguments)
            self.assertEqual((out, code), ("", 2), arguments)
            self.assertIn(part, err)
            self.assertNotIn("Traceback", err)


if __name__ == "__main__":
    unittest.main()
