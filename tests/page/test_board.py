"""Setting up positions, playing on the board, and what the page looks like."""

import json
import re
import subprocess

import pytest
from conftest import DRAW, EXAMPLE, LANDSCAPE, LASKER, NO_TABLE, PHONE, RING, START, WIN_IN_5
from playwright.sync_api import expect
from test_games import play

SQUARES = "[...document.querySelectorAll('.square')].map((s) => s.dataset.square)"


def set_up(page, position=EXAMPLE):
    page.open(position)
    page.choose("Set up")


def leads_to(page, *steps):
    """Takes these steps. After each, the board shows this position."""
    for step, position in steps:
        step()
        page.is_at(position)


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag_by_touch(page, start, end):
    session = page.context.new_cdp_session(page.page)
    (x, y), to = middle(page.square(start)), middle(page.square(end))
    for kind, *points in [("touchStart", (x, y)), ("touchMove", (x + 9, y + 9)), ("touchMove", to), ("touchEnd",)]:
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})


def test_counters_are_placed_and_stacked_by_pressing_squares(page):
    set_up(page)
    beneath = page.get_by_role("checkbox", name="Put the counter beneath the column")
    leads_to(page, (lambda: page.push("Clear"), "w"))
    page.shows(value="An empty board")
    leads_to(page, (lambda: page.press("d4", "d4"), "d4WW w"))
    page.choose("Black")
    beneath.check()
    leads_to(page, (lambda: page.press("d4"), "d4WWB w"))
    beneath.uncheck()
    leads_to(page, (lambda: page.press("g7"), "d4WWB g7B w"))
    dtw = page.server.ask("probe", position="d4WWB g7B w")["dtw"]
    page.shows(value=f"White wins in {dtw} plies")
    expect(page.square("d4").locator(".side")).to_have_count(3)
    page.choose("Remove")
    leads_to(page, (lambda: page.press("d4", "g7"), "d4WB w"))
    # Each was a step that can be taken back.
    leads_to(page, (lambda: page.push("Step back"), "d4WB g7B w"))


def test_columns_are_dragged(new_page):
    page = new_page(reduced_motion="no-preference")
    set_up(page)
    drag = lambda start, end: lambda: page.square(start).drag_to(page.square(end) if len(end) == 2 else page.locator(end))
    leads_to(page, (drag("e3", "g5"), "c3WW g5BW b6B w"), (drag("c3", "b6"), "c3WW g5BW b6B w"))
    page.shows(live="…There is a column on b6 already…")
    leads_to(page, (drag("b6", "#value"), "c3WW g5BW w"))
    page.choose("Play")
    leads_to(page, (drag("c3", "b4"), "b4WW g5BW b"), (drag("g5", "a1"), "b4WW g5BW b"))
    page.shows(live="…g5 to a1 is not legal: it can go to f4 or f6.…")
    page.has_played(["c3-b4"])


def test_columns_are_dragged_and_moves_played_by_touch(new_page):
    page = new_page(**PHONE)
    page.open(EXAMPLE)
    for square in ["c3", "b4"]:
        page.square(square).tap()
    page.is_at("e3BW b4WW b6B b")
    drag_by_touch(page, "b6", "a7")
    page.is_at("e3BW b4WW a7B w")
    # In practice too. Chromium takes no tap soon after a drag, so this is another window.
    page = new_page(**PHONE)
    page.practise(EXAMPLE)
    for square in ["c3", "b4"]:
        page.square(square).tap()
    expect(page.record).to_have_count(2)
    page.my_turn()
    best = page.rated()[0]["move"].split("-")
    drag_by_touch(page, best[0][:2], best[-1][:2])
    expect(page.record).to_have_count(4)


def test_the_side_to_move_and_the_whole_position_are_changed(page):
    page.open(EXAMPLE)
    leads_to(page, (lambda: page.choose("Black to move"), "c3WW e3BW b6B b"))
    page.choose("Set up")
    leads_to(page, (lambda: page.push("Exchange colours"), "c3BB e3WB b6W w"))
    # The value is that of the same position seen otherwise.
    value = page.value.inner_text()
    leads_to(page, (lambda: page.push("Rotate"), "c3WB c5BB f6W w"))
    expect(page.value).to_have_text(value)
    leads_to(page, (lambda: page.push("Rotate", "Rotate", "Rotate"), "c3BB e3WB b6W w"))


def test_the_start_and_officers_of_a_material_are_put(page):
    set_up(page, EXAMPLE)
    leads_to(page, (lambda: page.push("Start position"), START))
    materials = page.locator("#set-material")
    expect(materials.locator("option")).to_have_text([table["material"] for table in page.server.ask("tables")["tables"]])
    materials.select_option("3-2")
    leads_to(page, (lambda: page.push("Put officers"), "a1W c1W e1W e7B g7B w"))
    page.shows(value="Drawn")


def test_the_rules_are_told_with_positions_that_arise(page):
    page.open(EXAMPLE)
    expect(page.locator("#about")).to_have_text(re.compile(r"^lasca-tb \d+\.\d+\.\d+$"))
    page.locator("#rules summary").click()
    first, before, after = [figure.get_attribute("data-picture") for figure in page.locator("#rules figure").all()]
    expect(page.locator("#rules .miniature").filter(visible=True)).to_have_count(3)
    assert first == START
    assert [move["position"] for move in page.server.ask("moves", position=before)["moves"]] == [after]


def test_the_view_is_flipped_and_the_position_stays(page):
    page.open(EXAMPLE)
    assert page.evaluate(SQUARES)[:4] == ["a7", "c7", "e7", "g7"]
    page.push("Flip view")
    page.is_at(EXAMPLE)
    expect(page.page).to_have_url(re.compile("view=black"))
    page.reload()
    page.is_at(EXAMPLE)
    assert page.evaluate(SQUARES)[:4] == ["g1", "e1", "c1", "a1"]
    page.press("c3", "b4")
    page.is_at("e3BW b4WW b6B b")


def test_columns_are_chosen_and_go_where_moves_lead(page):
    page.open(EXAMPLE)
    assert "4 moves" in page.label("c3")
    page.press("c3")
    page.shows(live="…c3 chosen: 4 moves…")
    assert sorted(page.evaluate(SQUARES.replace("'.square'", "'.target'"))) == ["b2", "b4", "d2", "d4"]
    assert "can be reached" in page.label("b4")
    page.press("b4")
    page.is_at("e3BW b4WW b6B b")
    page.press("g7")
    page.is_at("e3BW b4WW b6B b")


@pytest.mark.server
def test_takes_that_end_on_the_same_square_are_told_apart(page, serve):
    # Also while the table is made, and when it has been made.
    page.price(1)
    caught = page.catch("**/make?*")
    page.open(RING, serve(make=60))
    page.shows(value="Making the table…")
    assert [value for _, value in page.moves()] == [None, None]
    page.press("c3", "c3")
    page.shows(live="…2 captures lead to c3…")
    expect(page.locator(".candidate")).to_have_count(2)
    caught().fallback()
    page.shows(value="White loses in 2 plies")
    expect(page.locator(".candidate")).to_have_count(2)
    page.keys("Enter")
    expect(page.record).to_have_text([re.compile("^(.*-){8}[^-]*$")])
    page.shows(value="Black wins in …")


# After the only move of the example that wins.
MOVED = "e3BW b4WW b6B b"
# A capture that goes by c3, and then on to a5 or e5.
FORKED = "a1W b2B b4B d4B w"


def test_a_capture_is_led_by_its_squares(new_page):
    page = new_page(reduced_motion="no-preference")
    page.open(RING)
    # Only one of both goes to a5 first.
    page.press("c3", "a5")
    page.has_played(["c3-b4B-a5-b6B-c7-d6B-e5-d4B-c3WBBBB"])
    for act in [lambda square: page.press(square), lambda square: page.square("a1").drag_to(page.square(square))]:
        page.open(FORKED)
        page.press("a1")
        targets = lambda: sorted(page.evaluate(SQUARES.replace("'.square'", "'.target'")))
        assert targets() == ["a5", "c3", "e5"]
        act("c3")
        for told in [page.live, page.inspector]:
            expect(told).to_have_text("2 captures go on from c3. Choose the next square.")
        assert targets() == ["a5", "e5"]
        expect(page.locator(".path .line")).to_have_count(2)
        act("e5")
        page.has_played(["a1-b2-c3-d4-e5WBB"])
        page.settled()
    # Another column, or none, begins anew.
    page.open(FORKED)
    page.press("a1", "c3", "a1", "a1")
    assert targets() == ["a5", "c3", "e5"]


def test_what_is_not_legal_says_why(page):
    for position, squares, why in [
        (EXAMPLE, ["c3", "f4"], "c3 to f4 is not legal: it can go to b2, b4, d2 or d4."),
        (EXAMPLE, ["c3", "e3"], "c3 to e3 is not legal: there is a column on e3. It can go to b2, b4, d2 or d4."),
        (EXAMPLE, ["b6"], "b6 cannot move: White is to move."),
        ("a1W b2B g7W w", ["g7"], "g7 cannot move: White must capture, with the column on a1."),
        ("a1W b2B g7W w", ["a1", "a3"], "a1 to a3 is not legal: it must capture, and can go to c3."),
        ("a1W b2BB c3B w", ["a1"], "a1 cannot move: the game is over."),
        ("c3w g7b w", ["c3", "b2"], "c3 to b2 is not legal: it can go to b4 or d4. Soldiers move only forward."),
    ]:
        page.open(position)
        page.press(*squares)
        expect(page.inspector).to_have_text(why)
        page.shows(live=f"…{why}")
    page.practise(EXAMPLE)
    page.press("b6")
    expect(page.inspector).to_have_text("b6 cannot move: White is to move.")


def test_keys_go_from_square_to_square_and_set_up(page):
    page.open(EXAMPLE)
    page.square("d4").focus()
    for key, square in [
        ("ArrowRight", "f4"), ("ArrowRight", "f4"), ("ArrowUp", "e5"), ("ArrowUp", "f6"),
        ("ArrowLeft", "d6"), ("ArrowDown", "c5"), ("ArrowDown", "d4"), ("ArrowDown", "c3"),
        ("ArrowLeft", "a3"), ("ArrowUp", "b4"), ("ArrowUp", "a5"), ("ArrowLeft", "a5"),
    ]:
        page.keys(key)
        expect(page.square(square)).to_be_focused()
    # What is on the board changes in Set up alone.
    page.keys("w", "b", "m", "Delete", at="c3")
    page.is_at(EXAMPLE)
    page.shows(live="…Choose Set up…")
    for keys, position in [
        (["c"], "w"),
        (["w", "w", "Shift+B"], "a5WWB w"),
        (["ArrowRight", "b"], "a5WWB c5B w"),
        (["s"], "a5WWB c5B b"),
        (["x"], "a5BBW c5W w"),
        (["r"], "e5W e7BBW w"),
        (["ArrowUp", "ArrowUp", "Delete"], "e5W e7BW w"),
        (["Shift+Delete"], "e5W w"),
        (["ArrowDown", "ArrowDown", "m", "ArrowDown", "ArrowLeft", "m"], "d4W w"),
    ]:
        page.keys(*keys, at="a5" if keys == ["c"] else "e7" if "Delete" in keys else None)
        page.is_at(position)
    page.shows(live="…White has won…")
    page.keys("f")
    assert page.evaluate(SQUARES)[0] == "g1"
    page.keys("ArrowLeft", at="a1")
    expect(page.square("c1")).to_be_focused()


def test_keys_play_and_step(page):
    page.open(EXAMPLE)
    page.keys("Enter", "ArrowUp", "ArrowLeft", "Enter", at="c3")
    page.is_at("e3BW b4WW b6B b")
    second = page.moves()[1][0]
    page.keys("2", at="e3")
    page.has_played(["c3-b4", second])
    page.settled()
    page.keys(",", ",", at="a1")
    page.is_at(EXAMPLE)
    page.keys(".")
    page.is_at("e3BW b4WW b6B b")
    page.evaluate("pace = 1000")
    page.keys("p")
    page.shows(auto="Stop")
    page.keys("Escape")
    page.shows(auto="Play the best line")
    page.settled()
    # Keys that have no use here say so.
    page.keys("t", at="a1")
    page.shows(live="Begin practice first.")
    page.keys("v")
    page.shows(live="Search is on.")
    page.keys("v")
    page.shows(live="Search is off.")
    # In a field of text, letters are letters.
    page.look_up("")
    page.position.press_sequentially(WIN_IN_5)
    page.keys("Enter")
    page.is_at(WIN_IN_5)


def test_arrows_step_wherever_no_field_has_the_focus(page):
    page.open(EXAMPLE)
    page.press("c3", "b4")
    page.is_at(MOVED)
    # On a square that was pressed, and has no frame.
    page.keys("ArrowLeft")
    page.is_at(EXAMPLE)
    page.keys("ArrowRight")
    page.is_at(MOVED)
    for focus in [lambda: page.button("Flip view").focus(), lambda: page.evaluate("document.activeElement.blur()"), lambda: page.first_move.focus()]:
        focus()
        page.keys("ArrowLeft")
        page.is_at(EXAMPLE)
        page.keys("ArrowRight")
        page.is_at(MOVED)
    # In a field, and between squares, they have their own meaning.
    page.position.focus()
    page.keys("ArrowLeft")
    page.get_by_role("radio", name="Black to move").focus()
    page.keys("Tab", "ArrowUp", "ArrowLeft")
    page.is_at(MOVED)
    expect(page.locator(".square:focus-visible")).to_have_count(1)


def test_the_focus_is_never_lost(page):
    has_focus = lambda: expect(page.locator(":focus")).to_have_count(1)
    page.open(EXAMPLE)
    for act in [
        page.first_move.click,
        lambda: page.best_line.nth(2).click(),
        lambda: page.push("To the beginning"),
        lambda: page.push("Step forward"),
        lambda: page.push("To the end"),
        lambda: page.push("Practise against the tables"),
        lambda: page.first_move.click(),
        lambda: page.push("Hint", "Hint", "Leave practice"),
        lambda: (page.first_move.focus(), page.keys("Enter")),
        lambda: page.push("Review the game"),
        lambda: page.choose("Set up"),
        lambda: page.push("Clear"),
    ]:
        act()
        has_focus()
        expect(page.inspector).to_be_empty()
        if page.locator("#practice").is_visible():
            page.my_turn()
        else:
            page.settled()
        has_focus()


def test_the_move_that_was_made_is_heard(page):
    page.open(EXAMPLE)
    page.first_move.click()
    page.shows(live="White has played c3-b4. Black loses in 18 plies.…")
    page.best_line.nth(1).click()
    page.shows(live=f"White has played {page.record.last.inner_text()}…")
    page.push("Step back")
    page.shows(live="Black has played …")
    page.practise(EXAMPLE)
    page.evaluate("pace = 1000")
    assert page.move(0) == "c3-b4"
    page.shows(live="You have played c3-b4.")
    page.evaluate("pace = 0.02")


def test_no_button_of_the_first_search_of_practice_is_without_a_name(page):
    page.open(START)
    page.push("Practise against the search")
    expect(page.button("Play Black")).to_be_visible()
    assert "" not in page.locator("button:visible").evaluate_all("(all) => all.map((b) => b.ariaLabel ?? b.textContent)")


def test_soldiers_are_set_up(page):
    set_up(page)
    page.push("Clear")
    page.choose("Soldier")
    leads_to(page, (lambda: page.press("d4"), "d4w w"))
    page.choose("Black")
    page.get_by_role("checkbox", name="Put the counter beneath the column").check()
    page.press("d4")
    page.choose("Officer")
    leads_to(page, (lambda: page.press("d4"), "d4wbB w"))
    page.shows(live="…White has won…")
    expect(page.square("d4").locator(".mark")).to_have_count(1)
    # The keys do the same.
    leads_to(page, (lambda: page.keys("k", "b", "k", "Shift+W", at="g7"), "d4wbB g7bW w"))
    page.shows(value="Value unknown", detail="…The tables cover officers only.…")
    # Soldiers go on as they went when the colours are exchanged; they cannot go across.
    leads_to(page, (lambda: page.push("Exchange colours"), "a1wB d4bwW b"), (lambda: page.push("Rotate"), "a1wB d4bwW b"))
    page.shows(live="…cannot be rotated…")
    # There are never more counters than in a game.
    set_up(page, START)
    leads_to(page, (lambda: page.press("d4"), START))
    page.shows(live="…22 counters…")
    page.choose("Remove")
    page.press("a1")
    page.choose("White", "Soldier")
    leads_to(page, (lambda: page.press("b4"), START.replace("a1w ", "").replace("g3w ", "g3w b4w ")))
    # Moves are those of the rules, and can be played.
    page.choose("Play")
    page.press("c3", "d4")
    page.has_played(["c3-d4"])
    page.settled()
    assert page.moves() == [["a5-b4-c3-b2-a1Bww", None], ["e5-d4-c3-b2-a1Bww", None]]


# The labels that are not within their square.
LABELS_OUTSIDE = """[...document.querySelectorAll(".counts")].filter((label) => {
    const [own, square] = [label, label.closest(".square")].map((e) => e.getBoundingClientRect());
    return own.left < square.left || own.right > square.right || own.top < square.top || own.bottom > square.bottom;
}).length"""


@pytest.mark.parametrize("size", [(1280, 900), (390, 844), (320, 800)])
def test_a_column_that_grows_pushes_and_covers_nothing(new_page, size):
    """It is set up by pressing the same places of the screen."""
    page = new_page(viewport={"width": size[0], "height": size[1]}, has_touch=True)
    set_up(page)
    page.push("Clear")
    page.evaluate("scrollTo(0, 0)")
    tools = page.locator("#tools")
    at = {name: middle(tools.get_by_role("radio", name=name)) for name in ["White", "Black", "Officer", "Soldier"]}
    at["d4"], place = middle(page.square("d4")), tools.bounding_box()
    press = page.mouse.click if size[0] == 1280 else page.touchscreen.tap
    for _ in range(11):
        for name in ["White", "Soldier", "d4", "Black", "Officer", "d4"]:
            press(*at[name])
    page.is_at(f"d4{'Bw' * 11} w")
    assert tools.bounding_box() == place
    assert page.evaluate(LABELS_OUTSIDE) == 0
    # What has no room below the board is shown where the pointer is.
    page.mouse.move(*at["White"])
    page.mouse.move(*at["d4"])
    text, is_cut = page.inspector.evaluate("(e) => [e.textContent, e.scrollHeight > e.clientHeight]")
    expect(page.locator("#board")).to_have_attribute("title", text if is_cut else "")
    assert text.startswith("d4 Bw") and (is_cut or size[0] > 320)


def test_everything_has_a_name_for_those_who_hear_it(page):
    set_up(page)
    page.settled()
    heard = page.locator("body").aria_snapshot()
    roles = ["button", "radio", "checkbox", "combobox", "textbox", "link", "grid", "radiogroup", "heading"]
    assert all(f'- {role} "' in heard for role in roles)
    assert re.findall(rf"- (?:{'|'.join(roles)})\b(?! \")", heard) == []
    for name in ["c3: white officer over 1 white", "e3: black officer over 1 white", "d4: empty"]:
        expect(page.get_by_role("gridcell").get_by_role("button", name=name)).to_have_count(1)
    expect(page.get_by_role("row")).to_have_count(7)
    expect(page.get_by_role("gridcell")).to_have_count(25)
    expect(page.get_by_role("status").first).to_contain_text(
        "White wins in 19 plies. White to move. Of 4 moves, only one wins. Best: c3-b4."
    )
    page.open(LASKER)
    assert "white officer over 1 white soldier over 1 black soldier over 1 black officer over 1 black soldier" in page.label("c1")
    # One square is in the order of the Tab key, and the board is one stop of it.
    expect(page.locator(".square[tabindex='0']")).to_have_count(1)


# What text is too like its ground.
CONTRAST = """(() => {
    const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
      return .2126 * r + .7152 * g + .0722 * b; };
    const rgba = (s) => { const n = s.match(/[\\d.]+/g).map(Number); return n.length === 3 ? [...n, 1] : n; };
    const bad = [];
    for (const e of document.querySelectorAll('body *')) {
      const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (!own || !e.checkVisibility() || e.closest('svg, .unseen, :disabled, script, style, noscript')) continue;
      let ground = e, back;
      do { back = rgba(getComputedStyle(ground).backgroundColor); ground = ground.parentElement; } while (back[3] < .7 && ground);
      const [a, b] = [light(rgba(getComputedStyle(e).color).slice(0, 3)), light(back.slice(0, 3))].sort((x, y) => y - x);
      const ratio = (a + .05) / (b + .05);
      if (ratio < 4.5) bad.push(`${e.tagName}.${e.className} ${e.textContent.trim().slice(0, 20)}: ${ratio.toFixed(2)}`);
    }
    return bad;
})()"""


# What a search answers that has proved nothing.
OPEN = {"position": START, "wdl": None, "dtw": None, "at_most": None, "excluded": [], "moves": [
    {"move": "a3-b4", "position": START, "wdl": None, "at_most": None, "excluded": []}
], "line": [], "line_end": None, "positions": 1, "seconds": 0}


def test_text_stands_out_from_its_ground(new_page):
    grounds = set()
    for scheme in ["light", "dark"]:
        page = new_page(color_scheme=scheme)
        page.open(EXAMPLE)
        page.first_move.click()
        page.choose("Set up")
        page.get_by_text("Keys and words").click()
        page.push("Find endings")
        expect(page.locator("#endings-list a").first).to_be_visible()
        page.settled()
        assert page.evaluate(CONTRAST) == []
        page.practise(EXAMPLE)
        page.move(1)
        page.my_turn()
        assert page.evaluate(CONTRAST) == []
        page.open(START)
        page.route(re.compile("/solve"), lambda route: route.fulfill(body=json.dumps(OPEN) + "\n"))
        page.search.check()
        page.shows(value="Open…")
        assert page.evaluate(CONTRAST) == []
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


SMALL = """[...document.querySelectorAll('button')].filter((b) => b.checkVisibility()).filter((b) => {
    const { width, height } = b.getBoundingClientRect();
    return width < 24 || height < 24;
}).map((b) => b.textContent)"""


@pytest.mark.parametrize("width", [320, 390])
def test_it_fits_a_phone(new_page, width):
    page = new_page(**{**PHONE, "viewport": {"width": width, "height": 800}})
    overflow = lambda: page.evaluate("document.documentElement.scrollWidth") - width
    for position in [EXAMPLE, NO_TABLE, LASKER]:
        page.open(position)
        if position == LASKER:
            page.search.check()
            expect(page.locator("#moves .pill")).to_have_count(2)
        page.choose("Set up")
        page.evaluate("document.querySelector('#help').open = true")
        assert overflow() == 0
        assert page.evaluate(SMALL) == []
    page.practise(EXAMPLE)
    page.push("Find endings")
    expect(page.locator("#endings-list a").first).to_be_visible()
    for _ in range(2):
        assert overflow() == 0
        page.move(1)
        page.my_turn()


def test_links_and_examples_open_what_they_say(page):
    page.open(DRAW)
    links = page.locator("#examples a")
    for link, position in [(4, "a1W g1W a7B g7B w"), (-1, START), (-2, LASKER)]:
        links.nth(link).click()
        page.is_at(position)
        page.go_back()
        page.is_at(DRAW)
    page.shows(value="Drawn")
    # All others are in the tables that come with the source.
    for link in links.all()[:-2]:
        link.click()
        page.settled()
        expect(page.value).not_to_have_text("Value unknown")


def boxes(page, *selectors):
    return [page.locator(selector).bounding_box() for selector in selectors]


def test_a_desktop_has_endings_and_examples_beside_the_board(page):
    page.open(EXAMPLE)
    frame, verdict, moves, game, endings = boxes(page, ".frame", "#verdict", "#moves", ".game", "#endings")
    assert endings["x"] == verdict["x"] == moves["x"] > frame["x"] + frame["width"]
    assert game["x"] > moves["x"] + moves["width"]
    assert endings["y"] + endings["height"] < 900


def test_a_phone_has_all_tools_between_the_board_and_the_value(new_page):
    page = new_page(**PHONE)
    set_up(page)
    page.settled()
    tops = [box["y"] for box in boxes(page, ".frame", "#tools", ".steps", "#verdict", "#moves")]
    assert tops == sorted(tops)
    # "White" and "Black" are there once: the side that is not to move is its disc.
    texts = page.locator("label span:visible").evaluate_all(
        "(spans) => spans.map((span) => [...span.querySelectorAll('em'), span].find((e) => e.offsetWidth > 1).innerText)"
    )
    assert texts.count("White") == texts.count("Black") == 1
    page.choose("Black to move")
    page.is_at(EXAMPLE.replace(" w", " b"))
    page.choose("Play")
    tops = [box["y"] for box in boxes(page, ".frame", "#verdict", ".steps", "#moves")]
    assert tops == sorted(tops)


@pytest.mark.parametrize("size", [(844, 390), (932, 430)])
def test_a_phone_that_lies_on_its_side_has_the_whole_board_and_the_value(new_page, size):
    page = new_page(**{**LANDSCAPE, "viewport": {"width": size[0], "height": size[1]}})
    page.open(EXAMPLE)
    value, steps, moves, form = boxes(page, "#detail", ".steps", "#moves", "#position-form")
    assert value["y"] + value["height"] < size[1] and value["y"] < steps["y"] < moves["y"] < form["y"]
    for mode in ["Play", "Set up"]:
        page.open(EXAMPLE)
        page.choose(mode)
        board, verdict = boxes(page, ".frame", "#verdict")
        assert board["y"] + board["height"] <= size[1]
        assert board["height"] > 300
        assert verdict["x"] > board["x"] + board["width"]
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]


def test_the_help_says_where_the_keys_work(page):
    page.open(EXAMPLE)
    page.get_by_text("Keys and words").click()
    expect(page.get_by_text("All other keys act while a square of the board has the focus")).to_be_visible()
    page.button("Flip view").focus()
    page.keys("x")
    page.is_at(EXAMPLE)
    page.keys("x", at="d4")
    page.is_at("c3BB e3WB b6W b")


def test_some_keys_act_wherever_no_text_is_typed(page):
    page.open(EXAMPLE)
    play(page, "c3-b4", "b6-a7", "b4-a3")
    page.push("Step back", "Step back")
    play(page, "b6-a5")
    flip, last = page.button("Flip view"), "e3BW b4WW a5B w"
    for focus in [lambda: page.evaluate("document.activeElement.blur()"), lambda: page.first_move.focus(), lambda: page.press("d4")]:
        focus()
        page.keys("ArrowUp")
        page.is_at("e3BW b4WW a7B w")
        page.keys("End")
        page.is_at("a3WW e3BW a7B b")
        page.keys("ArrowUp", "ArrowDown", "Home")
        page.is_at(EXAMPLE)
        page.keys("ArrowRight", "ArrowRight", "ArrowDown")
        page.is_at(last)
        page.keys("f")
        expect(flip).to_have_attribute("aria-pressed", "true")
        page.keys("f")
        expect(flip).to_have_attribute("aria-pressed", "false")
        page.keys("?")
        expect(page.get_by_text("These keys act wherever no field has the focus")).to_be_in_viewport()
        page.keys("?")
        expect(page.get_by_text("These keys act wherever no field has the focus")).to_be_hidden()
        expect(page.locator(".frame")).to_be_in_viewport()
    # In a field, they are text.
    page.position.focus()
    page.keys("Home", "f", "?", "ArrowUp")
    expect(page.position).to_have_value(f"f?{last}")
    expect(flip).to_have_attribute("aria-pressed", "false")
    page.keys("ArrowUp", at="d4")
    expect(page.square("c5")).to_be_focused()
    expect(page.locator("#record [aria-current]")).to_have_text("b6-a5")


def test_the_wheel_over_the_board_steps(page):
    page.open(EXAMPLE)
    play(page, "c3-b4", "b6-a7")
    page.locator(".frame").hover()
    page.mouse.wheel(0, -100)
    page.is_at(MOVED)
    # A slow one takes several turns.
    for _ in range(5):
        page.mouse.wheel(0, -10)
    page.is_at(EXAMPLE)
    page.mouse.wheel(0, 100)
    page.is_at(MOVED)
    assert page.evaluate("scrollY") == 0
    # Elsewhere, and where there is no step to make, the page scrolls.
    page.mouse.wheel(0, 100)
    page.is_at("e3BW b4WW a7B w")
    page.mouse.wheel(0, 100)
    page.wait_for_function("scrollY > 0")
    page.is_at("e3BW b4WW a7B w")


@pytest.mark.parametrize("width", range(320, 420, 20))
def test_no_line_ends_in_the_middle_of_a_material(new_page, width):
    page = new_page(viewport={"width": width, "height": 800})
    page.open(NO_TABLE)
    for text in ["#about-tables", "#detail"]:
        materials = page.locator(f"{text} .whole")
        expect(materials.first).to_have_text(re.compile(r"^\d-\d$"))
        assert materials.evaluate_all("(spans) => spans.filter((span) => span.getClientRects().length > 1).length") == 0


def test_the_squares_have_the_colours_of_the_pictures_of_the_program(new_page, request):
    page = new_page(color_scheme="light")
    page.open(EXAMPLE)
    command = [request.config.getoption("--program"), "picture", EXAMPLE, "--palette", "wood"]
    picture = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for kind, selector in [("ground", "#board"), ("field", "[data-square=a1]")]:
        drawn = re.search(f'class="{kind}" fill="#([0-9a-f]{{6}})"', picture)[1]
        seen = page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).backgroundColor")
        assert seen == f"rgb({', '.join(str(part) for part in bytes.fromhex(drawn))})"


def test_the_board_keeps_its_colours_where_the_reader_has_chosen_all_others(new_page):
    page = new_page(color_scheme="light")
    page.open(EXAMPLE)
    colour = "(selector) => getComputedStyle(document.querySelector(selector)).backgroundColor"
    parts = ["#board", "[data-square=a1]", ".disc.white", "#results"]
    before = [page.evaluate(colour, part) for part in parts]
    page.emulate_media(forced_colors="active")
    assert [page.evaluate(colour, part) for part in parts] == before
    pressed = "getComputedStyle(document.querySelector('.switch input:checked + span')).outlineStyle"
    assert page.evaluate(pressed) == "solid"


def test_the_position_is_saved_as_the_picture_of_the_program(page, request, tmp_path):
    page.open("c3WWBB b6bw w")
    with page.expect_download() as download:
        page.push("Save picture")
    assert download.value.suggested_filename == "lasca.svg"
    download.value.save_as(tmp_path / "lasca.svg")
    page.shows(live="…The picture is saved.…")
    command = [request.config.getoption("--program"), "picture", "c3WWBB b6bw w", "--palette", "wood"]
    picture = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (tmp_path / "lasca.svg").read_text("utf-8").strip() == picture.strip()
