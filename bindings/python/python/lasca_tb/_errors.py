"""Why there is no answer."""


class Error(Exception):
    """What all errors of this package are."""


class ParseError(Error, ValueError):
    """A text is not a position. The message tells the character, counted from 1."""


class NotInTablesError(Error, ValueError):
    """A position that no table holds: a soldier is on the board, a column is one that no play with
    officers only reaches, or there are too many counters."""


class MissingTableError(Error, LookupError):
    """The table for a position is in none of the folders, or there is one for other rules only; or
    distances are asked for, and its DTW file is not there."""


class DamagedTableError(Error):
    """A file of a table is damaged, or is another one than its name says, or the table contradicts
    itself."""


class ReadError(Error, OSError):
    """A folder, or a file of a table, cannot be read."""


# Where people see them.
for _error in (Error, ParseError, NotInTablesError, MissingTableError, DamagedTableError, ReadError):
    _error.__module__ = "lasca_tb"
