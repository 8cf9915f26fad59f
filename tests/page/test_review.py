"""The review of a game: who is winning in each position, and the slips."""

import json
import re
import subprocess

import pytest
from conftest import DRAW, EXAMPLE, LASKER, PHONE, ROOT, START, TABLES
from playwright.sync_api import expect
from test_games import load, play

FORK = "c3W e3B c5B e5W b"
BEFORE_SLIP = "c3W d4B c5B e5W w"
SLIP = f"{FORK} e3-d4 c3-d2 d4-e5-f6BW"
# Soldiers: no table has it.
SOLDIERS = "d2b c5w e5W w"
# One slip after another.
SLIPS = "c3-d2 e3-d2W-c1BWW d2-c3 c1-b2"
HELD = "c3w e3b c5b e5w b"


def results(page):
    """The segments of the bar of results: who wins, and "current" at the position shown."""
    return page.evaluate("[...document.querySelectorAll('#results i')].map((i) => i.className)")


def reviewed(page, told):
    page.push("Review the game")
    expect(page.locator("#review-told")).to_have_text(told)
    expect(page.locator("#review-start")).to_have_text("Review the game")


def test_a_game_is_reviewed_with_its_slips(page, tmp_path):
    page.open(DRAW)
    expect(page.locator("#review")).to_be_hidden()
    load(page, tmp_path, SLIP)
    expect(page.record).to_have_count(3)
    page.settled()
    reviewed(page, "The review is finished.")
    assert results(page) == ["w current", "w", "b", "b"]
    slips = page.locator("#slips button:first-child")
    expect(slips).to_have_text(["2. c3-d2?"])
    expect(slips).to_have_attribute("title", "turns a win into a loss")
    # The slip leads to the position before it, and tells the better line.
    page.press_for_long(slips)
    page.is_at(BEFORE_SLIP)
    assert results(page) == ["w", "w current", "b", "b"]
    better = page.server.ask("probe", position=BEFORE_SLIP, line=1)["line"]
    assert len(better) == 7
    told = page.locator("#better")
    expect(told).to_contain_text("2. c3-d2? turns a win into a loss. Better: 2. c3-b4 d4-e5-f6BW 3. ")
    expect(told).to_contain_text(f" {better[-1]['move']}.")
    page.push("Step forward")
    # The bar is used with the keys, or pressed.
    bar = page.get_by_role("slider", name="Who is winning in each position")
    expect(bar).to_have_attribute("aria-valuetext", "the position after 2. c3-d2: Black wins")
    bar.focus()
    page.keys("ArrowLeft", "ArrowLeft")
    page.is_at(FORK)
    expect(bar).to_be_focused()
    expect(bar).to_have_attribute("aria-valuetext", "the first position: White wins")
    page.keys("End")
    expect(bar).to_have_attribute("aria-valuenow", "3")
    box = bar.bounding_box()
    page.press_for_long(bar, position={"x": box["width"] * 0.4, "y": 5})
    expect(bar).to_have_attribute("aria-valuenow", "1")
    # Another game has no review yet, even if it begins in the same way.
    load(page, tmp_path, f"{FORK} e3-d4 c3-b2")
    expect(page.record).to_have_count(2)
    expect(page.locator("#reviewed")).to_be_hidden()
    page.open(DRAW)
    page.first_move.click()
    expect(page.locator("#review-start")).to_be_visible()
    expect(page.locator("#reviewed")).to_be_hidden()


def test_the_better_move_is_practised_from_the_position_before_a_slip(page, tmp_path):
    page.open(DRAW)
    load(page, tmp_path, SLIP)
    expect(page.record).to_have_count(3)
    page.settled()
    reviewed(page, "The review is finished.")
    page.push("Find the better move in place of 2. c3-d2?")
    page.my_turn()
    page.is_at(BEFORE_SLIP)
    page.shows(goal="You play White: win")
    assert page.move(0) == "c3-b4"
    page.my_turn()
    expect(page.record.first).to_have_text("c3-b4")
    # The review is still there.
    expect(page.button("Next slip")).to_be_hidden()
    page.push("Restart")
    page.my_turn()
    page.push("Back to the review")
    page.has_played(["e3-d4", "c3-d2", "d4-e5-f6BW"])
    page.settled()
    assert results(page) == ["w current", "w", "b", "b"]


def test_one_slip_after_another_is_practised(page):
    page.open(DRAW)
    played = ["f2-g1", "d4-e5"]
    for count, move in enumerate(played, 1):
        page.locator(f"#moves [data-move='{move}'] button").click()
        expect(page.record).to_have_count(count)
        page.settled()
    reviewed(page, "The review is finished.")
    page.locator("#slips [data-find]").first.click()
    page.my_turn()
    page.is_at(DRAW)
    page.shows(goal="You play Black: hold the draw")
    page.push("Next slip")
    page.my_turn()
    page.shows(goal="You play White: win")
    expect(page.button("Next slip")).to_be_hidden()
    page.push("Back to the review")
    page.has_played(played)
    expect(page.locator("#reviewed")).to_be_visible()


def test_the_better_move_is_named_after_a_slip(page):
    page.open(EXAMPLE)
    best, *_, worst = [move["move"] for move in page.rated()]
    page.locator(f"[data-move='{worst}'] button").first.click()
    page.shows(detail=f"1. {worst}? turns a win into a loss. Better: 1. {best}. Black to move. …", live=f"…Better: 1. {best}.…")
    page.push("Step back")
    page.shows(detail="White to move. …")


@pytest.mark.parametrize("size", [(390, 844), (844, 390)])
def test_a_phone_shows_the_board_where_the_better_move_is_looked_for(new_page, size):
    page = new_page(**{**PHONE, "viewport": {"width": size[0], "height": size[1]}})
    page.open(DRAW)
    page.look_up(SLIP)
    expect(page.record).to_have_count(3)
    page.settled()
    reviewed(page, "The review is finished.")
    page.push("Find the better move in place of 2. c3-d2?")
    page.my_turn()
    for part in [page.locator(".frame"), page.goal]:
        box = part.bounding_box()
        assert 0 <= box["y"] and box["y"] + min(box["height"], 300) <= size[1]


def test_a_better_line_is_searched_where_no_table_has_it(page, tmp_path):
    page.open(DRAW)
    load(page, tmp_path, f"{HELD} c5-b4 c3-b4-a5wb")
    expect(page.record).to_have_count(2)
    page.settled()
    reviewed(page, "The review is finished.")
    page.locator("#slips button").first.click()
    page.is_at(HELD)
    expect(page.locator("#better")).to_have_text(re.compile(r"^1... c5-b4\? turns a draw into a loss. Better: 1... c5-d4 2. "))


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768), (390, 844), (844, 390)])
def test_board_and_review_are_seen_together(new_page, tmp_path, size):
    page = new_page(viewport={"width": size[0], "height": size[1]})
    page.open(DRAW)
    load(page, tmp_path, SLIP)
    expect(page.record).to_have_count(3)
    page.settled()
    reviewed(page, "The review is finished.")
    page.locator("#slips button").first.click()
    page.settled()
    page.evaluate("scrollTo(0, 0)")
    for part in ["#results", "#slips button >> nth=0", "#better"]:
        page.locator(part).scroll_into_view_if_needed()
        board, box = [page.locator(seen).bounding_box() for seen in [".frame", part]]
        assert 0 <= board["y"] and board["y"] + board["height"] <= size[1]
        assert box["y"] >= board["y"] + board["height"] if size[0] == 390 else box["x"] > board["x"] + board["width"]
        assert box["y"] < size[1]


def test_a_long_game_stays_beside_the_board(new_page, tmp_path):
    page = new_page(viewport={"width": 1280, "height": 800})
    page.open(DRAW)
    load(page, tmp_path, "a1W g1W a7B g7B w " + "a1-b2 a7-b6 b2-a1 b6-a7 " * 20)
    expect(page.record).to_have_count(80)
    page.settled()
    reviewed(page, "The review is finished. No slip was found.")
    # There is no room for slips then.
    for part in ["#slips", "#better"]:
        expect(page.locator(part)).to_be_hidden()
    is_shown = lambda at: page.record.nth(at).evaluate("""(move) => {
        const [own, list] = [move, move.closest("#record")].map((e) => e.getBoundingClientRect());
        return list.top <= own.top && own.bottom <= list.bottom;
    }""")
    page.push("To the end")
    page.settled()
    assert is_shown(79) and not is_shown(0)
    page.evaluate("scrollTo(0, 0)")
    page.push("To the beginning", "Step forward")
    page.is_at("g1W b2W a7B g7B b")
    assert is_shown(0) and not is_shown(79)
    assert page.evaluate("scrollY") == 0
    box = page.locator("#reviewed").bounding_box()
    assert box["y"] + box["height"] <= 800


@pytest.mark.parametrize("size", [(1280, 800), (390, 844), (844, 390)])
def test_slips_and_the_better_line_are_not_cut(new_page, size):
    page = new_page(viewport={"width": size[0], "height": size[1]})
    page.open(EXAMPLE)
    page.look_up(f"{EXAMPLE}\n{SLIPS}")
    expect(page.record).to_have_count(4)
    page.settled()
    reviewed(page, "The review is finished.")
    page.locator("#slips button").first.click()
    page.settled()
    expect(page.locator("#better")).to_contain_text("Better: ")
    for button in page.locator("#slips button").all():
        assert button.bounding_box()["height"] < 50
    expect(page.locator("#better .whole").nth(1)).to_have_text("c3-b4")
    for move in page.locator("#better .whole").all():
        assert move.bounding_box()["height"] < 30
    assert page.locator("#better").evaluate("(text) => text.scrollHeight <= text.clientHeight")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_win_in_the_bar_is_told_from_a_gap_by_its_edge(page, tmp_path):
    page.open(DRAW)
    load(page, tmp_path, SLIP)
    expect(page.record).to_have_count(3)
    reviewed(page, "The review is finished.")
    edge = page.evaluate("getComputedStyle(document.querySelector('#results .w'), '::before').borderBottom")
    assert edge.startswith("3px solid")


def test_what_no_table_has_is_reviewed_by_search(page, tmp_path):
    page.open(DRAW)
    load(page, tmp_path, f"{SOLDIERS} 1. e5-d4 d2-c1 2. c5-b6")
    expect(page.record).to_have_count(3)
    page.settled()
    reviewed(page, "The review is finished. No slip was found.")
    assert [segment.split()[0] for segment in results(page)] == ["w"] * 4
    # What was found out is shown there, and kept with the game.
    page.shows(value="White wins…")
    page.reload()
    page.settled()
    reviewed(page, re.compile("^The review is finished."))
    assert [segment.split()[0] for segment in results(page)] == ["w"] * 4


@pytest.mark.parametrize("game", [
    f"{SOLDIERS} 1. e5-d4 d2-c1 2. c5-b6",
    f"{HELD} c5-b4 c3-b4-a5wb",
    f"{LASKER} 1. c1-b2 a1-b2-c3 2. b2-c3-d4 b4-c3-d2 3. c3-d2-e1-f2-g3-f4-e5-d6-c7-b6-a5 d2-e3 4. d4-e5 e3-f4 5. e5-d6",
])
def test_moves_are_marked_where_the_command_marks_them(page, tmp_path, request, game):
    file = tmp_path / "game.study"
    file.write_text(game)
    command = [request.config.getoption("--program"), "review", file, "--json", "--tables", TABLES]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    expected = [ply["move"] + (ply["mark"] or "") for ply in map(json.loads, lines) if ply.get("move")]
    page.open(DRAW)
    load(page, tmp_path, game)
    expect(page.record).to_have_count(len(expected))
    page.settled()
    reviewed(page, re.compile("^The review is finished"))
    expect(page.record).to_have_text(expected)


def test_a_review_can_be_stopped_and_the_page_used_meanwhile(page):
    page.open(START)
    # So many open positions take a while.
    for count in range(1, 6):
        page.first_move.click()
        expect(page.record).to_have_count(count)
        page.settled()
    last = page.record.last.inner_text()
    heights = "['review', 'position-form'].map((id) => document.getElementById(id).getBoundingClientRect().height)"
    page.keys("g", at="d4")
    expect(page.locator("#review-told")).to_have_text(f"Looking at the position after 3. {last}…")
    # It goes on where it was stopped.
    page.push("Stop the review")
    expect(page.locator("#review-told")).to_have_text(f"Stopped at the position after 3. {last}.")
    page.push("Go on")
    expect(page.locator("#review-told")).to_have_text(f"Looking at the position after 3. {last}…")
    before = page.evaluate(heights)
    # Another move is played, and another game is not reviewed.
    page.push("To the beginning")
    page.settled()
    play(page, "g3-f4")
    page.push("Stop the review")
    expect(page.locator("#review-start")).to_have_text("Review the game")
    expect(page.locator("#review-told")).to_have_text(re.compile("^Stopped at the .*position"))
    assert page.evaluate(heights) == before
    assert {segment.split()[0] for segment in results(page)} == {"open"}
    # Another line is shown, so there is no going on.
    expect(page.button("Go on")).to_be_hidden()
    page.keys("g", at="d4")
    expect(page.locator("#review-start")).to_have_text("Stop the review")
    page.open(EXAMPLE)
    page.first_move.click()
    expect(page.locator("#review-start")).to_have_text("Review the game")
    expect(page.locator("#reviewed")).to_be_hidden()


@pytest.mark.server
def test_a_review_ends_as_soon_as_another_game_is_shown(page):
    page.open(START)
    page.first_move.click()
    expect(page.record).to_have_count(1)
    page.settled()
    held = []
    page.route(re.compile("/solve"), lambda route: held.append(route))
    with page.expect_request(re.compile("/solve")):
        page.push("Review the game")
    with page.expect_event("requestfailed", lambda request: "/solve" in request.url, timeout=5000):
        page.open(EXAMPLE)
    page.first_move.click()
    expect(page.locator("#review-start")).to_have_text("Review the game")


def test_open_positions_have_estimates(page):
    page.open(START)
    page.first_move.click()
    expect(page.record).to_have_count(1)
    page.settled()
    reviewed(page, re.compile("^The review is finished. Gaps and dashed blocks are open. lasca-tb review searches longer."))
    # They are marked as such.
    expect(page.locator("#results .open rect")).to_have_count(2)
    expect(page.get_by_text("Dashed: only an estimate.")).to_be_visible()
    bar = page.get_by_role("slider", name="Who is winning in each position")
    expect(bar).to_have_attribute("aria-valuetext", re.compile("^the position after 1. .*: open, estimate for White [+−]?[0-9]+$"))
    page.shows(head="Moves, best estimates first")
    estimates = [re.fullmatch("estimate ([+−]?)([0-9]+)", value).groups() for _, value in page.moves()]
    numbers = [int(number) * (-1 if sign == "−" else 1) for sign, number in estimates]
    assert numbers == sorted(numbers, reverse=True)


@pytest.mark.server
def test_a_review_stops_where_nothing_is_found_out(page, serve):
    page.open(START, serve("--search-seconds", "1"))
    for _ in range(6):
        count = page.record.count()
        page.first_move.click()
        expect(page.record).to_have_count(count + 1)
        page.settled()
    page.push("Review the game")
    told = page.locator("#review-told")
    expect(told).to_have_text(re.compile("^Stopped at the position after 1... .*: 5 positions in a row are open. lasca-tb review searches longer.$"))
    expect(page.locator("#results svg")).to_have_count(5)
    # It goes on behind them.
    page.push("Go on")
    expect(told).to_have_text(re.compile("^The review is finished. Gaps and dashed blocks are open."))
    expect(page.locator("#results svg")).to_have_count(7)
    expect(page.button("Go on")).to_be_hidden()
    page.open(START, serve("--searches", "0"))
    page.first_move.click()
    page.push("Review the game")
    expect(page.locator("#review-told")).to_have_text(re.compile("^The review is finished. Gaps and dashed blocks are open."))
