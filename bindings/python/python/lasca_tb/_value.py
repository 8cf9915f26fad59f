"""Win, draw or loss, and the distance."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, NoReturn, Optional


class Wdl(IntEnum):
    """Win, draw or loss for the side to move: a number that is greater for what this side prefers. The
    negative is the view of the other side.

    >>> Wdl.LOSS < Wdl.DRAW < Wdl.WIN, -Wdl.WIN
    (True, Wdl.LOSS)
    >>> f"{Wdl.WIN}, {Wdl.WIN:d}"
    'win, 1'
    """

    LOSS = -1
    """The side to move loses."""
    DRAW = 0
    """Neither side can force a win."""
    WIN = 1
    """The side to move wins."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ValueError(f"expected a result (Wdl.LOSS, Wdl.DRAW or Wdl.WIN), found {value!r}")

    def __neg__(self) -> Wdl:
        return Wdl(-int(self))

    def __str__(self) -> str:
        return self.name.lower()

    def __repr__(self) -> str:
        return f"Wdl.{self.name}"

    def __format__(self, spec: str) -> str:
        is_number = spec[-1:] in tuple("bcdeEfFgGnoxX%")
        return format(int(self) if is_number else str(self), spec)


class Value(NamedTuple):
    """The value of a position for the side to move, or of a move for the side that makes it.

    It prints as ``win in 5``, ``draw`` or ``loss in 12``. Values are ordered by what the side prefers.
    From the greatest down: quick wins, slow wins, draws, slow losses, quick losses.

    >>> print(Value(Wdl.WIN, 5))
    win in 5
    >>> Value(Wdl.WIN, 5) > Value(Wdl.WIN, 7) > Value(Wdl.DRAW, None) > Value(Wdl.LOSS, 4)
    True
    """

    wdl: Wdl
    """Win, draw or loss."""
    dtw: Optional[int]
    """The number of plies until the loser cannot move, if the winner takes the shortest way and the
    loser the longest. ``None`` for a draw."""

    def __str__(self) -> str:
        return str(self.wdl) if self.dtw is None else f"{self.wdl} in {self.dtw}"

    def _preference(self) -> tuple[int, int]:
        return (self.wdl, -int(self.wdl) * (self.dtw or 0))

    def __lt__(self, other: object) -> bool:
        return self._preference() < other._preference() if isinstance(other, Value) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._preference() <= other._preference() if isinstance(other, Value) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self._preference() > other._preference() if isinstance(other, Value) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self._preference() >= other._preference() if isinstance(other, Value) else NotImplemented


def read_wdl(number: int) -> Wdl:
    """Win, draw or loss from its number."""
    return _BY_NUMBER[number]


def read_value(plain: tuple[int, Optional[int]]) -> Value:
    """A value from the numbers that the library gives."""
    return Value(_BY_NUMBER[plain[0]], plain[1])


# By the number, of which -1 stands for the last one. This is quicker than to ask the class.
_BY_NUMBER = (Wdl.DRAW, Wdl.WIN, Wdl.LOSS)

BY_NAME = {str(wdl): wdl for wdl in Wdl}
"""By the names that JSON has."""

# Show them as members of the package.
for _class in (Wdl, Value):
    _class.__module__ = "lasca_tb"
