"""What is known of a position, from tables or by search, and proofs of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Optional

from . import _check, _native
from ._game import AnyRules, Position, Rules, Side, Step, known, moves as legal_moves, read_steps
from ._tablebase import Tablebase, native_of
from ._value import BY_NAME, Wdl

MEMORY = _native.MEMORY
"""The most memory of a search if nothing else is said, as in the packages for C and JavaScript."""


class SearchedMove(NamedTuple):
    """A legal move, and what is proved of it."""

    move: str
    """The move. A capture shows the columns that it leaves."""
    position: Position
    """The position after the move."""
    wdl: Optional[Wdl]
    """Win, draw or loss for the side that makes the move; ``None`` if that is open."""
    dtw: Optional[int]
    """The exact distance in plies, if it is known, counted from before the move."""
    at_most: Optional[int]
    """The plies that a win or loss takes at most, counted from before the move."""
    excluded: tuple[Side, ...]
    """The sides that are proved unable to win after the move."""
    standing: Optional[str]
    """From :func:`explain`: how the move compares with the others, such as ``only move``."""
    line: tuple[Step, ...]
    """From :func:`explain`: the best line after the move."""
    holding: Optional[tuple[Step, ...]]
    """From :func:`explain`: after a move that draws, the replies that hold the draw."""
    estimate: Optional[int]
    """What an open move looks worth to the side that makes it, from -100 to 100, where 0 is even. It proves
    nothing. ``None`` if the result of the move is proved."""


class Solution(NamedTuple):
    """What is proved of a position. Everything else is open."""

    wdl: Optional[Wdl]
    """Win, draw or loss for the side to move; ``None`` if it is open who wins."""
    dtw: Optional[int]
    """The exact distance in plies, if it is known. A search seeks it if ``exact`` asks for it."""
    at_most: Optional[int]
    """The plies that the proof of a win or loss needs at most; ``None`` if that is not known, such as for
    want of memory or of the DTW file of a table."""
    excluded: tuple[Side, ...]
    """The sides that are proved unable to win."""
    line: tuple[Step, ...]
    """The best line known: to the end of the game if a side wins, and otherwise until a position is
    repeated, or nothing is known of the next one. Empty if the position is open, or its distance is not
    known."""
    moves: Optional[tuple[SearchedMove, ...]]
    """All legal moves, best first, if they were asked for: quick wins, slow wins, draws, open moves, slow
    losses, quick losses. A win or loss whose distance is not known comes after the others of its kind."""
    positions: int
    """How many positions the search has met; 0 if the tables have answered."""
    seconds: float
    """How long it took."""
    stop: Literal["finished", "time", "memory", "cancelled", "too_many_moves", "no_distances"]
    """Why it stopped: all that was asked for is found, the time is over, there is no room for more
    positions or for working out distances, ``progress`` has stopped it, a position has more than
    4,096 moves, or the distance rests on tables without distances."""


class Progress(NamedTuple):
    """How far a search is."""

    positions: int
    """How many positions it has met."""
    bytes: int
    """The memory that it holds."""


def solve(
    position: str,
    *,
    tables: Optional[Tablebase] = None,
    rules: Optional[AnyRules] = None,
    seconds: Optional[float] = None,
    memory: int = MEMORY,
    threads: int = 1,
    make: float = 0.0,
    exact: bool = False,
    moves: bool = False,
    progress: Optional[Callable[[Progress], object]] = None,
) -> Solution:
    """Searches a position, also with soldiers, until it is proved who wins, or that nobody does, or until a
    limit is reached.

    >>> solution = solve("c5w e5W d2b w", exact=True)
    >>> solution.wdl, solution.dtw, solution.excluded
    (Wdl.WIN, 5, ('black',))
    >>> [step.move for step in solution.line]
    ['e5-d4', 'd2-c1', 'd4-c3', 'c1-b2', 'c3-b2-a1WB']

    The interpreter's lock is released during the search. Ctrl-C ends it with
    :class:`KeyboardInterrupt`. To stop a search from another thread and keep what it has found, let
    ``progress`` look at a :class:`threading.Event`:

    >>> import threading
    >>> stop = threading.Event()
    >>> solve("c5w e5W d2b w", progress=lambda _: not stop.is_set()).wdl
    Wdl.WIN

    :param tables: used for positions that they cover; none are needed.
    :param rules: the rule set; by default that of the tables, or ``lasca`` without tables.
    :param seconds: the longest time; ``None`` for as long as it takes.
    :param memory: the most memory for what is found out, in bytes. A position takes about 64 bytes. If nothing
        else is said, it is 256 MiB, as in the packages for C and JavaScript.
    :param threads: how many threads search; 0 means one per processor, and more than 255 count as 255.
    :param make: how many seconds making the table that the answer needs may take by plan, within ``memory``;
        0 makes none. The tables have it from then on. It is made as by :meth:`Tablebase.make`. A position with
        soldiers is searched first; if the search has taken as long as making the table would, and that is at most
        a quarter of its ``seconds``, it makes the table and begins anew.
    :param exact: also search for the exact distance of a win or loss.
    :param moves: also search what each move is worth.
    :param progress: called several times a second in the thread of the call, except during a pass over all
        positions, which can take a second for each few million positions. If it returns ``False``,
        the search stops. What it raises ends the search too, and is passed on.
    :raises ParseError: the text is not a position.
    :raises ValueError: an argument is not one of the allowed values, the tables are closed, or they are
        for other rules.
    :raises MemoryError: the memory is too little to begin with.
    :raises Error: a file of a table is damaged.
    :raises ReadError: a file of a table cannot be read.
    """
    asked = _asked(position, tables, rules, seconds, memory, threads, progress, make)
    return _solution(_native.solve(asked, exact, moves, False, False), asked["rules"])


def explain(
    position: str,
    *,
    tables: Optional[Tablebase] = None,
    rules: Optional[AnyRules] = None,
    seconds: Optional[float] = None,
    memory: int = MEMORY,
    threads: int = 1,
    make: float = 0.0,
    progress: Optional[Callable[[Progress], object]] = None,
) -> Solution:
    """What each move of a position is worth, and what proves it: the line to the end of the game, or the
    replies that hold a draw. Asks the tables, and searches what they do not cover.

    >>> from lasca_tb import bundled
    >>> only, *others = explain("d2W d4W f2B f4B b", tables=bundled()).moves
    >>> print(only.move, only.wdl, only.standing, [step.move for step in only.holding])
    f2-g3 draw only move ['d2-e1', 'd4-e3']
    >>> print(others[0].move, others[0].wdl, others[0].dtw, len(others[0].line))
    f2-g1 loss 16 15

    Its parameters and exceptions are those of :func:`solve`.
    """
    asked = _asked(position, tables, rules, seconds, memory, threads, progress, make)
    return _solution(_native.solve(asked, True, True, True, True), asked["rules"])


def best_move(
    position: str,
    *,
    before: Iterable[str] = (),
    tables: Optional[Tablebase] = None,
    rules: Optional[AnyRules] = None,
    seconds: Optional[float] = None,
    memory: int = MEMORY,
    threads: int = 1,
    make: float = 0.0,
    progress: Optional[Callable[[Progress], object]] = None,
) -> SearchedMove:
    """The move to play: by the tables if they cover the position, and otherwise, or if they tell a win
    without distances, by a search. A proved win comes first. Where nothing is proved, the move with the best
    estimate is played. In a lost position it is the longest defence that is known, and in a drawn one the
    move after which the other side has the smallest share of right replies, where that is known.

    >>> best_move("c5w e5W d2b w").move
    'e5-d4'
    >>> opening = best_move("start", seconds=0.1)
    >>> opening.wdl, opening.estimate is None
    (None, False)

    Its parameters are those of :func:`solve`, and so are its exceptions, but for one of each:

    :param before: the positions that came before in the game. Where nothing better is known, the move does not
        lead back to them.
    :raises GameOverError: the game is over, so there is no move.
    """
    asked = _asked(position, tables, rules, seconds, memory, threads, progress, make)
    answer = json.loads(_native.best_move(asked, _check.texts("before", before)))
    best = next(move for move in answer["moves"] if move["move"] == answer["best_move"])
    return _searched(best, asked["rules"])


class Certificate(NamedTuple):
    """A proof of a position's value, which a program that knows only the rules can check."""

    text: str
    """The certificate. ``tools/check_certificate.py`` checks it, and ``docs/CERTIFICATE.md`` describes
    it."""
    winner: Optional[Side]
    """The winner; ``None`` if the position is drawn."""
    at_most: Optional[int]
    """In how many plies the winner wins at most; ``None`` for a draw."""
    exact: bool
    """Whether no quicker win is possible."""
    positions: int
    """How many positions the proof has."""


def certify(
    position: str,
    *,
    tables: Optional[Tablebase] = None,
    rules: Optional[AnyRules] = None,
    seconds: Optional[float] = None,
    memory: int = MEMORY,
    threads: int = 1,
    make: float = 0.0,
    progress: Optional[Callable[[Progress], object]] = None,
    max_positions: int = 1_000_000,
) -> Certificate:
    """Proves who wins a position, or that nobody does. The tables give the proof if they cover the
    position; otherwise it is searched.

    >>> certificate = certify("a1B b2w b4wwb w")
    >>> certificate.winner, certificate.at_most, certificate.text.splitlines()[3]
    ('white', 5, 'verdict white wins in 5')

    The other parameters and exceptions are those of :func:`solve`.

    :param max_positions: how many positions the proof may have.
    :raises OpenError: the result is still open when the search ends.
    :raises ValueError: the proof would need more positions.
    """
    most = _check.whole("max_positions", max_positions, 1)
    asked = _asked(position, tables, rules, seconds, memory, threads, progress, make)
    return Certificate(**json.loads(_native.certify(asked, most)))


class ReviewedPly(NamedTuple):
    """A position of a game, and what is known of it and of the move that was played."""

    number: str
    """The number of the move to be made, such as ``3.`` or ``3...``."""
    position: Position
    """The position."""
    wdl: Optional[Wdl]
    """Win, draw or loss for the side to move; ``None`` if that is not known."""
    dtw: Optional[int]
    """The exact distance in plies, if it is known."""
    excluded: tuple[Side, ...]
    """The sides that are proved unable to win."""
    move: Optional[str]
    """The move that was played; ``None`` in the last position."""
    mark: Optional[Literal["!", "?"]]
    """``?`` if the move gave a win or a draw away, and ``!`` if it was the only one of several that kept the
    result. ``None`` too if it is not known whether it kept the result."""
    better: tuple[Step, ...]
    """After a mistake, the best line known, which begins with a better move."""


class Review(NamedTuple):
    """Who is winning at each ply of a game."""

    title: Optional[str]
    """The title of the game."""
    text: str
    """The game as a study with marks and better lines, which ``lasca-tb study`` confirms."""
    known_from: Optional[int]
    """How many plies were played before all results are known; ``None`` if the last one is not."""
    plies: tuple[ReviewedPly, ...]
    """All positions, from the first to the last."""


def review(
    games: str,
    *,
    tables: Optional[Tablebase] = None,
    rules: Optional[AnyRules] = None,
    seconds: Optional[float] = 5.0,
    total: Optional[float] = None,
    memory: int = MEMORY,
    threads: int = 1,
    progress: Optional[Callable[[Progress], object]] = None,
) -> list[Review]:
    """Finds out who is winning at each ply of games, from the last position backwards, and marks the
    moves. Asks the tables, and searches what they do not cover. What is proved of a position helps with
    those before it.

    >>> [fork] = review("c3W e5W c5B e3B b  e3-d4 c3-d2 d4-e5-f6")
    >>> [(ply.move, ply.mark) for ply in fork.plies]
    [('e3-d4', None), ('c3-d2', '?'), ('d4-e5-f6BW', None), (None, None)]
    >>> fork.plies[1].better[0].move
    'c3-b4'

    The other parameters are those of :func:`solve`. If ``progress`` stops the search, the rest is left open.

    :param games: the text of one or more studies, such as ``start 1. c3-d4``. Only the main lines count.
    :param seconds: the longest time for each position; ``None`` for as long as it takes.
    :param total: the longest time for each game; ``None`` for as long as it takes.
    :raises ParseError: the text has not the form of studies, or a move is not legal.
    """
    if total is not None:
        total = _check.seconds("total", total)
    asked = _asked(games, tables, rules, seconds, memory, threads, progress, of="games")
    return [_review(told) for told in json.loads(_native.review(asked, total))]


def _review(told: dict[str, Any]) -> Review:
    plies = []
    for ply in told["plies"]:
        wdl, dtw, _, excluded = _known(ply["value"])
        known_of = (known(ply["position"]), wdl, dtw, excluded)
        plies.append(
            ReviewedPly(ply["number"], *known_of, ply["move"], ply["mark"], read_steps(ply["better"]))
        )
    return Review(told["title"], told["text"], told["known_from"], tuple(plies))


def _asked(
    text: str,
    tables: Optional[Tablebase],
    rules: Optional[AnyRules],
    seconds: Optional[float],
    memory: int,
    threads: int,
    progress: Optional[Callable[[Progress], object]],
    make: float = 0.0,
    of: str = "position",
) -> _native._Asked:
    """The arguments that these functions share, for the calls into Rust."""
    native = None if tables is None else native_of(tables)
    if rules is None:
        rules = Rules.LASCA if tables is None else tables.rules
    rules = Rules(rules)
    if tables is not None and rules != tables.rules:
        raise ValueError(f"expected tables for {rules} rules, found tables for {tables.rules} rules")
    return {
        "text": _check.text(of, text),
        "tables": native,
        "rules": rules,
        "seconds": None if seconds is None else _check.seconds("seconds", seconds),
        "memory": _check.whole("memory", memory),
        "threads": _check.threads(threads),
        "make": _check.seconds("make", make),
        "progress": _check.told(progress, Progress),
    }


def _solution(told: str, rules: str) -> Solution:
    """A solution from the JSON that the library gives."""
    answer = json.loads(told)
    searched = None
    if "moves" in answer:
        searched = tuple(_searched(move, rules) for move in answer["moves"])
    return Solution(
        *_known(answer),
        read_steps(answer["line"]),
        searched,
        answer["positions"],
        answer["seconds"],
        answer["stop"],
    )


def _known(
    value: dict[str, Any],
) -> tuple[Optional[Wdl], Optional[int], Optional[int], tuple[Side, ...]]:
    return BY_NAME.get(value["wdl"]), value["dtw"], value["at_most"], tuple(value["excluded"])


def _searched(move: dict[str, Any], rules: str) -> SearchedMove:
    after, holding = known(move["position"]), move.get("holding")
    if holding is not None:
        replies = {reply.move: reply for reply in legal_moves(after, rules=Rules(rules))}
        holding = tuple(replies[reply] for reply in holding)
    return SearchedMove(
        move["move"],
        after,
        *_known(move),
        move.get("standing"),
        read_steps(move.get("line", ())),
        holding,
        move.get("estimate"),
    )


# Show them as members of the package.
for _item in (
    *(SearchedMove, Solution, Progress, solve, explain, best_move, Certificate, certify),
    *(ReviewedPly, Review, review),
):
    _item.__module__ = "lasca_tb"
