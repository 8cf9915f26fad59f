"""The part of the package that is written in Rust."""

import os
from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, final

from ._errors import Error

__all__ = [
    "MOST_CHOICES",
    "MOST_TURNS",
    "Tables",
    "__version__",
    "best_move",
    "certify",
    "find",
    "from_arrays",
    "moves",
    "play",
    "position",
    "position_svg",
    "practice",
    "probe_arrays",
    "review",
    "solve",
    "to_arrays",
]

MOST_CHOICES: int
MOST_TURNS: int
__version__: str

_Value = tuple[int, int | None]
_Step = tuple[str, str]
_Move = tuple[str, str, _Value]
_Side = Literal["white", "black"]
_Find = tuple[str, _Value, int, int, list[tuple[_Move, str]], _Side | None]
_Range = tuple[int | None, int | None, int | None, list[_Side]]
_SearchedMove = tuple[_Step, _Range, str | None, list[_Step], list[_Step] | None, int | None]
_Solution = tuple[
    _Range,
    list[_Step],
    list[_SearchedMove] | None,
    int,
    float,
    Literal["finished", "time", "memory", "cancelled", "too many moves", "no distances"],
]

_Ply = tuple[
    str, str, _Range, str | None, Literal["!", "?", "!?"] | None, list[_Step]
]
_Review = tuple[str | None, str, int | None, list[_Ply]]

class _Asked(TypedDict):
    text: str
    tables: Tables | None
    rules: str
    seconds: float | None
    memory: int
    threads: int
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
    def tables(self) -> list[tuple[str, str, os.PathLike[str] | None]]: ...
    def add_directory(self, folder: str | os.PathLike[str]) -> int: ...
    def covers(self, material: str, distances: bool) -> bool: ...
    def max_columns(self, material: str) -> int | None: ...
    def load(
        self,
        materials: Sequence[str] | None,
        dtw: bool,
        max_bytes: int,
        threads: int | None,
    ) -> tuple[list[str], list[str], list[str], int]: ...
    def probe(self, position: str) -> _Value: ...
    def wdl(self, position: str) -> int: ...
    def probe_many(self, positions: Sequence[str], threads: int) -> list[_Value | Error]: ...
    def moves(self, position: str) -> list[_Move]: ...
    def answer(self, position: str) -> _Solution: ...
    def best_line(self, position: str) -> tuple[list[_Move], Literal["white", "black"] | None]: ...

def position(position: str) -> str: ...
def position_svg(
    position: str, size: int, palette: str, coordinates: bool, arrow: str | None, rules: str
) -> str: ...
def moves(position: str, rules: str) -> list[_Step]: ...
def play(position: str, played: str, rules: str) -> _Step: ...
def to_arrays(positions: Sequence[str]) -> tuple[bytes, bytes]: ...
def probe_arrays(
    tables: Tables, boards: bytes, black: bytes, dtw: bool, mark: bool, threads: int
) -> tuple[bytes, bytes]: ...
def from_arrays(boards: bytes, black: bytes) -> list[str]: ...
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
) -> list[_Find]: ...
def practice(
    tables: Tables,
    material: str,
    draw: bool,
    plies: tuple[int, int],
    choices: tuple[int, int],
    seed: int,
    limit: int,
) -> list[_Find]: ...
def certify(
    asked: _Asked, max_positions: int
) -> tuple[str, _Side | None, int | None, bool, int]: ...
def best_move(asked: _Asked) -> _SearchedMove: ...
def review(asked: _Asked, total: float | None) -> list[_Review]: ...
def solve(
    asked: _Asked, exact: bool, moves: bool, proofs: bool, of_tables: bool
) -> _Solution: ...
