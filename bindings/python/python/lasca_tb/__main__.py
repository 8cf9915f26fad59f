"""``python -m lasca_tb POSITION``: who wins, and what each move is worth."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from . import Error, ParseError, Position, ReadError, Rules, Tablebase, Value, __version__
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
        description="Looks up who wins a position of officers, in how many plies, and what each move "
        "is worth, best first.",
        epilog="Exit status: 0 there is an answer; 1 the tables have none, are missing or are damaged; "
        "2 the usage or the position is wrong, or a file cannot be read.",
    )
    parser.add_argument("position", metavar="POSITION", help='such as "b2B d2W a7W w"')
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
        "--json", action="store_true", help="print the JSON object that lasca-tb probe --json prints"
    )
    parser.add_argument("--version", action="version", version=f"lasca_tb {__version__}")
    args = parser.parse_args()
    try:
        position = Position(args.position)
        tables = Tablebase(args.tables or BUNDLED, rules=args.rules)
        plain, moves = tables._native.ratings(position)
    except Error as error:
        if args.json:
            print(json.dumps({"position": args.position, "error": str(error)}))
        else:
            print(f"error: {error}", file=sys.stderr)
        return 2 if _is_wrong(error) else 1
    value = read_value(plain)
    rated = [(move, read_value(plain), after) for move, after, plain in moves]
    if args.json:
        listed = [{"move": move, "position": after, **_keys(value)} for move, value, after in rated]
        print(json.dumps({"position": position, **_keys(value), "moves": listed}))
        return 0
    print(f"{position}: {value}")
    widths = [max(len(str(row[i])) for row in rated) for i in (0, 1)] if rated else []
    for move, value, after in rated:
        print(f"  {move.ljust(widths[0])}  {str(value).ljust(widths[1])}  {after}")
    return 0


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
