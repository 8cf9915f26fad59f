"""The exceptions of the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._game import Position, Rules


class Error(Exception):
    """The base class of all errors about positions, tables and files."""

    reason: str
    """Why, in a word for programs, as the lines of JSON have it, such as ``not_covered``."""


class ParseError(Error, ValueError):
    """The text is not a position, not a legal move of the position, or not a game."""

    reason = "not_a_position"
    """``not_a_position``, ``not_a_move`` or ``not_a_study``."""

    character: Optional[int]
    """The number of the character where the problem is, counted from 1; ``None`` if it is the text as a
    whole, or a game, whose message names the line and the column."""


class GameOverError(Error):
    """The game is over, so there is no move."""

    reason = "game_over"


class TooManyMovesError(Error):
    """A position has more than 4,096 moves, which are not listed. Only the rules ``rejump`` allow so many."""

    reason = "too_many_moves"


class NotInTablesError(Error, LookupError):
    """The tables that are open do not know the answer. The subclasses say why."""

    reason = "not_covered"


class NotOfficersError(NotInTablesError):
    """The position has a soldier, or a column that officers cannot build."""

    square: str
    """The square of that column, such as ``c3``."""


class BeyondColumnsError(NotInTablesError):
    """The table of the position is bounded, and the position has more columns than it covers."""

    material: str
    """The material of the table, such as ``3-2``."""
    rules: Rules
    """The rule set of the table."""
    path: Path
    """The WDL file of the table."""
    max_columns: int
    """The column bound of the table."""
    columns: int
    """The number of columns of the position."""


class MissingTableError(NotInTablesError):
    """The table of the position is in none of the folders."""

    material: str
    """The material of the table, such as ``3-2``."""
    rules: Rules
    """The rule set of the tablebase."""
    folders: tuple[Path, ...]
    """The folders that were searched."""


class OtherRulesError(NotInTablesError):
    """There is a table of the material, but only for other rules."""

    reason = "other_rules"
    material: str
    """The material of the table, such as ``3-2``."""
    rules: Rules
    """The rule set of the tablebase."""
    found: tuple[Rules, ...]
    """The rule sets for which there is a table."""


class MissingDtwError(NotInTablesError):
    """A distance is needed, but the table has only its WDL file."""

    reason = "no_distances"
    path: Path
    """The DTW file, which is not there."""


class DamagedTableError(Error):
    """A file of a table is damaged."""

    reason = "damaged"
    path: Path
    """The file."""


class WrongTableError(DamagedTableError):
    """A file holds another table than its name says."""

    expected: tuple[str, Rules]
    """The material and the rule set in the file's name."""
    found: tuple[str, Rules]
    """The material and the rule set of the table in the file."""


class InconsistentTablesError(Error):
    """The tables contradict themselves."""

    reason = "inconsistent"
    position: Position
    """A position whose value is that of none of its moves."""


class OpenError(Error):
    """It is still open who wins: a search was stopped, or ended at a limit."""

    reason = "not_covered"


class ReadError(Error, OSError):
    """A folder or a file of a table cannot be read."""

    reason = "unreadable"
    path: Path
    """The folder or the file."""


# Show them as members of the package.
for _error in tuple(vars().values()):
    if isinstance(_error, type) and issubclass(_error, Error):
        _error.__module__ = "lasca_tb"
