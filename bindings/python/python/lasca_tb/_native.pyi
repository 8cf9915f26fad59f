"""The part of the package that is written in Rust."""

import os
from collections.abc import Callable, Sequence
from typing import Literal, final

from ._errors import Error

__all__ = ["Tables", "__version__", "moves", "position", "position_svg", "solve"]

__version__: str

_Value = tuple[int, int | None]
_Step = tuple[str, str]
_Move = tuple[str, str, _Value]
_Side = Literal["white", "black"]
_SearchedMove = tuple[str, str, int | None, int | None, list[_Side]]

@final
class Tables:
    def __new__(
        cls,
        folders: Sequence[str | os.PathLike[str]],
        rules: str,
        cache_bytes: int,
        access: str,
    ) -> Tables: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def tables(self) -> list[tuple[str, str, os.PathLike[str]]]: ...
    def add_directory(self, folder: str | os.PathLike[str]) -> int: ...
    def covers(self, material: str) -> bool: ...
    def covers_distances(self, material: str) -> bool: ...
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
    def ratings(self, position: str) -> tuple[_Value, list[_Move]]: ...
    def best_line(self, position: str) -> tuple[list[_Move], Literal["white", "black"] | None]: ...

def position(position: str) -> str: ...
def position_svg(position: str) -> str: ...
def moves(position: str, rules: str) -> list[_Step]: ...
def solve(
    position: str,
    tables: Tables | None,
    rules: str,
    seconds: float | None,
    memory: int,
    threads: int,
    exact: bool,
    moves: bool,
    progress: Callable[[int, int], object] | None,
) -> tuple[
    int | None,
    int | None,
    int | None,
    list[_Side],
    list[_Step],
    list[_SearchedMove] | None,
    int,
    float,
    Literal["finished", "time", "memory", "cancelled"],
]: ...
