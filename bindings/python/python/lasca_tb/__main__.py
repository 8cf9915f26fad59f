"""``python -m lasca_tb POSITION``: who wins, and what each move is worth."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from . import Error, NotInTablesError, ParseError, Position, ReadError, Rules, Tablebase
from . import SearchedMove, Solution, Wdl, __version__, solve
from ._search import read_solution
from ._tablebase import BUNDLED


def main() -> int:
    """Answers, and gives the exit status, as ``lasca-tb probe`` does."""
    try:
        try:
            return _answer()
        finally:
            print(end="", flush=True)
    except OSError as error:
        # At its end, Python would try to write the rest once more, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 0
        print(f"error: cannot write standard output: {error.strerror}", file=sys.stderr)
        return 2


def _answer() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m lasca_tb",
        description="Tells who wins a position, in how many plies, and what each move is worth, best "
        "first. The tables know positions of officers; --seconds lets a search answer for others.",
        epilog="Exit status: 0 there is an answer; 1 the tables have none, are missing or are damaged; "
        "2 the usage or the position is wrong, or a file cannot be read.",
    )
    parser.add_argument(
        "position", metavar="POSITION", help='such as "b2B d2W a7W w", or start for the first one'
    )
    parser.add_argument(
        "--tables",
        metavar="FOLDER",
        action="append",
        help="a folder of tables; may be given several times (default: the tables of up to five "
        "counters that come with the package)",
    )
    parser.add_argument(
        "--rules",
        choices=[rules.value for rules in Rules],
        default=Rules.LASCA.value,
        help="the rule set (default: lasca)",
    )
    parser.add_argument(
        "--seconds",
        type=_seconds,
        metavar="S",
        help="search a position that the tables do not know, for so long at most",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the JSON object that lasca-tb probe --json prints"
    )
    parser.add_argument("--version", action="version", version=f"lasca_tb {__version__}")
    args = parser.parse_args()
    try:
        position = Position(args.position)
        tables = Tablebase(args.tables or BUNDLED, rules=args.rules)
        try:
            found, keys = read_solution(tables._native.answer(position)), ["wdl", "dtw"]
            effort = {}
        except NotInTablesError:
            if args.seconds is None:
                raise
            found = solve(position, tables=tables, seconds=args.seconds, moves=True)
            keys = ["wdl", "dtw", "at_most", "excluded"]
            effort = {"positions": found.positions, "seconds": found.seconds}
    except Error as error:
        more = ""
        if isinstance(error, NotInTablesError):
            more = "; --seconds 60 searches it for up to a minute"
        if args.json:
            print(json.dumps({"position": args.position, "error": f"{error}{more}"}))
        else:
            print(f"error: {error}{more}", file=sys.stderr)
        return 2 if _is_wrong(error) else 1
    moves = found.moves or ()
    if args.json:
        listed = [{"move": m.move, "position": m.position, **_value(m, keys)} for m in moves]
        answer = {"position": position, **_value(found, keys), "moves": listed, **effort}
        print(json.dumps(answer))
    else:
        _print(position, _text(found), [(m.move, _text(m), m.position) for m in moves])
    return 1 if found.wdl is None else 0


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 1e9:
        raise argparse.ArgumentTypeError(f"expected seconds from 0 to 1e9, found {text!r}")
    return seconds


def _print(position: str, value: str, moves: Sequence[tuple[str, str, str]]) -> None:
    print(f"{position}: {value}")
    widths = [max(len(row[i]) for row in moves) for i in (0, 1)] if moves else []
    for move, value, after in moves:
        print(f"  {move.ljust(widths[0])}  {value.ljust(widths[1])}  {after}")


def _text(found: Solution | SearchedMove) -> str:
    """What is proved, in words."""
    if found.wdl is not None and found.at_most is not None:
        at_most = "" if found.dtw is not None else "at most "
        return f"{found.wdl} in {at_most}{found.at_most}"
    if found.wdl is None and found.excluded:
        return f"open: {found.excluded[0]} cannot win"
    return "open" if found.wdl is None else str(found.wdl)


def _value(found: Solution | SearchedMove, keys: list[str]) -> dict[str, object]:
    """The value under some of the keys that ``lasca-tb solve --json`` has."""
    known = found._asdict()
    return {key: str(known[key]) if isinstance(known[key], Wdl) else known[key] for key in keys}


def _is_wrong(error: Error) -> bool:
    """Whether the error is the user's or the system's. If a folder is missing, its tables just are too."""
    return isinstance(error, ParseError) or isinstance(error, ReadError) and _exists(error.path)


def _exists(path: Path) -> bool:
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except OSError:
        pass
    return True


if __name__ == "__main__":
    sys.exit(main())
