"""Endgame tablebases for Lasca.

>>> import lasca_tb
>>> with lasca_tb.Tablebase("tables") as tables:
...     value = tables.probe("b2B d2W a7W w")
...     print(value)
...     print(tables.best_move("b2B d2W a7W w").move)
win in 5
a7-b6

Positions are text: the columns and then the side to move, as in ``a1WWW b2BBB w``. ``W`` and ``B``
are officers, and each column is written from the top down. Values are those of the side to move.
Distances are in plies; a ply is one move by one side. The tables cover positions in which every
counter is an officer. :func:`solve` searches any other position:

>>> lasca_tb.solve("c5w e5W d2b w").wdl
'win'

Every error is a :class:`lasca_tb.Error`. Its message says what was expected, what was found, and
where.
"""

from ._errors import (
    BeyondColumnsError,
    DamagedTableError,
    Error,
    MissingTableError,
    NotInTablesError,
    ParseError,
    ReadError,
)
from ._native import __version__
from ._search import Progress, SearchedMove, Solution, Step, solve
from ._tablebase import Line, Loaded, RatedMove, Table, Tablebase, Value, Wdl

__all__ = [
    "BeyondColumnsError",
    "DamagedTableError",
    "Error",
    "Line",
    "Loaded",
    "MissingTableError",
    "NotInTablesError",
    "ParseError",
    "Progress",
    "RatedMove",
    "ReadError",
    "SearchedMove",
    "Solution",
    "Step",
    "Table",
    "Tablebase",
    "Value",
    "Wdl",
    "__version__",
    "solve",
]
