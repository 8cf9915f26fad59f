"""Finding positions that authors look for."""

from __future__ import annotations

import json
import os
from typing import Literal, NamedTuple, Optional, get_args

from . import _native
from ._game import Position, Side, known
from ._tablebase import RatedMove, Tablebase, rated, winner
from ._value import BY_NAME, Value, Wdl

Defence = Literal["best", "every"]
"""The replies that are looked at: the best, or all legal ones."""


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
    threads: Optional[int] = None,
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
    :param threads: the greatest number of threads; ``None`` means one per processor.
    :raises ValueError: an argument is not one of the allowed values.

    It also raises the same exceptions as :meth:`Tablebase.probe` if the table or its distances are
    missing or damaged. Ctrl-C ends it with :class:`KeyboardInterrupt`.
    """
    if defence not in get_args(Defence):
        raise ValueError(f"expected defence to be 'best' or 'every', found {defence!r}")
    if threads is None:
        threads = os.cpu_count() or 1
    for name, number, least, most in (
        ("only_moves", only_moves, 0, _native.MOST_TURNS),
        ("limit", limit, 1, 1 << 32),
        ("threads", threads, 1, 1 << 16),
    ):
        if not least <= number <= most:
            raise ValueError(f"expected {name} from {least} to {most}, found {number}")
    for name, ends, most in (("plies", plies, (1 << 16) - 1), ("columns", columns, 22)):
        if ends is not None and not 0 <= ends[0] <= ends[1] <= most:
            raise ValueError(f"expected two numbers from 0 to {most} as {name}, found {ends}")
    wdl = None if result is None else Wdl(result)
    found = _native.find(
        tables._native,
        material,
        wdl,
        plies,
        only_moves,
        defence == "every",
        quiet_only,
        columns or (2, 22),
        limit,
        threads,
    )
    return _finds(found)


def practice(
    tables: Tablebase,
    material: str,
    *,
    result: Wdl = Wdl.WIN,
    plies: tuple[int, int] = (1, (1 << 16) - 1),
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
        raise ValueError(f"expected a win or a draw as result, found {result!r}")
    if not 0 <= seed < 1 << 64 or not 1 <= limit <= 1 << 32:
        raise ValueError(f"expected seed below 2**64 and limit from 1, found {seed} and {limit}")
    for name, ends, most in (
        ("plies", plies, (1 << 16) - 1),
        ("choices", choices, _native.MOST_CHOICES),
    ):
        if not 1 <= ends[0] <= ends[1] <= most:
            raise ValueError(f"expected two numbers from 1 to {most} as {name}, found {ends}")
    draw = result == Wdl.DRAW
    return _finds(
        _native.practice(tables._native, material, draw, plies, choices, seed, limit)
    )


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
