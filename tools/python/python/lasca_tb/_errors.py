"""Why there is no answer."""


class Error(Exception):
    """What all errors of this package are."""


class ParseError(Error, ValueError):
    """A text is not a position. The message tells the character, counted from 1."""


class NotInTablesError(Error, ValueError):
    """A position that no table holds: a soldier is on the board, a column is one that no play with
    officers only reaches, or there are too many counters."""


class MissingTableError(Error, LookupError):
    """The table for a position is in none of the folders, or there is one for other rules only."""


class DamagedTableError(Error):
    """A table is damaged, is another one than its name says, or contradicts itself."""


class ReadError(Error, OSError):
    """A folder or a file cannot be read."""


# Where people see them.
for _error in (Error, ParseError, NotInTablesError, MissingTableError, DamagedTableError, ReadError):
    _error.__module__ = "lasca_tb"
