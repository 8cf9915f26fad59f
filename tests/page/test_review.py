"""The review of a game: who is winning in each position, and the slips."""

import re

import pytest
from conftest import DRAW, EXAMPLE, START
from playwright.sync_api import expect
from test_games import load, play

FORK = "c3W e3B c5B e5W b"
# Soldiers: no table has it.
SOLDIERS = "d2b c5w e5W w"


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
    load(page, tmp_path, f"{FORK} e3-d4 c3-d2 d4-e5-f6BW")
    expect(page.record).to_have_count(3)
    page.settled()
    reviewed(page, "The review is finished.")
    assert results(page) == ["w", "w", "b", "b current"]
    slips = page.locator("#slips button")
    expect(slips).to_have_text(["2. c3-d2?"])
    expect(slips).to_have_attribute("title", "from a win to a loss")
    page.press_for_long(slips)
    page.is_at("d2W d4B c5B e5W b")
    assert results(page) == ["w", "w", "b current", "b"]
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


def test_what_no_table_has_is_reviewed_by_search(page, tmp_path):
    page.open(DRAW)
    load(page, tmp_path, f"{SOLDIERS} 1. e5-d4 d2-c1 2. c5-b6")
    expect(page.record).to_have_count(3)
    page.settled()
    reviewed(page, re.compile("^The review is finished. No slip was found.$"))
    assert [segment.split()[0] for segment in results(page)] == ["w"] * 4
    # What was found out is shown there, and kept with the game.
    page.push("To the beginning")
    page.shows(value="White wins…")
    page.reload()
    page.settled()
    reviewed(page, re.compile("^The review is finished."))
    assert [segment.split()[0] for segment in results(page)] == ["w"] * 4


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
    expect(page.locator("#review-start")).to_have_text("Stop the review")
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
    page.keys("g", at="d4")
    expect(page.locator("#review-start")).to_have_text("Stop the review")
    page.open(EXAMPLE)
    page.first_move.click()
    expect(page.locator("#review-start")).to_have_text("Review the game")
    expect(page.locator("#reviewed")).to_be_hidden()


@pytest.mark.server
def test_a_review_stops_where_nothing_is_found_out(page, serve):
    page.open(START, serve("--search-seconds", "1"))
    for _ in range(6):
        count = page.record.count()
        page.first_move.click()
        expect(page.record).to_have_count(count + 1)
        page.settled()
    page.push("Review the game")
    expect(page.locator("#review-told")).to_have_text(re.compile("^Stopped at the position after .*: 5 positions in a row are open.$"))
    page.open(START, serve("--searches", "0"))
    page.first_move.click()
    page.push("Review the game")
    expect(page.locator("#review-told")).to_have_text(re.compile("^This server does not search"))
