"""``python -m lasca_tb POSITION``: who wins, and what each move is worth."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from . import Error, NotInTablesError, ParseError, Position, ReadError, Rules, Tablebase, Value
from . import SearchedMove, Solution, __version__, solve
from ._tablebase import BUNDLED
from ._value import read_value


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
            plain, moves = tables._native.ratings(position)
        except NotInTablesError:
            if args.seconds is None:
                raise
            return _searched(position, tables, args.seconds, args.json)
    except Error as error:
        more = ""
        if isinstance(error, NotInTablesError):
            more = "; --seconds 60 searches it for up to a minute"
        if args.json:
            print(json.dumps({"position": args.position, "error": f"{error}{more}"}))
        else:
            print(f"error: {error}{more}", file=sys.stderr)
        return 2 if _is_wrong(error) else 1
    value = read_value(plain)
    rated = [(move, read_value(plain), after) for move, after, plain in moves]
    if args.json:
        listed = [{"move": move, "position": after, **_keys(value)} for move, value, after in rated]
        print(json.dumps({"position": position, **_keys(value), "moves": listed}))
        return 0
    _print(position, str(value), [(move, str(value), after) for move, value, after in rated])
    return 0


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


def _searched(position: Position, tables: Tablebase, seconds: float, as_json: bool) -> int:
    """Answers by search: 0 if it finds who wins."""
    found = solve(position, tables=tables, seconds=seconds, moves=True)
    moves = found.moves or ()
    if as_json:
        listed = [{"move": m.move, "position": m.position, **_bounds(m)} for m in moves]
        effort = {"positions": found.positions, "seconds": found.seconds}
        print(json.dumps({"position": position, **_bounds(found), "moves": listed, **effort}))
    else:
        _print(position, _text(found), [(m.move, _text(m), m.position) for m in moves])
    return 1 if found.wdl is None else 0


def _text(found: Solution | SearchedMove) -> str:
    """What is proved, in words."""
    if found.wdl is not None and found.at_most is not None:
        at_most = "" if found.dtw is not None else "at most "
        return f"{found.wdl} in {at_most}{found.at_most}"
    if found.wdl is None and found.excluded:
        return f"open: {found.excluded[0]} cannot win"
    return "open" if found.wdl is None else str(found.wdl)


def _bounds(found: Solution | SearchedMove) -> dict[str, object]:
    """The keys of a searched answer, as ``lasca-tb solve --json`` has them."""
    wdl = None if found.wdl is None else str(found.wdl)
    return {"wdl": wdl, "dtw": found.dtw, "at_most": found.at_most, "excluded": found.excluded}


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


def _keys(value: Value) -> dict[str, object]:
    return {"wdl": str(value.wdl), "dtw": value.dtw}


if __name__ == "__main__":
    sys.exit(main())
