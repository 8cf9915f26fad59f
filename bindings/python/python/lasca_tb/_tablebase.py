"""The tablebase, and what it answers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Optional, Union, overload

from . import _native
from ._errors import Error

Wdl = Literal["win", "draw", "loss"]
"""Win, draw or loss, for the side to move."""

Rules = Literal["lasca", "bignor", "rejump"]
"""A rule set: how a take goes on."""

StrPath = Union[str, "os.PathLike[str]"]


class Value(NamedTuple):
    """The value of a position for the side to move, or of a move for the side that makes it.

    It prints as ``win in 5``, ``draw`` or ``loss in 12``.
    """

    wdl: Wdl
    """Win, draw or loss."""
    dtw: Optional[int]
    """Plies until the loser cannot move, the winner playing for the shortest way and the loser for
    the longest. ``None`` for a draw."""

    def __str__(self) -> str:
        return self.wdl if self.dtw is None else f"{self.wdl} in {self.dtw}"


class RatedMove(NamedTuple):
    """A legal move with its value."""

    move: str
    """The move, such as ``c3-d4`` or ``a1-b2BB-c3WWWB``: a take tells the columns that it leaves."""
    position: str
    """The position that it leads to."""
    value: Value
    """What it is worth to the side that makes it, counted from the position before it."""


class Line(NamedTuple):
    """A line of best play."""

    moves: tuple[RatedMove, ...]
    """The moves. Each one's value is counted from the position before it."""
    winner: Optional[Literal["white", "black"]]
    """Who has won at the end; ``None`` if the line is a draw, and ends where a position comes
    again."""


class Table(NamedTuple):
    """A table: its WDL file, and its DTW file if there is one."""

    material: str
    """White's and Black's counters, such as ``3-2``; ``2-3`` is in the same table."""
    rules: Rules
    """The rule set."""
    path: Path
    """The WDL file (``.ltbw``). The DTW file (``.ltbd``) is beside it, if there is one."""


class Tablebase:
    """The tables in some folders under one rule set.

    >>> tables = Tablebase("tables")
    >>> tables.probe("d2W d4W f2B f4B b")
    Value(wdl='draw', dtw=None)

    It can be used by any number of threads at once, and answers without holding the interpreter's
    lock. It closes at the end of a ``with`` block, by :meth:`close`, or when it is no longer used.

    :param folders: a folder, or several. Where two hold the same table, the first one's is used. A
        table's files are opened when it is first needed: the WDL file (``.ltbw``) tells win, draw
        or loss, and the DTW file (``.ltbd``), which may be left out, distances.
    :param rules: ``lasca`` (Lasker's), ``bignor`` or ``rejump``.
    :param cache_bytes: the most bytes of decoded blocks that are kept.
    :param in_memory: read each file as a whole instead of mapping it: whatever then happens to the
        file, the answers stay right.
    :raises ReadError: a folder cannot be read.
    :raises ValueError: no such rules, no folder, or a size below 0 or of 2**64 or more.
    """

    __slots__ = ("_folders", "_native", "_rules")

    def __init__(
        self,
        folders: Union[StrPath, Iterable[StrPath]],
        *,
        rules: Rules = "lasca",
        cache_bytes: int = 64 << 20,
        in_memory: bool = False,
    ) -> None:
        if isinstance(folders, (str, os.PathLike)):
            folders = [folders]
        self._folders = tuple(Path(folder) for folder in folders)
        if not self._folders:
            raise ValueError("expected at least one folder, found none")
        if not 0 <= cache_bytes < 1 << 64:
            raise ValueError(f"expected cache_bytes from 0 to 2**64 - 1, found {cache_bytes}")
        self._rules: Rules = rules
        self._native = _native.Tables(self._folders, rules, cache_bytes, in_memory)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders, as they were given."""
        return self._folders

    @property
    def rules(self) -> Rules:
        """The rule set of the answers."""
        return self._rules

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called. All other methods then raise :class:`ValueError`."""
        return self._native.closed

    def close(self) -> None:
        """Lets go of the tables. Calls under way in other threads come to their end. To close twice
        does no harm."""
        self._native.close()

    def tables(self) -> list[Table]:
        """The tables found in the folders, under whatever rules."""
        return [
            Table(material, rules, Path(path))  # type: ignore[arg-type]
            for material, rules, path in self._native.tables()
        ]

    def probe(self, position: str) -> Value:
        """The value of a position for the side to move. Unless a side commands no column, it needs
        both files of the table, WDL and DTW.

        >>> value = Tablebase("tables").probe("b2B f6W a7W b")
        >>> value.wdl, value.dtw
        ('loss', 8)

        :raises ParseError: the text is not a position.
        :raises NotInTablesError: no table holds such positions.
        :raises MissingTableError: the table is not there, or its DTW file is not.
        :raises DamagedTableError: a file of the table is damaged.
        :raises ReadError: a file of the table cannot be read.
        """
        return Value._make(self._native.probe(position))

    def wdl(self, position: str) -> Wdl:
        """Win, draw or loss alone: quicker than :meth:`probe`, and from the table's WDL file alone.
        Raises what :meth:`probe` does, but not for a DTW file that is not there."""
        return self._native.wdl(position)

    def dtw(self, position: str) -> Optional[int]:
        """The distance in plies, for whichever side wins; ``None`` for a draw. Raises what
        :meth:`probe` does."""
        return self._native.probe(position)[1]

    @overload
    def probe_many(
        self,
        positions: Iterable[str],
        *,
        errors: Literal["raise"] = "raise",
        threads: Optional[int] = None,
    ) -> list[Value]: ...
    @overload
    def probe_many(
        self,
        positions: Iterable[str],
        *,
        errors: Literal["return"],
        threads: Optional[int] = None,
    ) -> list[Union[Value, Error]]: ...
    def probe_many(
        self,
        positions: Iterable[str],
        *,
        errors: Literal["raise", "return"] = "raise",
        threads: Optional[int] = None,
    ) -> Union[list[Value], list[Union[Value, Error]]]:
        """The values of many positions, in their order, worked out by several threads.

        >>> tables = Tablebase("tables")
        >>> tables.probe_many(["b2B d2W a7W w", "b2B f6W a7W b"])
        [Value(wdl='win', dtw=5), Value(wdl='loss', dtw=8)]
        >>> [type(answer).__name__ for answer in tables.probe_many(["a1w g7B w"], errors="return")]
        ['NotInTablesError']

        :param errors: ``raise`` raises the first error in the order of the positions; ``return``
            puts each error in its position's place.
        :param threads: how many threads, at most; as many as there are processors if it is
            ``None``.
        :raises TypeError: ``positions`` is a single text, or holds what is not a text.
        :raises ValueError: ``errors`` or ``threads`` is none of those.

        Else raises what :meth:`probe` does, if errors are to be raised.
        """
        if isinstance(positions, str):
            raise TypeError("expected an iterable of positions, found a single text")
        if errors not in ("raise", "return"):
            raise ValueError(f"expected errors to be 'raise' or 'return', found {errors!r}")
        if threads is None:
            threads = os.cpu_count() or 1
        if threads < 1:
            raise ValueError(f"expected at least one thread, found {threads}")
        answers: list[Union[Value, Error]] = []
        for answer in self._native.probe_many(list(positions), threads):
            if isinstance(answer, tuple):
                answers.append(Value._make(answer))
            elif errors == "raise":
                raise answer
            else:
                answers.append(answer)
        return answers

    def moves(self, position: str) -> list[RatedMove]:
        """All legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
        quick losses. None if the game is over. Raises what :meth:`probe` does.

        >>> for rated in Tablebase("tables").moves("b2W c3B c5BB w"):
        ...     print(rated.move, rated.value)
        b2-c3-d4-c5B-b6WBB loss in 2
        """
        return [_rated(*plain) for plain in self._native.moves(position)]

    def best_move(self, position: str) -> Optional[RatedMove]:
        """The first of :meth:`moves`; ``None`` if the game is over. Raises what :meth:`probe`
        does."""
        return next(iter(self.moves(position)), None)

    def best_line(self, position: str) -> Line:
        """Best play of both sides: to the end of the game, or, in a draw, to the first position that
        comes again. Raises what :meth:`probe` does.

        >>> line = Tablebase("tables").best_line("b2B d2W a7W w")
        >>> len(line.moves), line.winner
        (5, 'white')
        """
        moves, winner = self._native.best_line(position)
        return Line(tuple(_rated(*plain) for plain in moves), winner)

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        folders = [str(folder) for folder in self._folders]
        state = ", closed" if self.closed else ""
        return f"<lasca_tb.Tablebase {folders} rules={self._rules!r}{state}>"


def _rated(move: str, position: str, value: tuple[Wdl, Optional[int]]) -> RatedMove:
    return RatedMove(move, position, Value._make(value))


# Where people see them.
for _class in (Value, RatedMove, Line, Table, Tablebase):
    _class.__module__ = "lasca_tb"
