"""What needs no tables: rules, positions and moves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import Enum
from typing import Any, Literal, NamedTuple, NoReturn, Optional, Union

from . import _check, _native

Side = Literal["white", "black"]
"""A side."""


class Rules(str, Enum):
    """A rule set. The rule sets differ in how a capture goes on.

    Its name as text, such as ``"bignor"``, is equal to it and can be used in its place.
    """

    LASCA = "lasca"
    """Lasker's rules of 1911: a square is jumped at most once in a move."""
    BIGNOR = "bignor"
    """Bignor Ludus: a capture is a single jump."""
    REJUMP = "rejump"
    """A square may be jumped again in the same move."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise ValueError(f"expected a rule set (lasca, bignor or rejump), found {value!r}")

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Rules.{self.name}"


AnyRules = Union[Rules, Literal["lasca", "bignor", "rejump"]]
"""A rule set or its name."""


class Position(str):
    """A position: a text that is known to be one, in the form in which the package writes positions. In
    a notebook it is shown as a board. It never changes.

    >>> Position("1WWW 5BBB, White to move")
    Position('a1WWW b2BBB w')

    Functions that take a position take any text that means one. Those that answer with positions
    answer with this type. What all texts can do, such as ``+`` and ``find``, it does as a plain text.

    :raises ParseError: the text is not a position.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Position:
        return super().__new__(cls, _native.position(text))

    def __repr__(self) -> str:
        return f"Position({super().__repr__()})"

    @property
    def side_to_move(self) -> Side:
        """The side to move."""
        return "white" if self.endswith("w") else "black"

    @property
    def columns(self) -> dict[str, str]:
        """The column on each square that is not empty, from the top down: ``W`` and ``B`` are officers,
        ``w`` and ``b`` soldiers.

        >>> Position("1WWW 5bB, White to move").columns
        {'a1': 'WWW', 'b2': 'bB'}
        """
        return {column[:2]: column[2:] for column in self.split()[:-1]}

    def after(self, move: str, *, rules: AnyRules = Rules.LASCA) -> Position:
        """The position after a move. This position stays as it is. The move may be written in every way
        that ``lasca-tb`` reads: squares by name or number, with or without columns, and of a long
        capture as many squares as tell it from the others.

        >>> Position("a1W b2BB w").after("a1-c3")
        Position('b2B c3WB b')

        :raises GameOverError: there is no legal move.
        :raises ParseError: the text is no legal move, or means several.
        :raises ValueError: there are no such rules.
        """
        return known(_native.play(self, move, Rules(rules)))

    def push(self, *_: object, **__: object) -> NoReturn:
        """Raises a :class:`TypeError`: a position does not change. :meth:`after` gives the next one."""
        raise TypeError("a position does not change: write position = position.after(move)")

    def outcome(self) -> Optional[Side]:
        """The side that has won; ``None`` as long as the game goes on.

        >>> Position("a1WB b").outcome(), Position("start").outcome()
        ('white', None)
        """
        return _native.winner(self)

    def symmetric(self) -> list[Position]:
        """The position and its images that are worth the same, itself first: rotated and reflected. If there
        is a soldier, only left and right can be exchanged.

        >>> Position("a1W b2b w").symmetric()
        [Position('a1W b2b w'), Position('g1W f2b w')]
        """
        return [known(image) for image in json.loads(_native.forms(self))["symmetric"]]

    def board(self) -> str:
        """The board drawn with letters, White below. A ``.`` is an empty square, and a high column is
        shortened: ``W5B4`` is five white officers on four black ones.

        >>> print(Position("a1WWW b2BBB f4wB e7B w").board())
        7 .   .   B   .
        6   .   .   .
        5 .   .   .   .
        4   .   .   wB
        3 .   .   .   .
        2   BBB .   .
        1 WWW .   .   .
          a b c d e f g
        White to move
        """
        return _native.board(self)

    def svg(
        self,
        *,
        size: int = 360,
        palette: str = "print",
        coordinates: bool = True,
        arrow: str | None = None,
        rules: AnyRules = Rules.LASCA,
    ) -> str:
        """The position as a picture: the text of an SVG file. An officer has a ring on its top and a mark
        on its side. Numbers beside a high column say how many counters of each colour there are, and the
        counter in the corner below shows the side to move. The picture has a description for screen
        readers.

        :param size: the width in pixels, from 100 to 10,000.
        :param palette: ``print``, which is black on white, or ``wood``.
        :param coordinates: whether the letters and numbers of the squares are shown.
        :param arrow: a legal move, which an arrow shows.
        :param rules: the rules by which the move is legal.
        :raises GameOverError: there is no legal move for an arrow.
        :raises ParseError: the arrow is no legal move, or means several.
        :raises ValueError: there are no such colours or rules, or the size is out of range.
        """
        size = _check.whole("size", size, 100, 10_000)
        palette = _check.text("palette", palette)
        arrow = None if arrow is None else _check.text("arrow", arrow)
        return _native.position_svg(self, size, palette, coordinates, arrow, Rules(rules))

    def _repr_svg_(self) -> str:
        return self.svg()


class Step(NamedTuple):
    """A move, and the position after it."""

    move: str
    """The move, such as ``c3-d4`` or ``a1-b2Bb-c3wWB``. A capture shows the columns that it leaves."""
    position: Position
    """The position after the move."""


def moves(position: str, *, rules: AnyRules = Rules.LASCA) -> list[Step]:
    """The legal moves of a position, also with soldiers. No tables are needed. The list is empty if the game is
    over.

    >>> [step.move for step in moves("a1w c3b e1B w")]
    ['a1-b2']
    >>> [step.move for step in moves("a1W b2BB w", rules="rejump")]
    ['a1-b2-c3-b2-a1WBB']

    :raises ParseError: the text is not a position.
    :raises ValueError: there are no such rules.
    """
    return list(read_steps(json.loads(_native.moves(position, Rules(rules)))["moves"]))


class Game(NamedTuple):
    """A game, move by move."""

    title: Optional[str]
    """The title."""
    position: Position
    """The position that it begins with."""
    moves: tuple[Step, ...]
    """The moves of the main line."""


def read_games(games: str, *, rules: AnyRules = Rules.LASCA) -> list[Game]:
    """Reads games, or the main lines of studies.

    >>> [game] = read_games("# Fork\\nc3W e5W c5B e3B b 1... e3-d4 2. c3-b4!")
    >>> game.title, [step.move for step in game.moves], game.moves[-1].position
    ('Fork', ['e3-d4', 'c3-b4'], Position('b4W d4B c5B e5W b'))

    :raises ParseError: the text has not the form of studies, or a move of a main line is not legal.
    :raises ValueError: there are no such rules.
    """
    read = []
    for game in json.loads(_native.games(games, Rules(rules))):
        first, *others = (known(ply["position"]) for ply in game["plies"])
        played = (ply["move"] for ply in game["plies"])
        read.append(Game(game["title"], first, tuple(map(Step, played, others))))
    return read


def known(text: str) -> Position:
    """A position that the library has written."""
    return str.__new__(Position, text)


def read_steps(moves: Iterable[dict[str, Any]]) -> tuple[Step, ...]:
    """Moves from the JSON that the library gives."""
    return tuple(Step(move["move"], known(move["position"])) for move in moves)


# Show them as members of the package.
for _item in (Rules, Position, Step, Game, moves, read_games):
    _item.__module__ = "lasca_tb"
