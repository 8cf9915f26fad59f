"""Pictures of the page, to be looked at; only with --pictures."""

import pathlib
import re

import pytest
from conftest import DESKTOP, EXAMPLE, LANDSCAPE, LASKER, PHONE, ROOT, START
from playwright.sync_api import expect

SCENES = {
    "play": lambda page: (page.open(EXAMPLE), page.first_move.click(), page.settled(), page.press("e3")),
    "setup": lambda page: (page.open("c3WWB e5BW w"), page.choose("Set up"), page.settled()),
    "search": lambda page: (page.open(START), page.search.check(), expect(page.locator("#second-line li").first).to_be_visible()),
    "proved": lambda page: (page.open(LASKER), page.search.check(), expect(page.value).to_have_text(re.compile("wins"))),
    "slip": lambda page: (page.practise(EXAMPLE), page.move(1), page.my_turn()),
    "score": lambda page: (page.practise(EXAMPLE), page.move(1), page.play_on(-1)),
    "practice": lambda page: (page.open(START), page.push("Practise against the search"), page.my_turn()),
    "ending": lambda page: (page.open(EXAMPLE), page.push("Find endings"), page.locator("#endings-list a").first.click(), page.my_turn(), page.push("Hint")),
    "review": lambda page: (page.open(EXAMPLE), page.locator("#moves button").last.click(), page.settled(), page.push("Review the game"), page.locator("#slips button").first.click(), page.settled()),
    "studies": lambda page: (page.open(EXAMPLE), page.locator("#file").set_input_files(ROOT / "tests/studies/longest-wins.study"), expect(page.locator("#choice")).to_be_visible(), page.settled()),
    "rules": lambda page: (page.open(EXAMPLE), page.locator("#rules summary").click(), page.locator("#rules").scroll_into_view_if_needed()),
    "statistics": lambda page: (page.open(EXAMPLE), page.locator("#statistics summary").click(), expect(page.locator("#counts")).to_be_visible(), page.locator("#statistics").scroll_into_view_if_needed()),
    "game": lambda page: (page.open(EXAMPLE), page.position.fill(f"# A game\nstart\n1. c3-d4 e5-c3\n2. hello"), page.push("Look up"), expect(page.locator("#position-error")).not_to_be_empty()),
    "endings": lambda page: (page.open(EXAMPLE), page.push("Find endings"), page.locator("#endings-list a").first.scroll_into_view_if_needed()),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", [DESKTOP, PHONE, LANDSCAPE], ids=["desktop", "phone", "landscape"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture(new_page, request, scene, view, scheme):
    page = new_page(**view, color_scheme=scheme)
    SCENES[scene](page)
    page.evaluate("document.activeElement.blur()")
    path = pathlib.Path(request.config.getoption("--pictures"), f"{request.node.callspec.id}.png")
    page.screenshot(path=path, full_page=view == PHONE)
