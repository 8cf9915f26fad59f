"""Pictures of the page, to be looked at; only with --pictures."""

import pathlib

import pytest
from conftest import DESKTOP, EXAMPLE, LANDSCAPE, LASKER, PHONE, WIN_IN_5
from playwright.sync_api import expect


def play(page):
    page.open(EXAMPLE)
    page.locator("#moves button").first.click()
    page.settled()
    page.press("e3")


def set_up(page):
    page.open("c3WWB e5BW w")
    page.choose("Set up")


def solve(page):
    page.open(LASKER)
    page.push("Solve")
    expect(page.solve).to_be_hidden()


def slip(page):
    page.practise(EXAMPLE)
    page.move(1)
    page.my_turn()


def score(page):
    page.practise(EXAMPLE)
    page.move(1)
    page.my_turn()
    page.play_on(-1)


def endings(page):
    page.open(EXAMPLE)
    page.push("Find endings")
    page.locator("#endings-list a").first.scroll_into_view_if_needed()


def win(page):
    page.practise(WIN_IN_5)
    page.play_on(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", [DESKTOP, PHONE, LANDSCAPE], ids=["desktop", "phone", "landscape"])
@pytest.mark.parametrize("scene", [play, set_up, solve, slip, score, endings, win])
def test_picture(new_page, request, scene, view, scheme):
    page = new_page(**view, color_scheme=scheme)
    scene(page)
    page.evaluate("document.activeElement.blur()")
    page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished))")
    name = "-".join([request.node.callspec.id.split("-")[1], scheme, scene.__name__]) + ".png"
    page.screenshot(path=pathlib.Path(request.config.getoption("--pictures"), name), full_page=view == PHONE)
