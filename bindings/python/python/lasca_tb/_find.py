"""Finding positions that authors look for."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple, Optional, get_args

from . import _check, _native
from ._game import Position, Side, known
from ._tablebase import RatedMove, Tablebase, native_of, rated, winner
from ._value import BY_NAME, Value, Wdl

Defence = Literal["best", "every"]
"""The replies that are looked at: the best, or all legal ones."""

MOST_PLIES = (1 << 16) - 1
"""The most plies that can be asked for."""


class SolutionMove(NamedTuple):
    """A move of a solution."""

    rated: RatedMove
    """The move with its value."""
    standing: str
    """How it compares with the other moves, such as ``only move``."""


class Find(NamedTuple):
    """A position that was found."""

    position: Position
    """The position."""
    value: Value
    """Its value for the side to move."""
    only_moves: int
    """For how many turns the solver has only moves; 0 if they were not asked for."""
    choices: int
    """How many choices the solver has: turns with one right move and at least one other legal move."""
    solution: tuple[SolutionMove, ...]
    """A line of best play."""
    winner: Optional[Side]
    """The side that has won at its end; ``None`` if the position is drawn."""


def find(
    tables: Tablebase,
    material: str,
    *,
    result: Optional[Wdl] = None,
    plies: Optional[tuple[int, int]] = None,
    only_moves: int = 0,
    defence: Defence = "best",
    quiet_only: bool = False,
    columns: Optional[tuple[int, int]] = None,
    limit: int = 10,
    threads: int = 0,
) -> list[Find]:
    """Searches all positions of a table for those that authors and trainers look for, the most striking
    first, as ``lasca-tb find`` does.

    >>> from lasca_tb import bundled
    >>> best = find(bundled(), "2-2", only_moves=6)[0]
    >>> print(best.position, best.value, best.only_moves, best.choices)
    c1B g1W a3W b6B w win in 23 7 5

    The solver is the winner; in a drawn position, it is the side to move. ``lasca-tb help find`` says more.

    :param tables: they need the distances of the material.
    :param material: such as ``"3-2"``.
    :param result: the result for the side to move; ``None`` for wins and draws.
    :param plies: the least and the greatest number of plies; draws are left out then.
    :param only_moves: for how many of its next turns the solver must have exactly one right move.
    :param defence: the replies that ``only_moves`` looks at.
    :param quiet_only: leaves out positions in which the side to move must capture.
    :param columns: the least and the greatest number of columns in all.
    :param limit: the most positions to list.
    :param threads: the greatest number of threads; 0 means one per processor.
    :raises ValueError: an argument is not one of the allowed values.

    It also raises the same exceptions as :meth:`Tablebase.probe` if the table or its distances are
    missing or damaged. Ctrl-C ends it with :class:`KeyboardInterrupt`.
    """
    _check.one_of("defence", defence, *get_args(Defence))
    found = _native.find(
        native_of(tables),
        _check.text("material", material),
        None if result is None else Wdl(result),
        None if plies is None else _check.two("plies", plies, 0, MOST_PLIES),
        _check.whole("only_moves", only_moves, 0, _native.MOST_TURNS),
        defence == "every",
        quiet_only,
        _check.two("columns", (2, 22) if columns is None else columns, 0, 22),
        _check.whole("limit", limit, 1, 1 << 32),
        _check.threads(threads),
    )
    return _finds(found)


def practice(
    tables: Tablebase,
    material: str,
    *,
    result: Wdl = Wdl.WIN,
    plies: tuple[int, int] = (1, MOST_PLIES),
    choices: tuple[int, int] = (1, _native.MOST_CHOICES),
    seed: int = 0,
    limit: int = 4,
) -> list[Find]:
    """Picks endings to practise from a table at random. White is to move in all of them, has several legal
    moves, and only one of them is right.

    >>> from lasca_tb import bundled
    >>> endings = practice(bundled(), "3-2", choices=(3, 5), seed=1)
    >>> all(3 <= ending.choices <= 5 for ending in endings)
    True

    :param tables: they need the distances of the material.
    :param material: such as ``"3-2"``.
    :param result: the result for White, a win or a draw.
    :param plies: the least and the greatest number of plies of a win.
    :param choices: the least and the greatest number of choices that White has as long as there are only
        moves.
    :param seed: the same number picks the same endings.
    :param limit: the most endings to pick. Up to 50,000 positions are looked at.
    :raises ValueError: an argument is not one of the allowed values.

    It also raises the same exceptions as :meth:`Tablebase.probe` if the table or its distances are
    missing or damaged.
    """
    if result not in (Wdl.WIN, Wdl.DRAW):
        raise ValueError(f"expected Wdl.WIN or Wdl.DRAW as result, found {result!r}")
    picked = _native.practice(
        native_of(tables),
        _check.text("material", material),
        result == Wdl.DRAW,
        _check.two("plies", plies, 1, MOST_PLIES),
        _check.two("choices", choices, 1, _native.MOST_CHOICES),
        _check.whole("seed", seed),
        _check.whole("limit", limit, 1, 1 << 32),
    )
    return _finds(picked)


def _finds(found: str) -> list[Find]:
    return [
        Find(
            known(find["position"]),
            Value(BY_NAME[find["wdl"]], find["dtw"]),
            find["only_moves"],
            find["choices"],
            tuple(SolutionMove(rated(step), step["standing"]) for step in find["line"]),
            winner(find["line_end"]),
        )
        for find in json.loads(found)
    ]


# Show them as members of the package.
for _item in (SolutionMove, Find, find, practice):
    _item.__module__ = "lasca_tb"
