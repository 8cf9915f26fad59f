"""The package `lasca_tb`, with the tables that ship."""

import copy
import csv
import doctest
import json
import pickle
import re
import shutil
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Iterator, Optional, Union

import pytest

import lasca_tb
from lasca_tb import Position, Rules, Tablebase, Value, Wdl
from lasca_tb._tablebase import Access
from clone import CLONE, ROOT, TABLES
from turns import turns_during


@pytest.fixture(scope="module")
def tables() -> Iterator[Tablebase]:
    with Tablebase(TABLES) as opened:
        yield opened


def known() -> list[tuple[str, Value]]:
    """Positions whose tables ship, with their values, from a solver of other origin."""
    with open(ROOT / "tests" / "data" / "positions.csv", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if counters(row["position"]) <= 5]
    return [
        (row["position"], value(row["result"], int(row["plies"]) if row["plies"] else None))
        for row in rows
    ]


def value(result: str, plies: Optional[int]) -> Value:
    return Value(Wdl[result.upper()], plies)


def counters(position: str) -> int:
    return position.count("W") + position.count("B")


# One position


def test_positions_have_the_values_that_another_solver_found(tables: Tablebase) -> None:
    positions = known()
    assert len(positions) > 100
    for position, expected in positions:
        assert tables.probe(position) == expected == tables.get_value(position), position
        assert tables.wdl(position) is expected.wdl is tables.get_wdl(position)


def test_loaded_tables_have_the_same_values(tables: Tablebase) -> None:
    with Tablebase(TABLES) as loaded:
        nothing = loaded.load(max_bytes=0)
        assert nothing.wdl == () and nothing.bytes == 0 and "2-1" in nothing.left_out
        some = loaded.load(["3-2"], threads=1)
        assert (some.wdl, some.dtw, some.left_out) == (("3-2",), (), ())
        everything = loaded.load(dtw=True)
        assert everything.dtw == everything.wdl == nothing.left_out
        assert everything.bytes > some.bytes
        positions = [position for position, _ in known()]
        assert loaded.probe_many(positions) == tables.probe_many(positions)
        assert [loaded.wdl(p) for p in positions] == [tables.wdl(p) for p in positions]
        with pytest.raises(lasca_tb.NotInTablesError):
            loaded.load(["6-5"])
        for wrong in (["3"], ["3-0"]):
            with pytest.raises(ValueError, match="expected"):
                loaded.load(wrong)
        with pytest.raises(TypeError, match="materials"):
            loaded.load("3-2")


def test_a_finished_game_needs_no_table(tables: Tablebase) -> None:
    assert tables.probe("a1WBBBBBBBBBBBB b") == value("loss", 0)
    assert tables.probe("a1WBBBBBBBBBBBB w") == value("win", 0)
    assert tables.moves("a1WBBBBBBBBBBBB w") == []
    assert tables.best_line("a1W b2B c3B w") == lasca_tb.Line((), "black")


def test_values_print_and_are_pickled() -> None:
    assert [str(value("win", 5)), str(value("draw", None))] == ["win in 5", "draw"]
    assert repr(value("loss", 8)) == "Value(wdl=Wdl.LOSS, dtw=8)"
    wdl, dtw = value("win", 5)
    assert (wdl, dtw) == (Wdl.WIN, 5)
    rated = lasca_tb.RatedMove("c3-d4", Position("d4W e7B b"), value("draw", None))
    for item in (value("win", 5), rated, Rules.BIGNOR):
        again = pickle.loads(pickle.dumps(item))
        assert again == item and type(again) is type(item)
    assert len({value("win", 5), value("win", 5)}) == 1
    assert json.dumps(rated) == '["c3-d4", "d4W e7B b", [0, null]]'


def test_results_are_numbers_that_negate_and_compare() -> None:
    assert [int(wdl) for wdl in (Wdl.LOSS, Wdl.DRAW, Wdl.WIN)] == [-1, 0, 1]
    assert [Wdl(number) for number in (-1, 0, 1)] == [Wdl.LOSS, Wdl.DRAW, Wdl.WIN]
    assert (-Wdl.WIN, -Wdl.DRAW, -Wdl.LOSS) == (Wdl.LOSS, Wdl.DRAW, Wdl.WIN)
    assert -Wdl.WIN is Wdl.LOSS
    assert max(Wdl.DRAW, Wdl.WIN, Wdl.LOSS) is Wdl.WIN
    assert [f"{wdl:>5}" for wdl in Wdl] == [" loss", " draw", "  win"]
    assert (str(Wdl.WIN), repr(Wdl.WIN), int(Wdl.WIN)) == ("win", "Wdl.WIN", 1)
    assert pickle.loads(pickle.dumps(Wdl.LOSS)) is Wdl.LOSS


def test_values_are_ordered_by_what_the_side_to_move_prefers() -> None:
    ordered = [("loss", 0), ("loss", 8), ("draw", None), ("win", 7), ("win", 5), ("win", 0)]
    values = [value(*item) for item in ordered]
    assert sorted(reversed(values)) == values
    for lower, higher in zip(values, values[1:]):
        assert lower < higher and lower <= higher and higher > lower and higher >= lower
        assert lower <= lower and lower >= lower and not lower > higher
    with pytest.raises(TypeError):
        value("win", 5) < 5


# Moves and lines


def test_moves_come_best_first_with_the_mover_s_values(tables: Tablebase) -> None:
    for position, expected in known()[:100]:
        moves = tables.moves(position)
        assert {m[:2] for m in moves} == {tuple(step) for step in lasca_tb.moves(position)}
        if not moves:
            assert expected.dtw == 0
            continue
        assert moves[0].value == expected
        assert [m.value for m in moves] == sorted((m.value for m in moves), reverse=True)
        for rated in moves:
            after = tables.probe(rated.position)
            assert rated.value.wdl is -after.wdl
            if after.dtw is not None:
                assert rated.value.dtw == after.dtw + 1


def test_a_line_wins_in_as_many_plies_as_the_tables_say_or_repeats(tables: Tablebase) -> None:
    line = tables.best_line("a1W c1W g1W e3B a7B w")
    assert (len(line.moves), line.winner) == (41, "white")
    assert [rated.value.dtw for rated in line.moves] == list(range(41, 0, -1))
    drawn = tables.best_line("d2W d4W f2B f4B b")
    assert drawn.winner is None
    positions = ["d2W d4W f2B f4B b"] + [rated.position for rated in drawn.moves]
    assert positions[-1] in positions[:-1]


# Many positions


def test_many_positions_get_the_values_that_each_has_alone(tables: Tablebase) -> None:
    positions = [position for position, _ in known()] * 20
    values = [expected for _, expected in known()] * 20
    for threads in (0, 1, 2, 7):
        assert tables.probe_many(positions, threads=threads) == values
    assert tables.probe_many(iter(positions)) == values
    assert tables.probe_many([]) == []


def test_errors_among_many_are_raised_or_returned(tables: Tablebase) -> None:
    positions = ["b2B d2W a7W w", "a1w g7B w", "nonsense", "a1WWWWW g7BBBB w", "a1W\udcff"]
    answers = tables.probe_many(positions, errors="return")
    assert answers[0] == value("win", 5)
    assert [type(answer) for answer in answers[1:]] == [
        lasca_tb.NotInTablesError,
        lasca_tb.ParseError,
        lasca_tb.NotInTablesError,
        lasca_tb.ParseError,
    ]
    with pytest.raises(lasca_tb.NotInTablesError, match="a soldier on a1"):
        tables.probe_many(positions)


def test_many_answers_and_loading_tell_their_progress_and_can_be_stopped(tables: Tablebase) -> None:
    positions = ["b2B d2W a7W w"] * 40_000
    told: list[lasca_tb.Done] = []
    answers = tables.probe_many(positions, progress=told.append)
    assert len(answers) == 40_000 and told[-1] == (40_000, 40_000)
    assert [part.done for part in told[:2]] == [16_384, 32_768]
    assert len(tables.probe_many(positions, progress=lambda _: False)) == 16_384
    with Tablebase(TABLES) as fresh:
        some = fresh.load(dtw=True, progress=lambda part: part.done < 3)
        assert some.wdl == some.dtw == ("1-1", "2-1", "2-2") and some.bytes > 0
        told.clear()
        assert len(fresh.load(progress=told.append).wdl) == len(fresh.tables())
        assert told == [(done, 9) for done in range(1, 10)]
        # A material counts once, whichever side has more.
        told.clear()
        assert fresh.load(["3-2", "2-3"], progress=told.append).wdl == ("3-2",)
        assert told == [(1, 1)]

    def fail(_: lasca_tb.Done) -> None:
        raise RuntimeError("enough")

    for call in (tables.load, partial(tables.probe_many, positions)):
        with pytest.raises(RuntimeError, match="enough"):
            call(progress=fail)


def test_messages_about_wrong_arguments_name_them(tables: Tablebase) -> None:
    position = "b2B d2W a7W w"
    calls: list[tuple[Callable[..., object], dict[str, tuple[object, ...]]]] = [
        (Tablebase, {"folders": (3,), "cache_bytes": ("x", -1, 1 << 64)}),
        (tables.covers, {"material": (3,)}),
        (tables.load, {"materials": (3, "3-2", [3]), "max_bytes": (1e9, -1), "threads": (-1, 1 << 70)}),
        (tables.load, {"progress": (3,)}),
        (partial(tables.plan_for, "4-4"), {"columns": ("x", 0), "memory": (-1,), "threads": (1.5,)}),
        (partial(tables.make, "4-4"), {"seconds": ("x", -1, float("nan"), 1e300)}),
        (partial(tables.probe_many, [position]), {"errors": ("ignore", 3), "progress": (3,)}),
        (tables.probe_many, {"positions": (7, position, [position, 7])}),
        (lasca_tb.solve, {"position": (7,)}),
        (partial(lasca_tb.solve, position), {"tables": ("tables",)}),
        (partial(lasca_tb.solve, position), {"seconds": ("x", -1, float("inf")), "make": ("x", -1)}),
        (partial(lasca_tb.solve, position), {"memory": (1e9, -1, 1 << 64), "threads": ("x", -1)}),
        (partial(lasca_tb.solve, position), {"progress": (3,)}),
        (partial(lasca_tb.best_move, position), {"before": (position, [7])}),
        (partial(lasca_tb.certify, position), {"max_positions": ("x", 0, 1 << 70)}),
        (lasca_tb.review, {"games": (7,)}),
        (partial(lasca_tb.review, "start"), {"total": ("x", -1)}),
        (partial(lasca_tb.find, material="2-2"), {"tables": ("tables",)}),
        (partial(lasca_tb.find, tables), {"material": (7,)}),
        (partial(lasca_tb.find, tables, "2-2"), {"plies": (3, ("a", 3), (1, 2, 3), (3, 2))}),
        (partial(lasca_tb.find, tables, "2-2"), {"result": ("win",), "defence": ("x",), "limit": (0,)}),
        (partial(lasca_tb.find, tables, "2-2"), {"only_moves": (255,), "columns": ((2, 23),)}),
        (partial(lasca_tb.practice, tables, "2-2"), {"seed": ("x", -1), "choices": ((0, 1), (1, 21))}),
        (partial(lasca_tb.practice, tables, "2-2"), {"result": (Wdl.LOSS,), "limit": (0,), "plies": ((3, 2),)}),
        (Position(position).svg, {"size": ("x", 99), "palette": (3,), "arrow": (3,)}),
    ]
    for call, arguments in calls:
        for name, wrong in arguments.items():
            for found in wrong:
                with pytest.raises((TypeError, ValueError), match=rf"^expected .*\b{name}\b.* found"):
                    call(**{name: found})
    with pytest.raises(TypeError, match="expected a text, found 7"):
        tables.probe(7)  # type: ignore[arg-type]


# Errors


@pytest.mark.parametrize(
    ("position", "kind", "message"),
    [
        ("a2W b2B w", lasca_tb.ParseError, 'at character 1: expected one of the 25 squares'),
        ("a1W b2B", lasca_tb.ParseError, "expected the side to move"),
        ("", lasca_tb.ParseError, "found an empty text"),
        ("a1W \ud800b2B w", lasca_tb.ParseError, "at character 5: expected"),
        ("a1W\0 b2B w", lasca_tb.ParseError, "expected a counter"),
        ("a1" + "W" * 30 + " b2B w", lasca_tb.ParseError, "found 31"),
        ("a1w b2B w", lasca_tb.NotInTablesError, "found a soldier on a1"),
        ("a1WBW b2B w", lasca_tb.NotInTablesError, "found a1WBW"),
        ("a1WWWWWWW g7BBBBBB w", lasca_tb.NotInTablesError, "the table of 7-6"),
        ("a1WWWWWW g7BBBBB w", lasca_tb.NotInTablesError, "the table of 6-5"),
    ],
)
def test_each_reason_has_an_exception_with_the_library_s_message(
    tables: Tablebase, position: str, kind: type[lasca_tb.Error], message: str
) -> None:
    with pytest.raises(kind) as raised:
        tables.probe(position)
    assert message in str(raised.value)
    assert isinstance(raised.value, lasca_tb.Error)
    with pytest.raises(kind):
        tables.moves(position)
    with pytest.raises(kind):
        tables.best_line(position)


def write_contradiction(folder: Path) -> None:
    """Writes the values of 2-2 under ``lasca`` rules as a table for ``bignor`` rules, in which they contradict
    themselves. ``docs/FORMAT.md`` says what stands where in the header; the checksums of the headers are XXH3."""
    belongs_to = 0
    for kind, checksum in (("ltbw", 0x53de832c15624f25), ("ltbd", 0xa5993c35ed2a6f34)):
        file = bytearray((TABLES / f"lasca-2-2.{kind}").read_bytes())
        file[11] = 1
        file[64:72] = belongs_to.to_bytes(8, "little")
        file[80:88] = checksum.to_bytes(8, "little")
        (folder / f"bignor-2-2.{kind}").write_bytes(file)
        belongs_to = checksum


def test_each_error_has_the_reason_of_the_protocol(tables: Tablebase, tmp_path: Path) -> None:
    shutil.copy(TABLES / "lasca-2-1.ltbw", tmp_path)
    (tmp_path / "lasca-1-1.ltbw").write_bytes(b"damaged")
    shutil.copy(TABLES / "lasca-2-1.ltbw", tmp_path / "lasca-3-1.ltbw")
    (tmp_path / "lasca-3-2.ltbw").mkdir()
    broken = Tablebase(tmp_path)
    write_contradiction(tmp_path)
    contradiction = Tablebase(tmp_path, rules="bignor")
    for ask, kind, reason in (
        (lambda: tables.probe("a1W b2B"), lasca_tb.ParseError, "not_a_position"),
        (lambda: Position("a1W b2BB w").after("a1-e5"), lasca_tb.ParseError, "not_a_move"),
        (lambda: Position("a1WB b").after("a1-b2"), lasca_tb.GameOverError, "game_over"),
        (lambda: tables.probe("a1w b2B w"), lasca_tb.NotInTablesError, "not_covered"),
        (lambda: tables.probe("a1WWWWWW g7BBBBBB w"), lasca_tb.NotInTablesError, "not_covered"),
        (
            lambda: Tablebase(TABLES, rules="rejump").probe("a1W g7B w"),
            lasca_tb.NotInTablesError,
            "other_rules",
        ),
        (lambda: broken.probe("a1WW g7B w"), lasca_tb.NotInTablesError, "no_distances"),
        (lambda: broken.probe("a1W g7B w"), lasca_tb.Error, "damaged"),
        (lambda: broken.probe("a1WWW g7B w"), lasca_tb.Error, "damaged"),
        (lambda: broken.probe("a1WWW g7BB w"), lasca_tb.ReadError, "unreadable"),
        (lambda: Tablebase(tmp_path / "nowhere"), lasca_tb.ReadError, "unreadable"),
        (
            lambda: contradiction.best_line("a1W c1W f2BB w"),
            lasca_tb.Error,
            "inconsistent",
        ),
    ):
        with pytest.raises(lasca_tb.Error) as raised:
            ask()
        assert (type(raised.value), raised.value.reason) == (kind, reason)


def test_a_bounded_table_tells_how_far_it_goes() -> None:
    with Tablebase(ROOT / "tests" / "data") as bounded:
        assert bounded.max_columns("11-11") == 2
        assert bounded.probe("a1WWWWWWWWWWW g7BBBBBBBBBBB w").wdl in Wdl
        with pytest.raises(lasca_tb.NotInTablesError, match="at most 2 columns") as raised:
            bounded.probe("a1WWWWWWWWWWW c1BBBBB g7BBBBBB w")
        assert (raised.value.material, raised.value.reason) == ("11-11", "not_covered")
        assert bounded.get_value("a1WWWWWWWWWWW c1BBBBB g7BBBBBB w") is None
        assert bounded.covers("11-11") and bounded.covers("11-11", dtw=True)
        with pytest.raises(lasca_tb.NotInTablesError):
            bounded.max_columns("3-2")
        with pytest.raises(ValueError, match="expected a material"):
            bounded.max_columns("3")


def test_exceptions_are_also_those_that_python_has() -> None:
    assert issubclass(lasca_tb.ParseError, ValueError)
    assert issubclass(lasca_tb.NotInTablesError, LookupError)
    assert issubclass(lasca_tb.ReadError, OSError)
    assert lasca_tb.ParseError.__module__ == "lasca_tb"


def test_folders_that_cannot_be_read_and_wrong_options_are_told(tmp_path: Path) -> None:
    with pytest.raises(lasca_tb.ReadError, match="nowhere") as raised:
        Tablebase(tmp_path / "nowhere")
    assert raised.value.material is None
    with pytest.raises(ValueError, match="lasca, bignor or rejump"):
        Tablebase(TABLES, rules="chess")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="found -1"):
        Tablebase(TABLES, cache_bytes=-1)
    with pytest.raises(ValueError, match=r"from 0 to 2\*\*64 - 1, found 18446744073709551616"):
        Tablebase(TABLES, cache_bytes=1 << 64)
    with pytest.raises(ValueError, match="cache_bytes"):
        Tablebase(TABLES, cache_bytes=1 << 70)
    with pytest.raises(TypeError):
        Tablebase(7)  # type: ignore[arg-type]


def test_damaged_and_misnamed_tables_are_named(tmp_path: Path) -> None:
    whole = (TABLES / "lasca-2-1.ltbw").read_bytes()
    (tmp_path / "lasca-2-1.ltbw").write_bytes(whole[: len(whole) // 2])
    shutil.copy(TABLES / "lasca-2-1.ltbw", tmp_path / "lasca-3-1.ltbw")
    (tmp_path / "lasca-1-1.ltbw").mkdir()
    tables = Tablebase(tmp_path)
    with pytest.raises(lasca_tb.Error, match="lasca-2-1.ltbw"):
        tables.probe("b2B d2W a7W w")
    with pytest.raises(lasca_tb.Error, match="found that of 2-1") as wrong:
        tables.get_value("a1WWW g7B w")
    assert wrong.value.material == "3-1"
    with pytest.raises(lasca_tb.ReadError, match="lasca-1-1.ltbw"):
        tables.get_wdl("a1W g7B w")
    for material in ("2-1", "3-1", "1-1"):
        assert not tables.covers(material)


def test_a_table_without_distances_tells_win_draw_or_loss(tmp_path: Path) -> None:
    shutil.copy(TABLES / "lasca-2-1.ltbw", tmp_path)
    tables = Tablebase(tmp_path)
    position = "b2B d2W a7W w"
    assert tables.wdl(position) is Wdl.WIN
    assert tables.covers("1-2") and not tables.covers("2-1", dtw=True)
    assert tables.get_value(position) is None
    calls = (tables.probe, tables.moves, tables.best_line)
    for call in calls:
        with pytest.raises(lasca_tb.NotInTablesError, match="lasca-2-1.ltbd: the file with the distances is missing"):
            call(position)


def test_the_default_stands_for_what_the_tables_do_not_cover_and_nothing_else(
    tables: Tablebase,
) -> None:
    for position in ("a1w b2B w", "a1WWWWWW g7BBBBB w"):
        assert tables.get_value(position) is None
        assert tables.get_wdl(position, Wdl.DRAW) is Wdl.DRAW
    # The checker of types knows that these are not None, and what another default gives.
    wdl: Wdl = tables.get_wdl("a1w b2B w", Wdl.DRAW)
    of_default: Value = tables.get_value("a1w b2B w", value("draw", None))
    other: Union[Wdl, str] = tables.get_wdl("a1w b2B w", "?")
    assert (wdl, of_default.wdl, other) == (Wdl.DRAW, Wdl.DRAW, "?")
    for get in (tables.get_value, tables.get_wdl):
        with pytest.raises(lasca_tb.ParseError):
            get("a1WWW b2BBB")


def test_errors_have_their_facts(tables: Tablebase) -> None:
    with pytest.raises(lasca_tb.ParseError) as unread:
        tables.probe("a1WWW a2BBB w")
    assert unread.value.character == 7
    with pytest.raises(lasca_tb.ParseError) as empty:
        tables.probe("")
    assert empty.value.character is None
    with pytest.raises(lasca_tb.NotInTablesError) as missing:
        tables.probe("a1WWWWW g7BBBBBB w")
    again = pickle.loads(pickle.dumps(missing.value))
    for error in (missing.value, again):
        assert (error.material, error.reason) == ("6-5", "not_covered")
    assert str(again) == str(missing.value)


# Opening and closing


def test_folders_may_be_one_or_several_text_or_path(tmp_path: Path) -> None:
    for folders in (TABLES, str(TABLES), [tmp_path, TABLES], (str(TABLES),)):
        assert Tablebase(folders).wdl("b2B d2W a7W w") is Wdl.WIN
    assert Tablebase([tmp_path, TABLES]).folders == (tmp_path, TABLES)
    assert Tablebase().folders == () and Tablebase().tables() == []


def test_tables_of_up_to_six_counters_are_a_part_of_the_package(
    tables: Tablebase, tmp_path: Path
) -> None:
    with lasca_tb.bundled() as bundled:
        listed = bundled.tables()
        materials = ["1-1", "2-1", "2-2", "3-1", "3-2", "3-3", "4-1", "4-2", "5-1"]
        assert sorted(table.material for table in listed) == materials
        assert all(table.path is None for table in listed) and bundled.folders == ()
        positions = [position for position, _ in known()]
        assert bundled.probe_many(positions) == tables.probe_many(positions)
        with pytest.raises(lasca_tb.NotInTablesError):
            bundled.probe("a1WWWW b2BBB w")
    # What a folder holds of the same tables does not count, even if it is damaged.
    (tmp_path / "lasca-2-1.ltbw").write_bytes(b"damaged")
    assert Tablebase(tmp_path, included=True).probe("b2B d2W a7W w") == value("win", 5)
    with pytest.raises(lasca_tb.Error, match="lasca-2-1.ltbw"):
        Tablebase(tmp_path).probe("b2B d2W a7W w")
    # They are for one rule set.
    assert Tablebase(rules="bignor", included=True).tables() == []


def test_options_are_heeded() -> None:
    for cache_bytes in (0, (1 << 64) - 1):
        tables = Tablebase(TABLES, cache_bytes=cache_bytes)
        assert tables.probe("b2B d2W a7W w") == value("win", 5)
    accesses: tuple[Access, ...] = ("automatic", "private", "mapped")
    for access in accesses:
        assert Tablebase(TABLES, access=access).probe("b2B d2W a7W w") == value("win", 5)
    with pytest.raises(ValueError, match='found "fast"'):
        Tablebase(TABLES, access="fast")  # type: ignore[arg-type]
    rejump = Tablebase(TABLES, rules="rejump")
    assert rejump.rules is Rules.REJUMP
    with pytest.raises(lasca_tb.NotInTablesError, match="rejump rules, found one under lasca") as raised:
        rejump.probe("b2B d2W a7W w")
    assert raised.value.material == "2-1"
    assert Tablebase(TABLES, rules=Rules.LASCA).covers("2-1") and not rejump.covers("2-1")


def test_tables_are_listed(tables: Tablebase) -> None:
    listed = tables.tables()
    assert [table.material for table in listed][:3] == ["1-1", "2-1", "3-1"]
    assert {table.rules for table in listed} == {"lasca"}
    assert listed[0].path == TABLES / "lasca-1-1.ltbw"
    assert "1-1, 2-1, 3-1" in repr(tables)
    for table in listed:
        assert table.path is not None
        files = [table.path, table.path.with_suffix(".ltbd")]
        assert table.bytes == sum(file.stat().st_size for file in files)
    stored = {table.material: table.positions for table in listed}
    assert (stored["2-1"], stored["2-2"]) == (2332, 16264)
    # Both sides to move, from a solver of other origin.
    longest: dict[str, int] = {}
    with open(ROOT / "tests" / "data" / "totals.csv", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["rules"] == "lasca":
                plies = int(row["max_win_plies"])
                longest[row["material"]] = max(plies, longest.get(row["material"], 0))
    known_wins = {table.material: table.longest_win for table in listed if table.material in longest}
    assert len(known_wins) == 5
    assert all(longest[material] == plies for material, plies in known_wins.items())


def test_a_damaged_table_is_listed_without_what_it_does_not_tell(tmp_path: Path) -> None:
    (tmp_path / "lasca-2-1.ltbw").write_bytes(b"damaged")
    table = ("2-1", Rules.LASCA, tmp_path / "lasca-2-1.ltbw", None, 7, None)
    assert Tablebase(tmp_path).tables() == [table]
    assert repr(Tablebase(tmp_path, rules="bignor")).endswith("rules=Rules.BIGNOR: no tables>")


def test_a_tablebase_that_is_copied_or_pickled_says_what_to_do(tables: Tablebase) -> None:
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"threads share it.*Tablebase\(tables.folders\)"):
            call(tables)
    position = Position("b2B d2W a7W w")
    answers = (position, Rules.BIGNOR, Wdl.WIN, tables.moves(position), tables.tables())
    for item in (*answers, lasca_tb.explain(position), lasca_tb.find(tables, "2-1")):
        for again in (copy.copy(item), copy.deepcopy(item), pickle.loads(pickle.dumps(item))):
            assert again == item and type(again) is type(item)


def test_a_closed_tablebase_answers_no_more() -> None:
    with Tablebase(TABLES) as tables:
        assert not tables.closed
        assert "closed" not in repr(tables)
    assert tables.closed
    assert "closed" in repr(tables)
    tables.close()
    for call in (tables.probe, tables.moves, tables.best_line, tables.wdl):
        with pytest.raises(ValueError, match="the tablebase is closed"):
            call("b2B d2W a7W w")
    with pytest.raises(ValueError, match="closed"):
        tables.probe_many(["b2B d2W a7W w"])
    with pytest.raises(ValueError, match="closed"):
        tables.tables()


# Threads


def test_threads_share_a_tablebase(tables: Tablebase) -> None:
    positions = known()
    wrong: list[str] = []

    def work() -> None:
        for position, expected in positions:
            if tables.probe(position) != expected:
                wrong.append(position)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_interpreter_s_lock_is_released_meanwhile(tables: Tablebase) -> None:
    positions = [position for position, _ in known()] * 2000
    turns = turns_during(lambda: tables.probe_many(positions, threads=1))
    # If the worker kept the lock, this thread would have its turn once or twice.
    assert turns > 20


# Documentation


def test_the_examples_of_the_documentation_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CLONE)
    runner = doctest.DocTestRunner()
    names = {name: getattr(lasca_tb, name) for name in lasca_tb.__all__}
    for name in ["__doc__", *lasca_tb.__all__]:
        item = lasca_tb if name == "__doc__" else getattr(lasca_tb, name)
        # Not of a module: the classes are defined in one and seen in another.
        finder = doctest.DocTestFinder(recurse=item is not lasca_tb)
        for test in finder.find(item, name, module=False, globs=names):
            runner.run(test)
    result = runner.summarize()
    assert result.attempted > 10 and result.failed == 0
    readme = ROOT / "bindings" / "python" / "README.md"
    result = doctest.testfile(str(readme), module_relative=False)
    assert result.attempted > 0 and result.failed == 0


def test_everything_public_is_documented() -> None:
    for name in lasca_tb.__all__:
        item = getattr(lasca_tb, name)
        if isinstance(item, type):
            assert item.__doc__, name
            for attribute, value in vars(item).items():
                if callable(value) and not attribute.startswith("_"):
                    assert value.__doc__, f"{name}.{attribute}"
    assert lasca_tb.__version__.count(".") == 2


def test_the_help_begins_with_a_page_that_lists_all_names() -> None:
    page = lasca_tb.__doc__ or ""
    names = set(re.findall(r"\w+", page))
    assert set(lasca_tb.__all__) - {"__version__"} <= names
    methods = {name for name in vars(Tablebase) if not name.startswith("_")}
    assert methods - names == {"folders", "rules", "closed"}
    assert len(page.splitlines()) < 70


def test_the_best_move_is_proved_or_looks_best_and_there_is_none_when_the_game_is_over(
    tables: Tablebase,
) -> None:
    assert lasca_tb.best_move("b2B d2W a7W w", tables=tables).move == "a7-b6"
    assert lasca_tb.best_move("d2W d4W f2B f4B b", tables=tables).move == "f2-g3"
    drawn, after = "a1W c1W g7B e7B w", "b2W c1W g7B e7B b"
    assert lasca_tb.best_move(drawn, tables=tables).move == "a1-b2"
    assert lasca_tb.best_move(drawn, tables=tables, before=[after]).move == "c1-b2"
    lost = lasca_tb.solve("a1B g5bBB g7WwB w", moves=True).moves
    assert lost is not None and all(move.estimate is None for move in lost)
    opening = lasca_tb.best_move("start", seconds=0.2)
    assert opening.wdl is None and opening.estimate in range(-100, 101)
    moves = lasca_tb.solve("start", seconds=0.2, moves=True).moves
    assert moves is not None
    estimates = [move.estimate for move in moves if move.estimate is not None]
    assert len(estimates) == len(moves) and estimates == sorted(estimates, reverse=True)
    with pytest.raises(lasca_tb.GameOverError, match="the game is over") as raised:
        lasca_tb.best_move("a1W b2B c3B w")
    assert not isinstance(raised.value, ValueError)
    with pytest.raises(lasca_tb.ParseError):
        lasca_tb.best_move("a1W")
    with pytest.raises(lasca_tb.ParseError):
        lasca_tb.best_move("start", before=["a1W"])
