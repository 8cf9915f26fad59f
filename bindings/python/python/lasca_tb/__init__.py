"""Endgame tablebases for Lasca.

>>> import lasca_tb
>>> with lasca_tb.Tablebase("tables") as tables:
...     value = tables.probe("b2B d2W a7W w")
...     print(value)
...     print(tables.moves("b2B d2W a7W w")[0].move)
win in 5
a7-b6

Positions are text: the columns and then the side to move, as in ``a1WWW b2BBB w``. ``W`` and ``B``
are officers, and each column is written from the top down. Values are those of the side to move.
Distances are in plies; a ply is one move by one side. The tables cover positions in which every
counter is an officer; :func:`bundled` opens those of up to six counters, which are a part of the package.
:func:`solve` searches any other position:

>>> lasca_tb.solve("c5w e5W d2b w").wdl
Wdl.WIN

All names follow, by task. ``help(lasca_tb.solve)`` explains one of them.

Positions and moves, without tables
    Position, Rules                     a checked position, with its columns, board and picture; a rule set
    moves, Step                         the legal moves; ``Position.after`` plays one
    read_games, Game                    games, move by move

Tables
    bundled, Tablebase                  open tables; ``close`` closes them
    Tablebase.tables, Table             list them; ``covers`` and ``max_columns`` tell what they know
    Tablebase.load, Loaded              decode them into memory, for many thousands of questions
    Tablebase.make, plan_for, MakePlan  make the one that a position needs

The value of a position, by tables
    Tablebase.probe, Value              win, draw or loss, and the distance; ``wdl`` gives the first alone
    Wdl                                 win, draw or loss, as a number
    Tablebase.get_value, get_wdl        the same with a default
    Tablebase.moves, RatedMove          all moves with their values, best first
    Tablebase.best_line                 best play to the end, a Line
    Tablebase.probe_many, Done          the values of many positions; how far it is

Any position, by tables and search
    solve, Solution                     who wins; Progress tells how far a search is
    explain, SearchedMove               what each move is worth, and why
    best_move                           the move to play
    certify, Certificate                a proof that other programs can check
    review, Review, ReviewedPly         who is winning at each ply of games

Positions of a table for authors and trainers
    find, Find, SolutionMove            the most striking positions
    practice                            endings picked at random

Errors
    Error                               what is wrong with a position, a table or a file. Its subclasses:
    ParseError, GameOverError, NotInTablesError, OpenError, ReadError

As elsewhere in Python, another wrong argument is a :class:`ValueError` or a :class:`TypeError`, and too
little memory is a :class:`MemoryError`. The message says what was expected, what was found, and where.
"""

from ._errors import Error, GameOverError, NotInTablesError, OpenError, ParseError, ReadError
from ._find import Find, SolutionMove, find, practice
from ._game import Game, Position, Rules, Step, moves, read_games
from ._native import __version__
from ._search import (
    Certificate,
    Progress,
    Review,
    ReviewedPly,
    SearchedMove,
    Solution,
    best_move,
    certify,
    explain,
    review,
    solve,
)
from ._tablebase import Done, Line, Loaded, MakePlan, RatedMove, Table, Tablebase, bundled
from ._value import Value, Wdl

__all__ = [
    "Certificate",
    "Done",
    "Error",
    "Find",
    "Game",
    "GameOverError",
    "Line",
    "Loaded",
    "MakePlan",
    "NotInTablesError",
    "OpenError",
    "ParseError",
    "Position",
    "Progress",
    "RatedMove",
    "ReadError",
    "Review",
    "ReviewedPly",
    "Rules",
    "SearchedMove",
    "Solution",
    "SolutionMove",
    "Step",
    "Table",
    "Tablebase",
    "Value",
    "Wdl",
    "__version__",
    "best_move",
    "bundled",
    "certify",
    "explain",
    "find",
    "moves",
    "practice",
    "read_games",
    "review",
    "solve",
]
