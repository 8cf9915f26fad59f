"""Rules, positions and moves, which need no tables."""

import json
import pickle
import xml.etree.ElementTree
from collections.abc import Callable

import pytest

import lasca_tb
from lasca_tb import Position, Rules, moves, read_games

START = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w"
SVG = "{http://www.w3.org/2000/svg}"


def test_a_position_is_text_in_one_form() -> None:
    position = Position("1WWW 5BBB, White to move")
    assert position == "a1WWW b2BBB w" == Position("/////BBB,,/WWW,,, w")
    assert repr(position) == "Position('a1WWW b2BBB w')"
    assert str(position) == f"{position}" == "a1WWW b2BBB w"
    assert json.dumps({"position": position}) == '{"position": "a1WWW b2BBB w"}'
    again = pickle.loads(pickle.dumps(position))
    assert again == position and type(again) is Position
    assert lasca_tb.bundled().wdl(Position("b2B d2W a7W w")) is lasca_tb.Wdl.WIN
    for wrong in ("", "a1W b2B", "a2W w", "<script>"):
        with pytest.raises(lasca_tb.ParseError):
            Position(wrong)
    with pytest.raises(TypeError):
        Position(7)  # type: ignore[arg-type]


def test_a_position_is_not_pushed_and_does_as_a_text_what_all_texts_do() -> None:
    position = Position("a1W b2BB w")
    for rules in ({}, {"rules": "bignor"}):
        with pytest.raises(TypeError, match="position = position.after"):
            position.push("a1-c3", **rules)
    text = str(position)
    assert type(text) is str and position == text and text in {position}
    operations: list[Callable[[str], object]] = [
        *(lambda text, name=name: getattr(text, name)("b2") for name in ("find", "index", "rfind", "count", "split")),
        *(lambda text, name=name: getattr(text, name)() for name in ("upper", "split", "title", "encode")),
        *(lambda text: text + "!", lambda text: "!" + text, lambda text: text * 2, lambda text: text[:4]),
    ]
    for operation in operations:
        assert operation(position) == operation(text)
        assert type(operation(position)) is type(operation(text))


def test_a_position_tells_who_has_won() -> None:
    for text, winner in (
        ("a1WB b", "white"),
        ("a1WB w", "white"),
        ("a1W b2B c3B w", "black"),
        ("a1WWW b2BBB w", None),
    ):
        assert Position(text).outcome() == winner, text


def test_images_are_worth_the_same() -> None:
    tables = lasca_tb.bundled()
    position = Position("b2B d2W a7W w")
    images = position.symmetric()
    assert (len(set(images)), images[0]) == (8, position)
    assert set(tables.probe_many(images)) == {tables.probe(position)}
    assert Position("d4W b").symmetric() == ["d4W b"]
    assert Position("a1W b2b w").symmetric() == ["a1W b2b w", "g1W f2b w"]


def test_games_are_read_into_moves() -> None:
    first, second = read_games("# One\n" + START + " 1. c3-d4 e5-c3 (1... 2-3) 2. b2-d4\n\n# Two\na1WB b")
    assert (first.title, first.position, second) == ("One", Position(START), ("Two", "a1WB b", ()))
    position = first.position
    for step in first.moves:
        assert step in moves(position)
        position = position.after(step.move)
    assert position == first.moves[-1].position and len(first.moves) == 3
    again = "c3W d4BB d6BB b6BB b4BB w 1. c3-b4-a5"
    assert len(read_games(again, rules="bignor")[0].moves) == 1
    for wrong, reason, message in (
        ("a1W", "not_a_study", "line 1, column"),
        ("a1W c3B w 1. a1-a3", "not_a_move", "line 1, column 14: expected a legal move"),
        ("a1WB b 1... a1-b2", "not_a_move", "the game is over"),
    ):
        with pytest.raises(lasca_tb.ParseError, match=message) as raised:
            read_games(wrong)
        assert raised.value.reason == reason


def test_a_position_is_drawn_with_all_counters_the_side_to_move_and_words() -> None:
    for text, side in (("a1WWWWWWWWWWWW b2BBw c3b w", "white"), ("a1W g7b b", "black")):
        position = Position(text)
        svg = position._repr_svg_()
        assert svg == position.svg()
        picture = xml.etree.ElementTree.fromstring(svg)
        assert picture.tag == f"{SVG}svg" and picture.get("role") == "img"
        words = f"Board: {text[:-2]}; {side.capitalize()} to move"
        assert picture.get("aria-label") == picture.findtext(f"{SVG}title") == words
        counters = [path.get("class") for path in picture.iter(f"{SVG}path")]
        letters = "".join(column[2:] for column in text.split()[:-1]).lower()
        assert counters.count("white") == letters.count("w")
        assert counters.count("black") == letters.count("b")
        (to_move,) = picture.iter(f"{SVG}circle")
        assert to_move.get("fill") == {"white": "#ffffff", "black": "#000000"}[side]


def test_a_picture_has_the_size_colours_and_arrow_that_are_asked_for() -> None:
    position = Position("a1W b2BB w")
    svg = position.svg(size=200, palette="wood", coordinates=False, arrow="a1-c3")
    assert 'width="200"' in svg and '"#a42f1c"' in svg and "arrow a1-b2-c3" in svg
    assert "</text>" not in svg and "</text>" in position.svg()
    for wrong in (99, 10_001):
        with pytest.raises(ValueError, match="expected size from 100 to 10000"):
            position.svg(size=wrong)
    with pytest.raises(ValueError, match="expected print or wood"):
        position.svg(palette="red")
    with pytest.raises(lasca_tb.ParseError):
        position.svg(arrow="a1-b2")


def test_moves_are_legal_moves_with_the_positions_after_them() -> None:
    assert [step.move for step in moves(START)] == [
        "a3-b4",
        "c3-b4",
        "c3-d4",
        "e3-d4",
        "e3-f4",
        "g3-f4",
    ]
    (capture,) = moves("a1W b2BB w")
    assert capture == ("a1-b2B-c3WB", "b2B c3WB b")
    assert isinstance(capture.position, Position)
    assert moves("a1WB b") == []
    with pytest.raises(lasca_tb.ParseError):
        moves("nonsense")


def test_a_position_with_too_many_moves_is_an_error_of_its_own() -> None:
    many = Position("c3W b4BBBB b6BB d2BBB d4BBBBB d6BBB f2B f4BBB w")
    for ask in (lambda: moves(many, rules="rejump"), lambda: many.after("c3-c3", rules="rejump")):
        with pytest.raises(lasca_tb.Error, match="at most 4096 legal moves") as raised:
            ask()
        assert raised.value.reason == "too_many_moves"
    assert lasca_tb.solve(many, rules="rejump", seconds=1).stop == "too_many_moves"


def test_a_rule_set_is_its_name() -> None:
    assert Rules("bignor") is Rules.BIGNOR and {"bignor": 1}[Rules.BIGNOR] == 1
    assert (str(Rules.BIGNOR), f"{Rules.BIGNOR:>7}", repr(Rules.BIGNOR)) == (
        "bignor",
        " bignor",
        "Rules.BIGNOR",
    )
    assert json.dumps(Rules.LASCA) == '"lasca"'
    for wrong in ("chess", 7):
        with pytest.raises(ValueError, match=r"\(lasca, bignor or rejump\), found"):
            moves(START, rules=wrong)  # type: ignore[arg-type]
