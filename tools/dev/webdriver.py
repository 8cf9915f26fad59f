"""A small WebDriver client: as much of the protocol as the test of the page needs.

Starts chromedriver on a free port, and Chromium without a window.
"""

import base64
import json
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

KEYS = {
    "Enter": "\ue007", "Escape": "\ue00c", "Delete": "\ue017", "Shift": "\ue008", "Tab": "\ue004",
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
}


class Failed(Exception):
    """What the driver says is wrong."""


class Browser:
    """A browser of its own, with an empty profile. To be used in a `with` statement."""

    def __init__(self, driver="chromedriver", chromium=None):
        self.profile = tempfile.TemporaryDirectory(prefix="lasca-page-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        port = None
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                port = int(found[1])
                break
        if port is None:
            raise Failed(f"{driver} did not start")
        self.base = f"http://127.0.0.1:{port}"
        options = {
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-quic", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                f"--user-data-dir={self.profile.name}",
            ]
        }
        if chromium:
            options["binary"] = chromium
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        try:
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        except BaseException:
            self.process.kill()
            raise
        self.base += f"/session/{answer['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
            self.profile.cleanup()

    def call(self, method, path, body=None):
        data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Failed(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def url(self):
        return self.call("GET", "/url")

    def title(self):
        return self.call("GET", "/title")

    def back(self):
        self.call("POST", "/back")

    def forward(self):
        self.call("POST", "/forward")

    def run(self, script, *args):
        """Runs a function's body in the page and returns what it returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def cdp(self, command, **params):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        # The page may draw the element anew between finding it and clicking it.
        for attempt in range(5):
            try:
                return self.call("POST", f"/element/{self.find(selector)}/click")
            except Failed as error:
                if attempt == 4 or "stale element" not in str(error):
                    raise

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent", selector)

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def clear(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/clear")

    def press(self, *names, shift=False):
        """Presses keys one after the other on what has the focus."""
        actions = []
        if shift:
            actions.append({"type": "keyDown", "value": KEYS["Shift"]})
        for name in names:
            value = KEYS.get(name, name)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        if shift:
            actions.append({"type": "keyUp", "value": KEYS["Shift"]})
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def tap(self, *points, pointer="mouse"):
        """Presses points of the view one after the other, whatever is there."""
        actions = []
        for x, y in points:
            actions += [
                {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": x, "y": y},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0},
            ]
        self.point(pointer, actions)

    def move_to(self, x, y):
        """Moves the mouse to a point of the view."""
        action = {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": x, "y": y}
        self.point("mouse", [action])

    def point(self, pointer, actions):
        source = {"type": "pointer", "id": pointer, "parameters": {"pointerType": pointer}}
        self.call("POST", "/actions", {"actions": [{**source, "actions": actions}]})

    def drag(self, start, end, pointer="mouse"):
        """Drags from one element to another, or to a point of the view."""
        def origin(place):
            if isinstance(place, str):
                return {"origin": {ELEMENT: self.find(place)}, "x": 0, "y": 0}
            return {"origin": "viewport", "x": place[0], "y": place[1]}
        actions = [
            {"type": "pointerMove", "duration": 0, **origin(start)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 50, "origin": "pointer", "x": 9, "y": 9},
            {"type": "pointerMove", "duration": 100, **origin(end)},
            {"type": "pointerUp", "button": 0},
        ]
        self.point(pointer, actions)
        self.call("DELETE", "/actions")

    def view(self, width, height, dark=False, touch=False, scale=1):
        """Sets the size of the view, its colours, and whether it is touched."""
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=scale, mobile=touch,
        )
        self.cdp("Emulation.setTouchEmulationEnabled", enabled=touch)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, path, whole=False):
        data = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def wait(self, what, condition, seconds=20):
        """Waits until a condition holds; says what was waited for if it does not."""
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise Failed(f"waited in vain: {what}")
            time.sleep(0.03)
