"""Positions of officers as arrays of numpy: many at once, without a Python object for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _check, _native
from ._game import Position, known

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

UNKNOWN = -128
"""The result of a position that the tables do not cover, from :meth:`Tablebase.probe_arrays` with
``errors="return"``."""


def to_arrays(positions: Iterable[str]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Positions of officers as arrays. This needs numpy.

    The first is an array of ``int8`` with the shape (positions, 25, 2): for each square, in Lasker's order
    from a1 to g7, the number of officers on top, positive for White's and negative for Black's, and the
    number of prisoners beneath. An empty square has 0 and 0. The second is an array of ``bool``: whether
    Black is to move.

    >>> boards, black_to_move = to_arrays(["a1WWB b2BBB w"])
    >>> boards.shape, boards[0, 0].tolist(), boards[0, 4].tolist(), black_to_move.tolist()
    ((1, 25, 2), [2, 1], [-3, 0], [False])

    :raises ParseError: a text is not a position.
    :raises NotInTablesError: a position has a soldier, or a column that officers cannot build.
    """
    import numpy as np

    boards, black = _native.to_arrays(_check.texts("positions", positions))
    return (
        np.frombuffer(boards, np.int8).reshape(-1, 25, 2).copy(),
        np.frombuffer(black, np.bool_).copy(),
    )


def from_arrays(boards: ArrayLike, black_to_move: ArrayLike) -> list[Position]:
    """The positions of arrays as :func:`to_arrays` makes them. This needs numpy.

    >>> from_arrays(*to_arrays(["a1WWB b2BBB w"]))
    [Position('a1WWB b2BBB w')]

    :raises ValueError: an array has another shape, or a row is no position of officers.
    """
    return [known(text) for text in _native.from_arrays(*read_arrays(boards, black_to_move))]


def read_arrays(boards: ArrayLike, black_to_move: ArrayLike) -> tuple[bytes, bytes]:
    """The bytes of arrays, after a check of their shapes."""
    import numpy as np

    rows = _whole(boards, np.int8, "boards")
    if rows.ndim != 3 or rows.shape[1:] != (25, 2):
        raise ValueError(f"expected boards of the shape (n, 25, 2), found {rows.shape}")
    black = np.asarray(black_to_move, np.bool_)
    if black.shape not in ((), rows.shape[:1]):
        raise ValueError(f"expected black_to_move of the shape ({len(rows)},) or (), found {black.shape}")
    return rows.tobytes(), np.broadcast_to(black, rows.shape[:1]).tobytes()


def _whole(array: ArrayLike, kind: Any, name: str) -> Any:
    """The array with numbers of this kind, if it loses nothing."""
    import numpy as np

    given = np.asarray(array)
    if not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"expected whole numbers as {name}, found {given.dtype}")
    converted = given.astype(kind, copy=False)
    if converted is not given and not np.array_equal(converted, given):
        raise ValueError(f"expected {name} of numbers from -128 to 127")
    return converted


# Show them as members of the package.
for _item in (to_arrays, from_arrays):
    _item.__module__ = "lasca_tb"
