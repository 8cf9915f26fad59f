"""``python -m lasca_tb``."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lasca_tb

TABLES = Path(__file__).parents[3] / "tables"


def run(*arguments: str, status: int = 0) -> tuple[str, str]:
    """What it prints on standard output and standard error."""
    command = [sys.executable, "-m", "lasca_tb", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == status, ended
    return ended.stdout, ended.stderr


def test_it_prints_the_value_and_the_moves_best_first() -> None:
    printed, _ = run("4W d2W 5B, White to move", "--tables", str(TABLES))
    first, *moves = printed.splitlines()
    value = lasca_tb.bundled().probe("g1W d2W b2B w")
    assert first == f"{lasca_tb.Position('g1W d2W b2B w')}: {value}"
    rated = lasca_tb.bundled().moves("g1W d2W b2B w")
    assert [line.split()[0] for line in moves] == [m.move for m in rated]
    assert run("g1W d2W b2B w")[0] == printed
    # What the README shows.
    readme = (TABLES.parent / "bindings" / "python" / "README.md").read_text(encoding="utf-8")
    assert run("b2B d2W a7W w")[0] in readme
    assert run("a1WB b") == ("a1WB b: loss in 0\n", "")


def test_it_prints_json_with_the_keys_of_the_program() -> None:
    printed, _ = run("b2B d2W a7W w", "--json")
    answer = json.loads(printed)
    assert list(answer) == ["position", "wdl", "dtw", "moves"]
    assert (answer["position"], answer["wdl"], answer["dtw"]) == ("b2B d2W a7W w", "win", 5)
    best = {"move": "a7-b6", "position": "b2B d2W b6W b", "wdl": "win", "dtw": 5}
    assert answer["moves"][0] == best
    printed, told = run("a1W b2B", "--json", status=2)
    assert set(json.loads(printed)) == {"position", "error"} and told == ""


def test_a_position_that_no_table_knows_is_searched() -> None:
    assert "--seconds 60 searches it" in run("c5w e5W d2b w", status=1)[1]
    printed, _ = run("c5w e5W d2b w", "--seconds", "60")
    first, *moves = printed.splitlines()
    # The win takes 5 plies, and the first proof may need more.
    assert first.startswith("d2b c5w e5W w: win in at most ") and len(moves) == 6
    answer = json.loads(run("c5w e5W d2b w", "--seconds", "60", "--json")[0])
    assert (answer["wdl"], answer["excluded"]) == ("win", ["black"]) and answer["at_most"] >= 5
    assert len(answer["moves"]) == 6 and answer["positions"] > 0 and answer["seconds"] > 0
    assert run("start", "--seconds", "0.1", status=1)[0].startswith("a1w c1w")
    for wrong in ["-1", "nan", "inf", "1e300", "x"]:
        assert "--seconds" in run("start", f"--seconds={wrong}", status=2)[1]


def test_its_exit_status_says_why_there_is_no_answer(tmp_path: Path) -> None:
    assert "found a soldier" in run("a1w g7B w", status=1)[1]
    assert "found one under lasca" in run("a1W g7B w", "--rules", "rejump", status=1)[1]
    assert "error: at character 4" in run("a1Wx g7B w", status=2)[1]
    assert "nowhere" in run("a1W g7B w", "--tables", str(tmp_path / "nowhere"), status=1)[1]
    assert "test_main" in run("a1W g7B w", "--tables", __file__, status=2)[1]
    assert "usage" in run(status=2)[1]
    shutil.copy(TABLES / "lasca-2-1.ltbw", tmp_path / "lasca-1-1.ltbw")
    assert "lasca-1-1" in run("a1W g7B w", "--tables", str(tmp_path), status=1)[1]


def test_it_answers_without_distances(tmp_path: Path) -> None:
    shutil.copy(TABLES / "lasca-2-1.ltbw", tmp_path)
    printed, _ = run("b2B d2W a7W w", "--tables", str(tmp_path), "--json")
    answer = json.loads(printed)
    assert (answer["wdl"], answer["dtw"], len(answer["moves"])) == ("win", None, 5)
    first = run("b2B d2W a7W w", "--tables", str(tmp_path))[0].splitlines()[0]
    assert first == "b2B d2W a7W w: win"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("argument", ["b2B d2W a7W w", "--help"])
def test_it_says_that_it_cannot_write(argument: str) -> None:
    command = [sys.executable, "-m", "lasca_tb", argument]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: cannot write standard output: "), ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other pipes")
def test_it_ends_quietly_if_nobody_reads() -> None:
    command = [sys.executable, "-m", "lasca_tb", "b2B d2W a7W w"]
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as closed:
        ended = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_it_says_its_version() -> None:
    assert run("--version")[0] == f"lasca_tb {lasca_tb.__version__}\n"
