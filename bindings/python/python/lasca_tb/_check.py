"""Checks of arguments. Each message names the argument."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, Optional, TypeVar

Item = TypeVar("Item")
Kind = TypeVar("Kind")

_MOST = (1 << 64) - 1


def whole(name: str, number: Any, least: int = 0, most: int = _MOST) -> int:
    """The number, if it is whole and in the range."""
    try:
        found = operator.index(number)
    except TypeError:
        raise TypeError(f"expected a whole number as {name}, found {number!r}") from None
    if not least <= found <= most:
        raise ValueError(f"expected {name} {_range(least, most)}, found {found}")
    return found


def threads(number: Any) -> int:
    """The number of threads; 0 means one per processor."""
    return whole("threads", number, 0, 65_535)


def seconds(name: str, number: Any) -> float:
    """The number, if it is a time."""
    try:
        fits = math.isfinite(number) and 0 <= number < _MOST
    except TypeError:
        raise TypeError(f"expected a number of seconds as {name}, found {number!r}") from None
    if not fits:
        raise ValueError(f"expected {name} {_range(0, _MOST)}, found {number}")
    return float(number)


def two(name: str, ends: Any, least: int, most: int) -> tuple[int, int]:
    """The ends of a range, if they are whole and in this one."""
    try:
        first, last = map(operator.index, ends)
        fits = least <= first <= last <= most
    except (TypeError, ValueError):
        fits = False
    if not fits:
        expected = f"two whole numbers {_range(least, most)} as {name}, the smaller first"
        raise ValueError(f"expected {expected}, found {ends!r}")
    return first, last


def text(name: str, found: Any) -> str:
    """What is found, if it is a text."""
    if not isinstance(found, str):
        raise TypeError(f"expected a text as {name}, found {found!r}")
    return found


def items(name: str, found: Iterable[Item]) -> list[Item]:
    """The items of what is found, if it has items and is not a single text."""
    if isinstance(found, str) or not isinstance(found, Iterable):
        what = "a single text" if isinstance(found, str) else repr(found)
        raise TypeError(f"expected an iterable as {name}, found {what}")
    return list(found)


def texts(name: str, found: Iterable[str]) -> list[str]:
    """The same, if the items are texts."""
    listed = items(name, found)
    for item in listed:
        if not isinstance(item, str):
            raise TypeError(f"expected texts as {name}, found {item!r}")
    return listed


def one_of(name: str, found: Any, *allowed: str) -> None:
    """Makes sure that what is found is one of the allowed texts."""
    if found not in allowed:
        raise ValueError(f"expected {name} to be {' or '.join(map(repr, allowed))}, found {found!r}")


def told(
    progress: Optional[Callable[[Kind], object]], facts: Callable[..., Kind]
) -> Optional[Callable[..., object]]:
    """What Rust calls with plain numbers, if there is something to call."""
    if progress is None:
        return None
    tell = progress
    if not callable(tell):
        raise TypeError(f"expected a function as progress, found {progress!r}")
    return lambda *numbers: tell(facts(*numbers))


def _range(least: int, most: int) -> str:
    return f"from {least} to {'2**64 - 1' if most == _MOST else most}"
