"""The exceptions of the package."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """The base class of all errors about positions, tables and files."""

    reason: str
    """Why, in a word for programs, as the lines of JSON have it, such as ``damaged``, ``inconsistent`` or
    ``too_many_moves``."""

    material: Optional[str] = None
    """The material of the table, such as ``3-2``, if the error is about one."""


class ParseError(Error, ValueError):
    """The text is not a position, not a legal move of the position, or not a game: the reason is
    ``not_a_position``, ``not_a_move`` or ``not_a_study``."""

    character: Optional[int] = None
    """The number of the character where the problem is, counted from 1; ``None`` if it is the text as a
    whole, or a game, whose message names the line and the column."""


class GameOverError(Error):
    """The game is over, so there is no move."""


class NotInTablesError(Error, LookupError):
    """The tables that are open do not know the answer. The reason is ``not_covered`` (there is a soldier or a
    column that officers cannot build, the table is missing, or it covers only positions with fewer columns),
    ``other_rules`` (there is a table, but only for other rules) or ``no_distances`` (the DTW file is missing)."""


class OpenError(Error):
    """It is still open who wins: a search was stopped, or ended at a limit."""


class ReadError(Error, OSError):
    """A folder or a file of a table cannot be read."""


# Show them as members of the package.
for _error in tuple(vars().values()):
    if isinstance(_error, type) and issubclass(_error, Error):
        _error.__module__ = "lasca_tb"
