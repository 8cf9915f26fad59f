"""``python -m lasca_tb POSITION``: who wins, and what each move is worth."""

from __future__ import annotations

import argparse
import json
import sys

from . import Error, ParseError, Position, ReadError, Rules, Tablebase, Value, __version__
from ._tablebase import BUNDLED


def main() -> int:
    """Answers, and gives the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lasca_tb",
        description="Looks up who wins a position of officers, in how many plies, and what each move "
        "is worth, best first.",
        epilog="Exit status: 0 there is an answer; 1 the tables have none, or are damaged; 2 the "
        "usage or the position is wrong, or a file cannot be read.",
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
        value, moves = tables.probe(position), tables.moves(position)
    except Error as error:
        if args.json:
            print(json.dumps({"position": args.position, "error": str(error)}))
        else:
            print(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, (ParseError, ReadError)) else 1
    if args.json:
        rated = [{"move": m.move, "position": m.position, **_keys(m.value)} for m in moves]
        print(json.dumps({"position": position, **_keys(value), "moves": rated}))
        return 0
    print(f"{position}: {value}")
    widths = [max(len(str(m[i])) for m in moves) for i in (0, 2)] if moves else []
    for rated_move in moves:
        cells = (rated_move.move.ljust(widths[0]), str(rated_move.value).ljust(widths[1]))
        print(f"  {cells[0]}  {cells[1]}  {rated_move.position}")
    return 0


def _keys(value: Value) -> dict[str, object]:
    return {"wdl": str(value.wdl), "dtw": value.dtw}


if __name__ == "__main__":
    sys.exit(main())
