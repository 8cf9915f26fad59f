"""The part of the package that is written in Rust."""

import os
from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, final

from ._errors import Error

__all__ = [
    "MEMORY",
    "MOST_CHOICES",
    "MOST_TURNS",
    "Tables",
    "__version__",
    "best_move",
    "board",
    "certify",
    "find",
    "forms",
    "games",
    "make",
    "moves",
    "play",
    "position",
    "position_svg",
    "practice",
    "review",
    "solve",
    "winner",
]

MEMORY: int
MOST_CHOICES: int
MOST_TURNS: int
__version__: str

_Value = tuple[int, int | None]
_Json = str

class _Asked(TypedDict):
    text: str
    tables: Tables | None
    rules: str
    seconds: float | None
    memory: int
    threads: int
    make: float
    progress: Callable[[int, int], object] | None

@final
class Tables:
    def __new__(
        cls,
        folders: Sequence[str | os.PathLike[str]],
        rules: str,
        cache_bytes: int,
        access: str,
        included: bool,
    ) -> Tables: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def tables(
        self,
    ) -> list[tuple[str, str, os.PathLike[str] | None, int | None, int | None, int | None]]: ...
    def materials(self) -> list[str]: ...
    def covers(self, material: str, dtw: bool) -> bool: ...
    def max_columns(self, material: str) -> int | None: ...
    def load(
        self,
        materials: Sequence[str] | None,
        dtw: bool,
        max_bytes: int,
        threads: int,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[list[str], list[str], list[str], int]: ...
    def probe(self, position: str) -> _Value: ...
    def wdl(self, position: str) -> int: ...
    def probe_many(
        self,
        positions: Sequence[str],
        threads: int,
        progress: Callable[[int, int], object] | None,
    ) -> list[_Value | Error]: ...
    def moves(self, position: str) -> _Json: ...
    def best_line(self, position: str) -> _Json: ...

def position(position: str) -> str: ...
def board(position: str) -> str: ...
def forms(position: str) -> _Json: ...
def winner(position: str) -> Literal["white", "black"] | None: ...
def games(games: str, rules: str) -> _Json: ...
def position_svg(
    position: str, size: int, palette: str, coordinates: bool, arrow: str | None, rules: str
) -> str: ...
def moves(position: str, rules: str) -> _Json: ...
def play(position: str, played: str, rules: str) -> str: ...
def find(
    tables: Tables,
    material: str,
    result: int | None,
    plies: tuple[int, int] | None,
    only_moves: int,
    every_defence: bool,
    quiet_only: bool,
    columns: tuple[int, int],
    limit: int,
    threads: int,
) -> _Json: ...
def practice(
    tables: Tables,
    material: str,
    draw: bool,
    plies: tuple[int, int],
    choices: tuple[int, int],
    seed: int,
    limit: int,
) -> _Json: ...
def certify(asked: _Asked, max_positions: int) -> _Json: ...
def best_move(asked: _Asked, before: Sequence[str]) -> _Json: ...
def review(asked: _Asked, total: float | None) -> _Json: ...
def solve(asked: _Asked, exact: bool, moves: bool, proofs: bool, of_tables: bool) -> _Json: ...
def make(
    tables: Tables,
    of: str,
    columns: int | None,
    seconds: float,
    memory: int,
    threads: int,
    make: bool,
) -> _Json | None: ...
