"""Searches by `lasca_tb.solve`."""

import _thread
import pickle
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import lasca_tb
from lasca_tb import (
    ParseError,
    Position,
    Progress,
    Solution,
    Tablebase,
    Wdl,
    best_move,
    bundled,
    certify,
    explain,
    find,
    review,
    solve,
)
from clone import TABLES
from turns import turns_during

START = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w"


def test_a_win_is_proved_with_its_distance_its_line_and_its_moves() -> None:
    solution = solve("c5w e5W d2b w", exact=True, moves=True)
    assert solution[:4] == (Wdl.WIN, 5, 5, ("black",))
    assert [step.move for step in solution.line][0] == "e5-d4"
    assert all(isinstance(step.position, Position) for step in solution.line)
    assert (len(solution.line), solution.stop) == (5, "finished")
    assert solution.positions > 0 and solution.seconds > 0
    assert solution.moves is not None and len(solution.moves) == 6
    assert solution.moves[0].move == "e5-d4"
    best = solution.moves[0]
    assert (best.wdl, best.dtw, best.at_most, best.excluded) == (Wdl.WIN, 5, 5, ("black",))
    assert [move.wdl for move in solution.moves] == [Wdl.WIN] * 6
    assert pickle.loads(pickle.dumps(solution)) == solution


def test_losses_draws_and_finished_games_are_told() -> None:
    loss = solve("d2b d4W c5w b", exact=True, moves=True)
    assert loss[:4] == (Wdl.LOSS, 4, 4, ("black",))
    draw = solve("d2W d4W f2B f4B b", exact=True)
    assert draw[:4] == (Wdl.DRAW, None, None, ("white", "black"))
    assert draw.line and draw.moves is None
    over = solve("a1wBWb c3w b", exact=True, moves=True)
    assert over[:6] == (Wdl.LOSS, 0, 0, ("black",), (), ())


def test_tables_are_used_and_agree() -> None:
    with Tablebase(TABLES) as tables:
        for position in ["a3w c3w e7B w", "c5w g3b w", "b2B d2W a7W w"]:
            alone = solve(position, exact=True)
            assert solve(position, tables=tables, exact=True)[:4] == alone[:4]
        assert solve("b2B d2W a7W w", tables=tables, exact=True).dtw == 5
        with pytest.raises(ValueError, match="expected tables for rejump rules"):
            solve("b2B d2W a7W w", tables=tables, rules="rejump")
    with pytest.raises(ValueError, match="closed"):
        solve("b2B d2W a7W w", tables=tables)


def test_moves_of_an_unknown_distance_come_last_of_their_kind(tmp_path: Path) -> None:
    shutil.copy(TABLES / "lasca-2-1.ltbw", tmp_path)
    with Tablebase(tmp_path) as tables:
        won = solve("e3W b2w g5b w", tables=tables, moves=True)
        lost = solve("b6w c5W e5B b", tables=tables, moves=True)
    for solution, wdl in (won, Wdl.WIN), (lost, Wdl.LOSS):
        assert solution.moves is not None
        assert [move.wdl for move in solution.moves] == [wdl] * len(solution.moves)
        known = [move.at_most is not None for move in solution.moves]
        assert known == sorted(known, reverse=True) and set(known) == {True, False}
    assert (lost.wdl, lost.at_most, lost.line) == (Wdl.LOSS, None, ())


def test_a_damaged_table_is_told_of(tmp_path: Path) -> None:
    shutil.copy(TABLES / "lasca-3-1.ltbw", tmp_path / "lasca-2-1.ltbw")
    with pytest.raises(lasca_tb.Error, match="lasca-2-1.ltbw"):
        solve("b2B d2W a7W w", tables=Tablebase(tmp_path))


def test_at_a_limit_the_position_is_open() -> None:
    for solution in (solve(START, seconds=0.05, moves=True), solve(START, memory=4 << 20)):
        assert solution[:5] == (None, None, None, (), ())
    timed = solve(START, seconds=0.05, threads=2, moves=True)
    assert timed.stop == "time"
    assert timed.moves is not None and {move.wdl for move in timed.moves} == {None}
    assert solve(START, memory=4 << 20).stop == "memory"
    with pytest.raises(MemoryError):
        solve(START, memory=100)


def test_texts_that_are_no_positions_are_told() -> None:
    with pytest.raises(lasca_tb.ParseError):
        solve("a1W b2B")
    with pytest.raises(lasca_tb.ParseError, match="at character 5"):
        solve("a1W \ud800b2B w")


def test_no_threads_means_one_per_processor() -> None:
    assert solve("c5w e5W d2b w", threads=0, exact=True).dtw == 5
    assert explain("c5w e5W d2b w", threads=0).wdl is Wdl.WIN
    tables = bundled()
    assert find(tables, "2-2", threads=0) == find(tables, "2-2", threads=1)
    assert tables.plan_for("4-4", 2, threads=0) == tables.plan_for("4-4", 2)


def test_progress_is_told_and_can_stop_the_search() -> None:
    told: list[Progress] = []

    def progress(status: Progress) -> bool:
        told.append(status)
        return len(told) < 3

    solution = solve(START, progress=progress)
    assert (solution.stop, solution.wdl, len(told)) == ("cancelled", None, 3)
    assert 0 < told[0].positions < told[2].positions <= solution.positions
    assert told[0].bytes > 0

    def fail(_: Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solve(START, exact=True, moves=True, progress=fail)


def test_another_thread_can_stop_a_search() -> None:
    stop = threading.Event()
    found: list[Solution] = []

    def work() -> None:
        found.append(solve(START, progress=lambda _: not stop.is_set()))

    worker = threading.Thread(target=work)
    worker.start()
    stop.set()
    worker.join(60)
    assert found[0].stop == "cancelled"


def is_ended_by_ctrl_c(work: Callable[[], object]) -> None:
    # A program that was started in the background ignores Ctrl-C.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, handler)


def test_ctrl_c_ends_a_search() -> None:
    is_ended_by_ctrl_c(lambda: solve(START, memory=8 << 30, seconds=60))


@pytest.mark.parametrize("only_moves", [0, 1, 3])
def test_ctrl_c_ends_finding_positions(only_moves: int) -> None:
    work = lambda: find(bundled(), "3-3", only_moves=only_moves, limit=1 << 20)
    is_ended_by_ctrl_c(work)


def test_ctrl_c_ends_many_answers() -> None:
    tables, positions = bundled(), ["b2B d2W a7W w", "b2B f6W a7W b"] * (1 << 20)
    is_ended_by_ctrl_c(lambda: tables.probe_many(positions, threads=1))


def test_ctrl_c_ends_the_loading_of_tables() -> None:
    tables = bundled()
    materials = [table.material for table in tables.tables()]
    loaded: list[int] = []

    def interrupt(done: lasca_tb.Done) -> None:
        loaded.append(done.done)
        _thread.interrupt_main()

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            tables.load(materials, progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert loaded == [1]


def test_the_interpreter_s_lock_is_released_meanwhile() -> None:
    turns = turns_during(lambda: solve(START, seconds=0.5))
    # If the worker kept the lock between its questions, this thread would have few turns.
    assert turns > 1000


def test_a_review_tells_who_is_winning_at_each_ply() -> None:
    games = "# Fork\nc3W e5W c5B e3B b e3-d4 c3-d2 d4-e5-f6\nstart 1. c3-d4"
    with Tablebase(TABLES) as tables:
        fork, opening = review(games, tables=tables, total=0.1)
    assert (fork.title, fork.known_from, len(fork.plies)) == ("Fork", 0, 4)
    assert [ply.wdl for ply in fork.plies] == [Wdl.LOSS, Wdl.WIN, Wdl.WIN, Wdl.LOSS]
    assert [ply.mark for ply in fork.plies] == [None, "?", None, None]
    mistake = fork.plies[1]
    assert (mistake.number, mistake.dtw, mistake.excluded) == ("2.", 7, ("black",))
    assert mistake.better[0].move == "c3-b4"
    assert "2. c3-d2? 0-1\n  (2. c3-b4" in fork.text
    assert (opening.title, opening.known_from) == (None, None)
    assert [ply.mark for ply in opening.plies] == [None, None]
    assert opening.plies[0].position == Position(START)
    assert review(fork.text, tables=bundled())[0].text == fork.text
    assert pickle.loads(pickle.dumps(fork)) == fork


@pytest.mark.parametrize(
    ("games", "reason", "message"),
    [
        ("", "not_a_study", "line 1, column 1: expected a study"),
        ("a1W c3B w\n1. a1-a3", "not_a_move", "line 2, column 4: expected a legal move"),
    ],
)
def test_games_with_errors_are_refused_with_their_place(games: str, reason: str, message: str) -> None:
    with pytest.raises(ParseError, match=message) as raised:
        review(games)
    assert raised.value.reason == reason
    with pytest.raises(ValueError, match="total"):
        review("start", total=-1)


def test_ctrl_c_ends_a_review() -> None:
    is_ended_by_ctrl_c(lambda: review("start 1. c3-d4", seconds=60))


def test_tables_are_made_within_limits() -> None:
    tables = Tablebase(())
    position = "a1WWW b2BBB w"
    plan = tables.plan_for(position)
    assert plan is not None and (plan.material, plan.columns) == ("3-3", 2)
    assert plan.memory > 0 and plan == tables.plan_for("3-3", 2)
    refused = "3-3 with up to 2 columns takes about"
    with pytest.raises(ValueError, match=refused):
        tables.make(position, memory=1)
    with pytest.raises(ValueError, match=refused):
        tables.make(position, seconds=0)
    assert tables.make("3-3", 2) == plan
    assert tables.make(position) is None and tables.plan_for(position) is None
    assert tables.probe(position).dtw == 5
    # Neither soldiers nor one column have a table.
    assert tables.make("start") is None and tables.plan_for("3-3", 1) is None
    with pytest.raises(ParseError):
        tables.plan_for("3-")


def test_a_question_makes_the_table_that_it_needs() -> None:
    for ask in (explain, best_move, certify, solve):
        tables = Tablebase(())
        ask("a1WWW b2BBB w", tables=tables)
        assert not tables.covers("3-3")
        ask("a1WWW b2BBB w", tables=tables, make=10)
        assert tables.max_columns("3-3") == 2


def test_ctrl_c_ends_the_making_of_a_table() -> None:
    tables = Tablebase(())
    is_ended_by_ctrl_c(lambda: tables.make("5-5", seconds=1e6, memory=1 << 36, threads=1))
    assert not tables.covers("5-5")
    officers = "a1W c1W e1W g1W b2B d2B f2B a3WB c3B w"
    is_ended_by_ctrl_c(lambda: solve(officers, tables=tables, memory=1 << 36, make=1e6))
    assert not tables.covers("5-5")
