"""Studies: their words, what is written about a game, and files of several studies."""

import re

import pytest
from conftest import EXAMPLE, WIN_IN_5
from playwright.sync_api import expect
from test_games import load, play, save

FORK = "c3W e3B c5B e5W b"
STUDY = f"""# A fork that fails
c3W e5W c5B e3B, Black to move draws
{{A retreat would leave two separate oppositions.}}
1... e3-d4 {{Forced.}} 2. c3-b4! (2. c3-d2? {{The natural move}} d4-e5-f6BW 0-1) (2. c3-b2!! d4-e5-f6BW) d4-e5-f6BW?
3. b4-c5-d6WB f6-e7 4. d6-e5 1/2 {{White has the opposition.}}
"""


def test_the_words_of_a_study_stand_with_its_moves_and_what_is_refuted_says_so(page, tmp_path):
    page.open(EXAMPLE)
    words = page.locator("#foreword")
    expect(words).to_be_hidden()
    load(page, tmp_path, STUDY)
    page.is_at(FORK)
    expect(page.get_by_role("heading", name="A fork that fails")).to_be_visible()
    expect(words).to_have_text("The study claims 1/2 here; a win for White is proved. A retreat would leave two separate oppositions.")
    text = " ".join(page.locator("#record").inner_text().split())
    assert text.startswith("1… e3-d4 Forced. 2. c3-b4! 2. c3-d2? The natural move 2… d4-e5-f6BW 0-1 2. c3-b2!! "), text
    expect(page.locator("#record .refuted")).to_have_text([
        "The study marks c3-b2 with !!; it turns a win into a loss.",
        "The study marks d4-e5-f6BW with ?; it gives nothing away.",
        "The study claims 1/2 here; a win for White is proved.",
    ])
    # What is right has no more words, and where nothing is known, nothing is refuted.
    load(page, tmp_path, STUDY.replace("draws", "loses"))
    expect(words).to_have_text("The claim: a win for White. A retreat would leave two separate oppositions.")
    load(page, tmp_path, "start wins 1. c3-d4! 0-1")
    expect(words).to_have_text("The claim: a win for White.")
    expect(page.locator("#record")).to_contain_text("0-1")
    expect(page.locator(".refuted")).to_have_count(0)


def test_a_comment_and_a_mark_are_written_and_kept_in_file_and_link(page, new_page, tmp_path):
    page.open(EXAMPLE)
    play(page, "c3-b4", "b6-a5")
    page.locator("#words summary").click()
    expect(page.locator("#words summary")).to_have_text("Comment and mark on b6-a5")
    mark, comment = page.get_by_label("Mark"), page.get_by_label("Comment")
    mark.select_option("?!")
    # Keys mean nothing but text there.
    comment.click()
    page.keyboard.type("f, g and so on. <b> & }")
    page.keys("Enter", "Home", "End")
    page.keyboard.type("two ")
    expect(page.locator("#record .comment")).to_have_text("f, g and so on. <b> & }\ntwo")
    expect(page.record.last).to_have_text("b6-a5?!")
    page.push("To the beginning")
    page.settled()
    expect(comment).to_have_value("")
    expect(mark).to_be_disabled()
    comment.fill("One of my own")
    expect(page.locator("#foreword")).to_have_text("One of my own")
    file = save(page, tmp_path).read_text()
    assert file.splitlines()[2:] == ["{One of my own}", "1. c3-b4! b6-a5?! 1-0 ; f, g and so on. <b> & }", "; two", ""], file
    page.wait_for_url(re.compile("c0=One"))
    pages = [page, new_page()]
    for at in pages:
        at.goto("about:blank" if at is page else page.url)
        if at is page:
            at.go_back()
        at.is_at(EXAMPLE)
        at.has_played(["c3-b4", "b6-a5"])
        expect(at.locator("#foreword")).to_have_text("One of my own")
        expect(at.locator("#record .comment")).to_have_text("f, g and so on. <b> & }\ntwo")
        expect(at.record.last).to_have_text("b6-a5?!")
    # A file that is read again has the same words.
    load(page, tmp_path, file)
    page.is_at(EXAMPLE)
    expect(page.locator("#foreword")).to_have_text("The claim: a win for White. One of my own")
    expect(page.locator("#record .comment")).to_have_text(["f, g and so on. <b> & }", "two"])
    # What is deleted is gone.
    page.locator("#words summary").click()
    comment.fill("")
    page.push("To the end")
    page.settled()
    mark.select_option("none")
    comment.fill(" ")
    assert save(page, tmp_path).read_text().splitlines()[1:] == [f"{EXAMPLE}, wins", "1. c3-b4! b6-a5 1-0"]


def test_a_link_has_the_claims_and_the_title_of_the_line_that_is_shown(page, new_page, tmp_path):
    page.open(EXAMPLE)
    load(page, tmp_path, STUDY)
    page.is_at(FORK)
    page.locator("#record button", has_text="d4-e5-f6BW").first.click()
    page.settled()
    other = new_page()
    other.goto(page.url)
    other.has_played(["e3-d4", "c3-d2", "d4-e5-f6BW"])
    expect(other.get_by_role("heading", name="A fork that fails")).to_be_visible()
    expect(other.locator("#foreword .refuted")).to_have_text("The study claims 1/2 here; a win for White is proved.")
    expect(other.locator("#record .comment")).to_have_text(["Forced.", "The natural move"])
    expect(other.locator("#record b")).to_have_text("0-1")


def test_a_move_is_removed_with_what_follows(page):
    page.open(EXAMPLE)
    play(page, "c3-b4", "b6-a7", "b4-a3")
    page.push("Step back")
    page.settled()
    page.push("Remove move")
    page.is_at("e3BW b4WW b6B b")
    page.has_played(["c3-b4"])
    page.shows(live="The move is removed.…")
    page.push("To the beginning")
    page.settled()
    expect(page.button("Remove move")).to_be_disabled()
    page.go_back()
    page.go_back()
    page.has_played(["c3-b4", "b6-a7", "b4-a3"])


def test_what_is_changed_in_one_study_of_a_file_is_saved_with_the_others(page, tmp_path):
    page.open(EXAMPLE)
    text = f"# One\n{EXAMPLE}\n1. c3-b4\n# Two\n{WIN_IN_5}\n1. a7-b6"
    load(page, tmp_path, text)
    page.is_at(EXAMPLE)
    page.locator("#words summary").click()
    page.get_by_label("Comment").fill("Mine")
    page.locator("#studies").select_option("Two")
    page.is_at(WIN_IN_5)
    page.push("To the end")
    page.settled()
    page.first_move.click()
    expect(page.record).to_have_count(2)
    page.settled()
    # Practice and other positions leave the file as it is.
    page.push("Practise against the tables")
    page.my_turn()
    page.go_back()
    page.has_played(["a7-b6", page.record.last.inner_text()])
    page.settled()
    file = save(page, tmp_path)
    assert file.name == "game.study"
    one, two = file.read_text().split("# Two")
    assert "{Mine}" in one and "1. a7-b6" in two
    # What cannot be read is not saved, and the page says so.
    load(page, tmp_path, text + " d2-c1")
    page.is_at(EXAMPLE)
    expect(page.locator("#position-error")).to_be_empty()
    page.locator("#studies").select_option("Two")
    expect(page.get_by_role("alert")).to_contain_text("expected a legal move")
    save(page, tmp_path)
    expect(page.inspector).to_have_text("The file is saved without the moves that are not legal, and without all that follows them.")
    # A game that is not in it is saved alone.
    page.open(EXAMPLE)
    expect(page.locator("#choice")).to_be_hidden()
    assert save(page, tmp_path).name == "lasca.study"


def test_all_numbers_are_those_of_the_study(page, new_page, tmp_path):
    page.open(EXAMPLE)
    load(page, tmp_path, f"{FORK}\n34... e3-d4 35. c3-d2 d4-e5-f6BW")
    page.is_at(FORK)
    numbers = page.locator("#record .number")
    expect(numbers).to_have_text(["34…", "35."])
    best = page.locator("#best-line .number").first
    expect(best).to_have_text("34…")
    page.push("Step forward")
    page.settled()
    expect(best).to_have_text("35.")
    page.push("Review the game")
    expect(page.locator("#slips button").first).to_have_text("35. c3-d2?")
    assert "34... e3-d4" in save(page, tmp_path).read_text()
    other = new_page()
    other.goto(page.url)
    expect(other.locator("#record .number")).to_have_text(["34…", "35."])
    # A game that is played here begins with 1.
    page.open(EXAMPLE)
    play(page, "c3-b4")
    expect(numbers).to_have_text(["1."])
    expect(best).to_have_text("1…")
    page.first_move.click()
    page.settled()
    expect(best).to_have_text("2.")


@pytest.mark.parametrize("size", [(640, 450), (667, 375), (683, 384), (320, 568), (1280, 900)])
def test_a_study_fits_the_window(new_page, tmp_path, size):
    page = new_page(viewport={"width": size[0], "height": size[1]})
    overflow = lambda: page.evaluate("document.documentElement.scrollWidth") - size[0]
    page.open(EXAMPLE)
    load(page, tmp_path, STUDY)
    page.is_at(FORK)
    page.evaluate("scrollTo(0, 0)")
    board = page.locator(".frame").bounding_box()
    assert board["y"] + board["height"] <= size[1] and board["height"] > 250
    page.push("To the end", "Review the game")
    expect(page.locator("#review-told")).to_contain_text("The review is finished.")
    page.locator("#words summary").click()
    expect(page.get_by_label("Comment")).to_be_visible()
    assert overflow() == 0
    # The move that has led here is in view in its list.
    [move, moves] = [page.locator(at).bounding_box() for at in ["#record [aria-current]", "#record"]]
    assert moves["y"] <= move["y"] and move["y"] + move["height"] <= moves["y"] + moves["height"] + 1
    # What is wrong with a text stands below it, and both are seen.
    page.look_up("hello " * 20)
    error = page.get_by_role("alert")
    expect(error).to_contain_text("found \"hello\"")
    page.shows(value="Not a position")
    [field, error] = [at.bounding_box() for at in [page.position, error]]
    assert 0 <= field["y"] < field["y"] + field["height"] <= error["y"] < field["y"] + field["height"] + 20
    assert error["y"] + error["height"] <= size[1] + 1
    page.choose("Set up")
    for help in page.locator("summary:visible").all():
        help.click()
    assert overflow() == 0


def test_a_long_reason_is_not_cut(new_page):
    page = new_page(viewport={"width": 320, "height": 568})
    page.open("a1w c1w e1w g1w b2w d2w f2w a3w c3w e3w g3w a5b c5b e5b g5b b6b d6b f6b a7b c7b e7b g7b w")
    page.press("c3", "g5")
    expect(page.inspector).to_contain_text("is not legal")
    assert page.inspector.evaluate("(e) => e.scrollHeight <= e.clientHeight")
