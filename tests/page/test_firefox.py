"""The site without a server in a second browser: the Firefox of the system, such as Debian's package `firefox-esr`.

Playwright cannot drive it, so this speaks WebDriver BiDi, a protocol of browsers: commands in JSON over a WebSocket.
"""

import functools
import http.server
import itertools
import json
import os
import shutil
import subprocess
import threading
import time

import pytest
from conftest import LASKER, Site
from websockets.sync.client import connect

# How long the browser and the page may take, in seconds.
PATIENCE = 20
ARROW_LEFT, HOME = "\ue012", "\ue011"


class Firefox:
    """A window of a browser."""

    def __init__(self, socket):
        self.socket, self.numbers = socket, itertools.count()
        self.do("session.new", capabilities={})
        # The first window opens a page of the browser by itself.
        self.window = self.do("browsingContext.create", type="tab")["context"]

    def do(self, method, **params):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self.socket.recv(timeout=2 * PATIENCE))).get("id") != number:
            pass
        assert answer["type"] == "success", answer
        return answer["result"]

    def open(self, address):
        self.do("browsingContext.navigate", context=self.window, url=address, wait="complete")

    def evaluate(self, expression):
        """What the page makes of an expression: a text, a truth value, or nothing."""
        answer = self.do("script.evaluate", expression=expression, target={"context": self.window}, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    def wait(self, condition):
        """Waits until a condition is true. For a moment, a window that goes to an address may still have no page."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(f"Promise.resolve({condition}).then(Boolean)"):
            if time.monotonic() > end:
                shown = self.evaluate("document.body.innerText")
                pytest.fail(f"{condition} does not become true; the page shows:\n{shown}")
            time.sleep(0.02)

    def shows(self, name, text):
        self.wait(f"document.querySelector('#{name}')?.textContent.match({json.dumps(text)})")

    def at(self, selector):
        """The middle of an element, in view."""
        place = "const { x, y, width, height } = element.getBoundingClientRect(); return [x + width / 2, y + height / 2].map(Math.round).join()"
        at = self.evaluate(f"((element) => {{ element.scrollIntoView({{ block: 'center' }}); {place}; }})(document.querySelector({json.dumps(selector)}))")
        return dict(zip("xy", map(int, at.split(","))))

    def click(self, selector):
        steps = [{"type": "pointerMove", **self.at(selector)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.do("input.performActions", context=self.window, actions=[{"type": "pointer", "id": "mouse", "actions": steps}])

    def turn_wheel(self, selector, pixels):
        steps = [{"type": "scroll", **self.at(selector), "deltaX": 0, "deltaY": pixels}]
        self.do("input.performActions", context=self.window, actions=[{"type": "wheel", "id": "wheel", "actions": steps}])

    def press(self, key):
        steps = [{"type": kind, "value": key} for kind in ["keyDown", "keyUp"]]
        self.do("input.performActions", context=self.window, actions=[{"type": "key", "id": "keys", "actions": steps}])


@pytest.fixture
def firefox(tmp_path):
    program = next(filter(None, map(shutil.which, ["firefox-esr", "firefox"])), None)
    if not program:
        (pytest.fail if os.environ.get("LASCA_STRICT") else pytest.skip)("there is no firefox; install the package firefox-esr")
    command = [program, "--headless", "--remote-debugging-port=0", "--profile", tmp_path]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # The browser writes its address into the folder of its profile.
        told, end = tmp_path / "WebDriverBiDiServer.json", time.monotonic() + PATIENCE
        while not (told.exists() and told.read_text()):
            assert time.monotonic() < end and process.poll() is None, "firefox does not start"
            time.sleep(0.05)
        address = json.loads(told.read_text())
        with connect(f"ws://{address['ws_host']}:{address['ws_port']}/session", max_size=None) as socket:
            yield Firefox(socket)
    finally:
        process.kill()
        process.wait()


def test_the_site_answers_plays_searches_makes_tables_and_works_offline_in_firefox(firefox, request):
    site = Site(request.config.getoption("--site").resolve(), None)
    try:
        firefox.open(f"{site.url}?position=b2B+d2W+a7W+w")
        firefox.shows("value", "^White wins in 5 plies$")
        firefox.click("[data-square=a7]")
        firefox.click("[data-square=b6]")
        firefox.shows("value", "^Black loses in 4 plies$")
        assert firefox.evaluate("document.querySelector('#position').value") == "b2B d2W b6W b"
        # The arrows step, as the square that was pressed has no frame.
        firefox.press(ARROW_LEFT)
        firefox.shows("value", "^White wins in 5 plies$")
        firefox.open(f"{site.url}?position={LASKER.replace(' ', '+')}")
        # The search is on at first.
        firefox.shows("value", "^White wins")
        firefox.open(f"{site.url}?position=start")
        firefox.shows("value", "^Open, estimate for White ")
        firefox.shows("best-head", "guesses of the search")
        firefox.click("#search")
        firefox.shows("detail", "[1-9][0-9,]* positions searched")
        firefox.open(f"{site.url}?position=start")
        firefox.shows("value", "^Value unknown$")
        firefox.open(f"{site.url}?position=a1WWWWWWWWWWW+c3BBBBBBBBBBB+w")
        firefox.shows("value", "^(Drawn|(White|Black) (wins|loses) in [0-9]+ plies)$")
        firefox.wait("navigator.serviceWorker.controller && caches.match('./')")
    finally:
        site.stop()
    firefox.open(f"{site.url}?position=c3WW+e3BW+b6B+w")
    firefox.shows("value", "^White wins in 19 plies$")


def test_words_keys_the_wheel_and_statistics_work_in_firefox(firefox, request):
    site = Site(request.config.getoption("--site").resolve(), None)
    try:
        firefox.open(f"{site.url}?position=c3WW+e3BW+b6B+w#moves=c3-b4.b6-a5%3F%21&title=One&c2=Mine")
        firefox.shows("game-title", "^One$")
        firefox.shows("record", "b6-a5[?]! Mine")
        firefox.press(HOME)
        firefox.shows("value", "^White wins in 19 plies$")
        firefox.turn_wheel(".frame", 100)
        firefox.shows("value", "^Black loses in 18 plies$")
        firefox.click("#words summary")
        firefox.click("#comment")
        for key in "f?":
            firefox.press(key)
        firefox.shows("record", "c3-b4! f[?] 1… b6-a5")
        firefox.wait("location.hash.includes('c1=f%3F')")
        # The session keeps what was written.
        firefox.do("browsingContext.reload", context=firefox.window, wait="complete")
        firefox.shows("record", "c3-b4! f[?]")
        firefox.wait("document.querySelector('#about-tables a')")
        firefox.click("#about-tables a:last-child")
        firefox.shows("statistics-of", "^Statistics of 3-3$")
        firefox.shows("counts-of", "89 plies")
    finally:
        site.stop()


def test_a_policy_of_the_host_that_forbids_too_much_is_named_in_firefox(firefox, request):
    policies = {
        "script-src 'self'": "^The policy of the host .* forbids WebAssembly: its script-src needs 'wasm-unsafe-eval'",
        "worker-src 'none'": "^The policy of the host .* forbids the workers of the page: its worker-src needs 'self'",
    }
    policy = None

    class Host(http.server.SimpleHTTPRequestHandler):
        def end_headers(self):
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_):
            pass

    host = functools.partial(Host, directory=request.config.getoption("--site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for policy, why in policies.items():
            # Another name is another site, which has kept nothing.
            name = "localhost" if "worker" in policy else "127.0.0.1"
            firefox.open(f"http://{name}:{server.server_address[1]}/?position=b2B+d2W+a7W+w")
            firefox.shows("detail", why)
        server.shutdown()
