"""What only a site without a server has: its workers, its tables, and use offline."""

import re

from conftest import EXAMPLE, LASKER, NO_TABLE, START
from playwright.sync_api import expect

# As the page's own waits, but for those of the tests.
AT_EASE = "window.pace = 1;"


def kept(page):
    """Waits until the site is kept for the next visit."""
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.evaluate("caches.keys().then(async (names) => { while (!(await (await caches.open(names[0])).match('./'))) await new Promise((r) => setTimeout(r, 50)); })")


def test_the_next_visit_may_be_offline(new_page):
    page = new_page()
    page.open(EXAMPLE)
    page.shows(value="White wins in 19 plies")
    kept(page)
    page.context.set_offline(True)
    page.goto(f"{page.server.url}?position=b2B+d2W+a7W+w")
    page.shows(value="White wins in 5 plies")
    # A table that no question has needed before.
    page.look_up("a1W c1W b4BBB w")
    page.settled()
    expect(page.first_move).to_be_visible()
    page.wrong.clear()


def test_a_search_that_is_stopped_keeps_what_it_has_proved(new_page):
    page = new_page()
    page.add_init_script(AT_EASE)
    page.open(LASKER)
    page.push("Solve")
    expect(page.value).to_have_text(re.compile("White wins"))
    if page.solve.inner_text() == "Stop":
        page.push("Stop")
    expect(page.solve).not_to_have_text("Stop")
    expect(page.value).to_have_text(re.compile("White wins"))
    page.open(START)
    page.push("Solve")
    expect(page.detail).to_have_text(re.compile("positions"))
    page.push("Stop")
    page.shows(value="Open")
    # Meanwhile the other worker answers.
    page.open(EXAMPLE)
    page.shows(value="White wins in 19 plies")


def test_a_table_that_cannot_be_fetched_is_fetched_again(new_page):
    page = new_page(service_workers="block")
    fails = [True]
    page.context.route(re.compile(r"\.ltb[wd]$"), lambda route: route.abort() if fails[0] else route.fallback())
    page.open(EXAMPLE)
    page.shows(value="No answer", detail="The table 3-2 cannot be fetched…")
    fails[0] = False
    page.locator("#retry").click()
    page.shows(value="White wins in 19 plies")
    page.wrong.clear()


def test_a_large_table_is_fetched_only_if_the_user_agrees(new_page):
    page = new_page(service_workers="block")
    questions = []

    def large(route):
        response = route.fetch()
        route.fulfill(response=response, headers={**response.headers, "content-length": "12000000"})

    page.context.route(re.compile(r"\.ltbd$"), large)
    page.on("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    page.open(EXAMPLE)
    page.shows(value="Value unknown")
    assert questions == ["The table 3-2 has 12 MB. Fetch it?"]
    page.open(NO_TABLE)
    assert len(questions) == 1


def test_the_site_can_be_installed_and_asks_nobody_else(page):
    page.open(EXAMPLE)
    manifest = page.request.get(f"{page.server.url}site.webmanifest").json()
    assert manifest["start_url"] == "./" and manifest["icons"]
    files = page.request.get(f"{page.server.url}files.json").json()["files"]
    assert {"index.html", "worker.js", "lasca-tb/lasca_tb_bg.wasm", "tables/SHA256SUMS"} <= {file["path"] for file in files}
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "unsafe-inline" not in policy and "default-src 'none'" in policy
