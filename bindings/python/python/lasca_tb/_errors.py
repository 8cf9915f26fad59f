"""The exceptions of the package."""


class Error(Exception):
    """The base class of all errors of this package."""


class ParseError(Error, ValueError):
    """The text is not a position. The message gives the character, counted from 1."""


class NotInTablesError(Error, ValueError):
    """No table covers the position: it has a soldier, or a column that officers cannot build."""


class BeyondColumnsError(NotInTablesError):
    """The table of the position is bounded, and the position has more columns than it covers."""


class MissingTableError(Error, LookupError):
    """The table of the position is in none of the folders, or there is one only for other rules, or
    its DTW file is missing and a distance is needed."""


class DamagedTableError(Error):
    """A file of a table is damaged or holds another table than its name says, or the table contradicts
    itself."""


class ReadError(Error, OSError):
    """A folder or a file of a table cannot be read."""


# Show them as members of the package.
for _error in (
    Error,
    ParseError,
    NotInTablesError,
    BeyondColumnsError,
    MissingTableError,
    DamagedTableError,
    ReadError,
):
    _error.__module__ = "lasca_tb"
