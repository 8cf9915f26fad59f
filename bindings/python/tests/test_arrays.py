"""Many positions from and to arrays of numpy."""

import random
from typing import Literal

import numpy as np
import pytest

import lasca_tb
from lasca_tb import Tablebase, from_arrays, moves, to_arrays
from clone import TABLES


def played_out(seed: int, count: int) -> list[str]:
    """Positions of random games from positions of officers."""
    chance = random.Random(seed)
    positions: list[str] = []
    while len(positions) < count:
        position = chance.choice(["a1WW c3W e5BB w", "b2WB d4W f6B b", "a1W g7BW c5B w", "a1WB b"])
        for _ in range(20):
            positions.append(lasca_tb.Position(position))
            steps = moves(position)
            if not steps:
                break
            position = chance.choice(steps).position
    return positions[:count]


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_arrays_have_the_values_of_their_positions(threads: int) -> None:
    positions = played_out(1, 2000)
    tables = Tablebase(TABLES)
    values = tables.probe_many(positions)
    boards, black_to_move = to_arrays(positions)
    assert boards.shape == (2000, 25, 2)
    assert boards.dtype == np.int8 and black_to_move.dtype == np.bool_
    assert from_arrays(boards, black_to_move) == positions
    wdl, dtw = tables.probe_arrays(boards, black_to_move, threads=threads)
    assert wdl.dtype == np.int8 and dtw.dtype == np.int16
    assert wdl.tolist() == [value.wdl for value in values]
    assert dtw.tolist() == [-1 if value.dtw is None else value.dtw for value in values]
    alone, none = tables.probe_arrays(boards, black_to_move, dtw=False)
    assert none is None and (alone == wdl).all()
    # Loaded tables answer the same, and so do other kinds of numbers and orders of bytes.
    tables.load(dtw=True)
    loaded, plies = tables.probe_arrays(np.asfortranarray(boards.astype(np.int64)), black_to_move)
    assert (loaded == wdl).all() and (plies == dtw).all()


def test_positions_that_tables_do_not_cover_raise_or_are_unknown() -> None:
    boards, black_to_move = to_arrays(["a1WWWWWW b2BBBBB w", "b2B d2W a7W w"])
    tables = lasca_tb.bundled()
    with pytest.raises(lasca_tb.NotInTablesError):
        tables.probe_arrays(boards, black_to_move)
    wdl, dtw = tables.probe_arrays(boards, black_to_move, errors="return")
    assert (wdl.tolist(), dtw.tolist()) == ([lasca_tb.UNKNOWN, 1], [-1, 5])
    with pytest.raises(lasca_tb.NotInTablesError):
        to_arrays(["a1w b2B w"])
    with pytest.raises(lasca_tb.ParseError):
        to_arrays(["a1W"])


@pytest.mark.parametrize(
    ("square", "pair", "why"),
    [
        (3, (0, 1), "row 1: expected officers on top of g1"),
        (3, (1, -1), "row 1: .* found 1 and -1"),
        (3, (23, 0), "row 1: expected 1 to 22 counters, found"),
        (0, (-128, 127), "row 1: expected 1 to 22 counters"),
    ],
)
def test_a_row_that_is_no_position_is_named(square: int, pair: tuple[int, int], why: str) -> None:
    boards, black_to_move = to_arrays(["b2B d2W a7W w", "b2B d2W a7W w"])
    boards[1, square] = pair
    modes: list[Literal["raise", "return"]] = ["raise", "return"]
    for errors in modes:
        with pytest.raises(ValueError, match=why):
            lasca_tb.bundled().probe_arrays(boards, black_to_move, errors=errors)
    with pytest.raises(ValueError, match=why):
        from_arrays(boards, black_to_move)
    with pytest.raises(ValueError, match="row 0: expected 1 to 22 counters, found 0"):
        from_arrays(np.zeros((1, 25, 2), np.int8), False)


def test_other_arguments_that_are_wrong_are_told() -> None:
    tables = lasca_tb.bundled()
    boards, black_to_move = to_arrays(["b2B d2W a7W w"])
    with pytest.raises(ValueError, match=r"shape \(n, 25, 2\), found \(25, 2\)"):
        tables.probe_arrays(boards[0], black_to_move)
    with pytest.raises(ValueError, match="whole numbers"):
        tables.probe_arrays(boards.astype(float), black_to_move)
    with pytest.raises(ValueError, match="-128 to 127"):
        tables.probe_arrays(boards.astype(int) + 128, black_to_move)
    empty = to_arrays([])
    assert tables.probe_arrays(*empty)[0].shape == (0,)
