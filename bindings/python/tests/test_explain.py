"""What each move is worth, proofs in files, and positions that authors look for."""

import subprocess
import sys
from pathlib import Path

import pytest

import lasca_tb
from lasca_tb import Position, Tablebase, Wdl, bundled, certify, explain, find, practice
from clone import ROOT, TABLES

DRAWN = "d2W d4W f2B f4B b"


def test_tables_and_a_search_explain_a_position_alike() -> None:
    by_tables = explain(DRAWN, tables=bundled())
    by_search = explain(DRAWN, tables=None)
    assert (by_tables.positions, by_search.positions > 0) == (0, True)
    for found in (by_tables, by_search):
        assert (found.wdl, found.dtw, found.excluded) == (Wdl.DRAW, None, ("white", "black"))
        assert found.moves is not None
        first = found.moves[0]
        assert (first.move, first.wdl, first.standing) == ("f2-g3", Wdl.DRAW, "only move")
        assert first.holding is not None
        # A search need not look at all replies.
        assert {"d2-e1"} <= {step.move for step in first.holding} <= {"d2-e1", "d4-e3"}
        lost = found.moves[1]
        assert (lost.wdl, lost.standing) == (Wdl.LOSS, "gives away")
        assert lost.holding is None and len(lost.line) > 0
    assert by_tables.moves is not None and by_tables.moves[1].dtw == 16


@pytest.mark.parametrize("with_tables", [True, False])
@pytest.mark.parametrize("position", ["b2B d2W a7W w", "a1B b2w b4wwb w", DRAWN])
def test_certificates_pass_the_checker(position: str, with_tables: bool, tmp_path: Path) -> None:
    tables = Tablebase(TABLES) if with_tables else None
    certificate = certify(position, tables=tables)
    assert certificate.winner == (None if position == DRAWN else "white")
    assert certificate.positions > 0
    if position == DRAWN:
        assert certificate.at_most is None
    else:
        # A proof by search may take longer than the quickest win.
        assert certificate.at_most is not None and certificate.at_most >= 5
    by_tables = with_tables and position == "b2B d2W a7W w"
    assert certificate.exact is (by_tables or position == DRAWN)
    assert not by_tables or certificate.at_most == 5
    proof = tmp_path / "proof.txt"
    proof.write_text(certificate.text, encoding="utf-8")
    checker = [sys.executable, str(ROOT / "tools" / "check_certificate.py"), str(proof)]
    assert subprocess.run(checker, capture_output=True).returncode == 0
    if certificate.at_most is not None:
        claim = f"white wins in {certificate.at_most}"
        quicker = f"white wins in {certificate.at_most - 2}"
        assert claim in certificate.text
        proof.write_text(certificate.text.replace(claim, quicker), encoding="utf-8")
        assert subprocess.run(checker, capture_output=True).returncode == 1


def test_what_cannot_be_certified_says_why() -> None:
    with pytest.raises(lasca_tb.OpenError, match="the result is open"):
        certify("start", seconds=0.05)
    with pytest.raises(ValueError, match="at most 1 positions"):
        certify("b2B d2W a7W w", tables=bundled(), max_positions=1)
    with pytest.raises(MemoryError):
        certify("start", memory=1)


def test_finds_are_those_of_the_program() -> None:
    found = find(bundled(), "2-2", only_moves=6, limit=3)
    assert [item.choices for item in found] == sorted((item.choices for item in found), reverse=True)
    for item in found:
        assert item.only_moves >= 6 and item.value == bundled().probe(item.position)
        assert item.winner == "white" and len(item.solution) == item.value.dtw
        turns = [step.standing for step in item.solution[:12:2]]
        assert set(turns) <= {"only move", "only legal move"}
    assert all(item.value.dtw is None for item in find(bundled(), "2-2", result=Wdl.DRAW))
    long = find(bundled(), "3-2", plies=(20, 25), columns=(3, 3), quiet_only=True, limit=2, threads=2)
    for item in long:
        assert item.value.dtw is not None and 20 <= item.value.dtw <= 25
        assert len(item.position.columns) == 3


def test_endings_to_practise_are_as_wanted_and_the_same_for_the_same_seed() -> None:
    for result in (Wdl.WIN, Wdl.DRAW):
        picked = practice(bundled(), "3-2", result=result, choices=(1, 3), seed=5, limit=3)
        assert picked == practice(bundled(), "3-2", result=result, choices=(1, 3), seed=5, limit=3)
        assert 1 <= len(picked) <= 3
        for item in picked:
            assert item.value == bundled().probe(item.position) and item.value.wdl == result
            assert item.position.side_to_move == "white" and 1 <= item.choices <= 3
            assert item.solution[0].standing == "only move"
    wins = practice(bundled(), "3-2", plies=(5, 9), seed=1)
    assert all(item.value.dtw is not None and 5 <= item.value.dtw <= 9 for item in wins)


def test_a_position_tells_its_columns_and_plays_moves() -> None:
    position = Position("1WWB 5bB, Black to move")
    assert (position.columns, position.side_to_move) == ({"a1": "WWB", "b2": "bB"}, "black")
    start = Position("start")
    assert (len(start.columns), start.side_to_move) == (22, "white")
    assert all(start.after(step.move) == step.position for step in lasca_tb.moves(start))
    capture = Position("a1W b2BB w")
    assert capture.after("1:9") == capture.after("a1-c3") == "b2B c3WB b"
    assert capture.after("a1-c3", rules="bignor").side_to_move == "black"
    with pytest.raises(lasca_tb.ParseError) as error:
        capture.after("a1-x")
    assert error.value.character == 4
    with pytest.raises(lasca_tb.ParseError) as error:
        capture.after("a1-e5")
    assert error.value.character is None
