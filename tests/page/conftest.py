"""The page of `lasca-tb serve` in Chromium, as its user sees it.

    pip install playwright pytest                       with --site, websockets too
    pytest tests/page                                   tests target/debug/lasca-tb; build it first
    pytest tests/page --program target/release/lasca-tb
    pytest tests/page --pictures DIR                    also takes pictures, to be looked at
    pytest tests/page --site DIR                        tests the site without a server that tools/site has written

Uses the Chromium of the system, and for a site its Firefox too. Playwright's own browsers are not needed. With Debian's
package `chromium-headless-shell`, the tests take about two thirds of the time that they take with `chromium`.
"""

import atexit
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The tables that come with the source, and no others that somebody has made in the same folder.
TABLES = pathlib.Path(tempfile.mkdtemp(prefix="lasca-tables-"))
atexit.register(shutil.rmtree, TABLES, ignore_errors=True)
for line in (ROOT / "tables/SHA256SUMS").read_text().splitlines():
    shutil.copy(ROOT / "tables" / line.split()[1], TABLES)

# All moves but one give the win away; columns of both kinds.
EXAMPLE = "c3WW e3BW b6B w"
WIN_IN_5 = "b2B d2W a7W w"
DRAW = "d2W f2B d4W f4B b"
# Two takes, each around and back to c3; no table has it.
RING = "c3W b4BB d4BB b6BB d6BB w"
REPEATED = "a1W g1W a7B g7B w"
NO_TABLE = "a1WWWWWW c3B e3B g3B a7B c7B e7B w"
# Soldiers and officers; White wins.
LASKER = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w"
START = "a1w c1w e1w g1w b2w d2w f2w a3w c3w e3w g3w a5b c5b e5b g5b b6b d6b f6b a7b c7b e7b g7b w"

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LANDSCAPE = {**PHONE, "viewport": {"width": 844, "height": 390}}

expect.set_options(timeout=20_000)


def pytest_addoption(parser):
    parser.addoption("--program", default=ROOT / "target/debug/lasca-tb", help="the program lasca-tb")
    parser.addoption("--site", type=pathlib.Path, metavar="DIR", help="test the site in this folder")
    parser.addoption("--pictures", metavar="DIR", help="take pictures into this folder")


def pytest_configure(config):
    config.addinivalue_line("markers", "server: about the server itself, which a site has not")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--site"):
        items[:] = [item for item in items if not item.get_closest_marker("server")]


def pytest_ignore_collect(collection_path, config):
    option = {"test_pictures.py": "--pictures", "test_site.py": "--site", "test_firefox.py": "--site"}.get(collection_path.name)
    return bool(option and not config.getoption(option)) or None


class Server:
    """`lasca-tb serve` with the tables that come with the source."""

    is_site = False

    def __init__(self, program, *options, port=0, tables=TABLES, make=0):
        command = [program, "serve", "--addr", f"127.0.0.1:{port}", "--tables", tables, "--make", str(make), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()
        self.port = urllib.parse.urlsplit(self.url).port

    @functools.lru_cache(maxsize=None)
    def ask(self, path, **query):
        with urllib.request.urlopen(f"{self.url}{path}?{urllib.parse.urlencode(query)}") as answer:
            return json.load(answer)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Site:
    """The folder of a site, in a folder of a plain file server. Another server tells what the answers are."""

    is_site = True

    def __init__(self, folder, server):
        self.server = server
        command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder.parent]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        port = re.search(r"port (\d+)", self.process.stdout.readline())[1]
        self.url = f"http://127.0.0.1:{port}/{folder.name}/"

    def ask(self, path, **query):
        return self.server.ask(path, **query)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Page:
    """What the tests do with a page again and again; for all else, it is a page of Playwright."""

    def __init__(self, page, server):
        self.page, self.server, self.wrong = page, server, []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda said: said.type == "error" and self.wrong.append(said.text))
        page.on("request", lambda asked: re.match(r"http://127\.0\.0\.1:|blob:|data:", asked.url) or self.wrong.append(asked.url))
        for name in ["value", "detail", "live", "goal", "told", "tally", "verdict", "practice", "position", "auto", "inspector"]:
            setattr(self, name, page.locator(f"#{name}"))
        self.search = page.get_by_role("switch", name="Search")
        self.head = page.locator("#moves-head")
        self.record = page.locator("#record button")
        self.first_move = page.locator("#moves button").first
        self.best_line = page.locator("#best-line button")

    def __getattr__(self, name):
        return getattr(self.page, name)

    def was_right(self):
        """Nothing went wrong, and nobody but the server was asked. A position without an answer is an error to the browser."""
        wrong = [wrong for wrong in self.wrong if not re.search("status of (40[04]|503)", wrong)]
        self.wrong.clear()
        assert wrong == []

    def open(self, position=None, server=None, **query):
        query = {**({"position": position} if position else {}), **query}
        server = server or self.server
        address = server.url + (f"?{urllib.parse.urlencode(query)}" if query else "")
        if self.url.startswith(server.url):
            # Loading the page again would take ten times as long.
            self.evaluate("(address) => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')); }", address)
        else:
            self.goto(address)
        if position and "practice" not in query:
            self.settled()

    def settled(self):
        """Waits until the answer is shown."""
        expect(self.verdict).not_to_contain_class("busy")
        expect(self.value).not_to_be_empty()

    def is_at(self, position):
        """The position in the field, on the board, and of the side to move."""
        expect(self.position).to_have_value(position)
        self.settled()
        *columns, side = position.split()
        heights = self.evaluate("[...document.querySelectorAll('.taken')].map((s) => [s.dataset.square, s.querySelectorAll('.side').length])")
        assert dict(heights) == {column[:2]: len(column) - 2 for column in columns}
        expect(self.locator(f"input[name=side][value={side}]")).to_be_checked()

    def label(self, square):
        return self.square(square).get_attribute("aria-label")

    def moves(self):
        """The moves in the list with their values, if there are any."""
        return self.evaluate(
            "[...document.querySelectorAll('#moves li')].map((li) => [li.dataset.move, li.querySelector('.pill')?.textContent ?? null])"
        )

    def rated(self, **query):
        """The server's moves of the position shown, best first."""
        return self.server.ask("probe", position=self.position.input_value())["moves"]

    def has_played(self, moves):
        """The moves of the record, whatever marks they have."""
        expect(self.record).to_have_text([re.compile(f"^{re.escape(move.rstrip('!?'))}[!?]*$") for move in moves])

    def shows(self, **texts):
        """What these elements show. More may come before a text that begins with "…", and after one that ends so."""
        for name, text in texts.items():
            start, end = "" if text[0] == "…" else "^", "" if text[-1] == "…" else "\\s*$"
            expect(getattr(self, name)).to_have_text(re.compile(start + re.escape(text.strip("…")) + end))

    def square(self, name):
        return self.locator(f"[data-square={name}]")

    def press(self, *squares):
        for square in squares:
            self.square(square).click()

    def press_for_long(self, target, **where):
        """Presses the mouse, and releases it when the page has shown all anew meanwhile."""
        target.hover(**where)
        self.mouse.down()
        self.evaluate("dispatchEvent(new PopStateEvent('popstate', { state: history.state }))")
        self.settled()
        self.mouse.up()

    def choose(self, *names):
        for name in names:
            self.get_by_role("radio", name=name, exact=True).check()

    def button(self, name):
        return self.get_by_role("button", name=name, exact=True)

    def push(self, *names):
        for name in names:
            self.button(name).click()

    def keys(self, *keys, at=None):
        if at:
            self.square(at).focus()
        for key in keys:
            self.keyboard.press(key)

    def look_up(self, text):
        self.position.fill(text)
        self.position.press("Enter")

    def practise(self, position, side=None):
        """Begins practice, and waits for the user's turn."""
        self.open(position, **({"practice": side} if side else {}))
        if not side:
            self.locator("#practise").click()
        self.my_turn()

    def my_turn(self):
        """Waits until the user is to move in practice, or the game is over. Returns whether it goes on."""
        expect(self.locator("#practice[aria-busy=false]")).to_have_text(re.compile("Your move.|Leave practice to see"))
        return "Your move." in self.told.inner_text()

    def move(self, index):
        """Plays the move with this place among the server's, best first. Returns its name."""
        move = self.rated()[index]["move"]
        self.locator(f"[data-move='{move}'] button").dispatch_event("click")
        return move

    def play_on(self, index):
        """Plays such moves until the game is over."""
        while self.my_turn():
            self.move(index)

    def catch(self, address):
        """Holds back requests to this address. What is returned waits for the first that is held, and gives its route."""
        held = []
        self.route(address, lambda route: held.append(route))

        def first():
            for _ in range(2000):
                if held:
                    return held.pop(0)
                self.wait_for_timeout(10)
            raise AssertionError(f"there is no request to {address}")

        return first

    def price(self, seconds):
        """Lets each table that can be made take so long by plan. Returns the plans that the server tells."""
        plans = []

        def answer(route):
            response = route.fetch()
            told = response.json()
            if "missing" in told:
                plans.append(told["missing"]["make"])
                told["missing"]["make"] = {**plans[-1], "seconds": seconds}
            route.fulfill(response=response, json=told)

        self.route("**/known?*", answer)
        return plans

    def hold(self):
        """Holds back the server's answers until what is returned is called."""
        held, questions = [], re.compile(r"\?")
        self.route(questions, lambda route: route.fallback() if held is None else held.append(route))

        def release():
            nonlocal held
            routes, held = held, None
            for route in routes:
                route.fallback()

        return release


@pytest.fixture(scope="session")
def browser():
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    program = next(filter(None, map(shutil.which, names)), None)
    assert program, "there is no chromium; install the package chromium-headless-shell"
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=program)


@pytest.fixture(scope="session")
def server(request):
    program, folder = map(request.config.getoption, ["--program", "--site"])
    servers = [Server(program, tables=folder / "tables" if folder else TABLES)]
    if folder:
        servers.append(Site(folder.resolve(), servers[0]))
    yield servers[-1]
    for server in servers:
        server.stop()


@pytest.fixture
def serve(request):
    """Starts further servers."""
    servers = []

    def serve(*options, **more):
        servers.append(Server(request.config.getoption("--program"), *options, **more))
        return servers[-1]

    yield serve
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def open_page(browser, server):
    """Opens pages in contexts of their own."""

    def open_page(search="off", **options):
        context = browser.new_context(**{**DESKTOP, "reduced_motion": "reduce", **options})
        # All waits of the page are shorter, as far as `pace` says.
        context.add_init_script("""
            window.pace = 0.02;
            const wait = window.setTimeout;
            window.setTimeout = (act, time = 0, ...more) => wait(act, time * pace, ...more);
        """)
        # Most tests are about positions as they are without a search. With None, it is as the page has it at first.
        if search:
            context.add_init_script(f"try {{ localStorage['lasca search'] ??= '{search}'; }} catch {{ /* about:blank has none */ }}")
        return Page(context.new_page(), server)

    return open_page


@pytest.fixture(scope="session")
def desktop(open_page):
    return open_page()


@pytest.fixture
def page(desktop, serve):
    """A page on a desktop. It is loaded again for each test, but the window is the same, which saves much time."""
    yield desktop
    desktop.unroute_all()
    desktop.was_right()
    desktop.evaluate("location.protocol === 'about:' || localStorage.clear()")
    desktop.goto("about:blank")


@pytest.fixture
def new_page(open_page, serve):
    """Opens pages that are not on a desktop, or that are changed for good."""
    pages = []

    def new_page(**options):
        pages.append(open_page(**options))
        return pages[-1]

    yield new_page
    for page in pages:
        page.was_right()
        page.context.close()
