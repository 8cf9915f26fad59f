"""What only a site without a server has: its workers, its tables, and use offline."""

import hashlib
import json
import re
import shutil
import subprocess
import sys

import pytest
from conftest import EXAMPLE, LASKER, ROOT, START, Site
from playwright.sync_api import expect

# As the page's own waits, but for those of the tests.
AT_EASE = "window.pace = 1;"


def kept(page):
    """Waits until the site is kept for the next visit."""
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    page.evaluate("(async () => { while (!(await caches.match('./'))) await new Promise((done) => setTimeout(done, 50)); })()")


@pytest.fixture
def own_site(tmp_path, request):
    """A site of which a test may change the files."""
    folder = tmp_path / "site"
    shutil.copytree(request.config.getoption("--site"), folder)
    site = Site(folder, None)
    site.folder = folder
    yield site
    site.stop()


def release(site, path, text, *, whole=True):
    """Makes another version, in which a file has this text. If it is not whole, the host has another one there."""
    offline = site.folder / "offline.js"
    script = offline.read_text()
    sums = json.loads(re.search(r"const SUMS = (.*);", script)[1])
    sums[path] = hashlib.sha256(text.encode()).hexdigest()
    script = re.sub(r"const SUMS = .*;", lambda _: f"const SUMS = {json.dumps(sums)};", script)
    offline.write_text(re.sub('VERSION = "', 'VERSION = "new', script))
    (site.folder / path).write_text(text if whole else text[: len(text) // 2])


def look_for_a_version(page):
    """Lets the browser look for another version, and waits until it is kept, or has failed."""
    return page.evaluate(
        """async () => {
          const registration = await navigator.serviceWorker.getRegistration();
          const { installing } = await registration.update();
          while (installing?.state === "installing") await new Promise((done) => setTimeout(done, 50));
          return installing?.state;
        }"""
    )


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
    page.search.check()
    expect(page.value).to_have_text(re.compile("White wins"))
    page.search.uncheck()
    expect(page.value).to_have_text(re.compile("White wins"))
    page.open(START)
    page.search.check()
    page.shows(value="Open, estimate for White …")
    page.search.uncheck()
    page.shows(value="Open, estimate for White …")
    expect(page.detail).to_have_text(re.compile("positions"))
    # Meanwhile the other worker answers.
    page.open(EXAMPLE)
    page.shows(value="White wins in 19 plies")


def test_a_table_that_cannot_be_fetched_is_fetched_again(new_page):
    page = new_page(service_workers="block")
    fails = [True]
    page.context.route(re.compile(r"\.ltb[wd]$"), lambda route: route.abort() if fails[0] else route.fallback())
    page.open(EXAMPLE)
    page.shows(value="Value unknown", detail="White to move. The table 3-2 cannot be fetched…")
    # Moves and a search need no table.
    assert page.moves() == [[move, None] for move, _ in page.moves()] != []
    expect(page.search).to_be_visible()
    fails[0] = False
    page.locator("#retry").click()
    page.shows(value="White wins in 19 plies")
    page.wrong.clear()


def test_a_first_visit_that_fails_can_be_tried_again(new_page):
    page = new_page(service_workers="block")
    fails = [True]
    page.context.route(re.compile(r"\.wasm$"), lambda route: route.abort() if fails[0] else route.fallback())
    page.open(EXAMPLE)
    page.shows(value="No answer", detail="The WebAssembly cannot be fetched…")
    fails[0] = False
    page.locator("#retry").click()
    page.shows(value="White wins in 19 plies")
    # Which tables there are, and their endings.
    expect(page.locator("#about-tables")).to_contain_text("3-2")
    expect(page.locator("#endings")).to_be_visible()
    page.wrong.clear()


def test_a_large_table_is_fetched_only_if_the_user_agrees(new_page):
    page = new_page(service_workers="block")
    questions, fetched = [], []

    def large(route):
        response = route.fetch()
        route.fulfill(response=response, body=re.sub(r'"bytes": \d+', '"bytes": 12000000', response.text()))

    page.context.route(re.compile(r"list\.json$"), large)
    page.on("request", lambda request: ".ltb" in request.url and fetched.append(request.url.split("/")[-1]))
    page.on("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    page.open(EXAMPLE)
    page.shows(value="Value unknown", detail="White to move. The table 3-2 is large, and was not fetched. …")
    assert questions == ["The table 3-2 has 12 MB. Fetch it?"]
    page.open("c3WW e3BW a7B w")
    page.shows(value="Value unknown")
    # A search does without it.
    page.search.check()
    page.shows(value="White wins in …")
    page.search.uncheck()
    assert (len(questions), fetched) == (1, [])
    # Who looks for endings is asked again.
    page.push("Find endings")
    expect(page.locator("#endings-told")).to_have_text("The table 3-2 is large, and was not fetched.")
    assert (len(questions), fetched) == (2, [])
    # It can be fetched after all.
    page.open(EXAMPLE)
    page.push("Fetch the table")
    page.shows(value="White wins in 19 plies")
    assert (len(questions), set(fetched)) == (2, {"lasca-3-2.ltbw", "lasca-3-2.ltbd"})


def test_a_worker_that_cannot_be_loaded_is_told_and_loaded_again(new_page):
    page = new_page(service_workers="block")
    fails = [True]
    page.context.route(re.compile("worker.js$"), lambda route: route.abort() if fails[0] else route.fallback())
    page.open(EXAMPLE)
    page.shows(value="No answer", detail="A file of the page cannot be fetched.")
    fails[0] = False
    page.push("Try again")
    page.shows(value="White wins in 19 plies")
    page.wrong.clear()


def test_a_new_version_is_told_and_waits_until_no_page_of_the_one_before_is_open(new_page, own_site):
    page = new_page()
    page.open(EXAMPLE, own_site)
    kept(page)
    page.reload()
    expect(page.locator("#news")).to_be_empty()
    other = page.context.new_page()
    other.goto(own_site.url)
    words = own_site.folder / "words.js"
    release(own_site, "words.js", words.read_text().replace("Open", "Undecided"))
    look_for_a_version(page)
    expect(page.locator("#news")).to_have_text("There is a new version of this page. It opens when no other window shows this page. Reload")
    # An open page has the files of its own version, also those that it has not needed yet.
    fetched = "fetch('words.js').then((file) => file.text())"
    assert all("Undecided" not in window.evaluate(fetched) for window in [page, other])
    page.push("Reload")
    page.reload()
    page.shows(value="White wins in 19 plies")
    assert "Undecided" not in page.evaluate(fetched)
    other.close()
    page.push("Reload")
    expect(page.locator("#news")).to_be_empty()
    page.shows(value="White wins in 19 plies")
    assert "Undecided" in page.evaluate(fetched)


def test_a_version_that_is_half_copied_is_not_kept(new_page, own_site):
    page = new_page()
    page.open(EXAMPLE, own_site)
    kept(page)
    page.reload()
    words = own_site.folder / "words.js"
    text = words.read_text()
    release(own_site, "words.js", f"// New.\n{text}", whole=False)
    assert look_for_a_version(page) == "redundant"
    # The file of the version before is still there, on this visit and the next.
    for _ in range(2):
        page.shows(value="White wins in 19 plies")
        expect(page.locator("#news")).to_be_empty()
        assert page.evaluate("fetch('words.js').then((file) => file.text())") == text
        page.context.set_offline(True)
        page.reload()
    page.context.set_offline(False)
    release(own_site, "words.js", f"// New.\n{text}")
    look_for_a_version(page)
    page.push("Reload")
    page.shows(value="White wins in 19 plies")
    page.was_right()


def test_a_first_visit_while_the_site_is_copied_keeps_nothing(new_page, own_site):
    icon = own_site.folder / "icon.svg"
    text = icon.read_text()
    release(own_site, "icon.svg", text, whole=False)
    page = new_page()
    page.open(EXAMPLE, own_site)
    page.shows(value="White wins in 19 plies")
    page.wait_for_function("navigator.serviceWorker.getRegistration().then((registration) => !registration)")
    assert page.evaluate("caches.keys()") == []
    icon.write_text(text)
    page.reload()
    kept(page)


def test_a_host_may_redirect_from_the_name_of_the_page(new_page, own_site):
    page = new_page()

    def redirected(route):
        route.fulfill(status=301, headers={"Location": own_site.url}) if route.request.url.endswith("/index.html") else route.fallback()

    page.context.route("**/*", redirected)
    page.goto(f"{own_site.url}index.html")
    page.settled()
    kept(page)
    for address in ["index.html", "index.html?position=b2B+d2W+a7W+w", "?position=b2B+d2W+a7W+w"]:
        page.goto(own_site.url + address)
        page.settled()
    page.shows(value="White wins in 5 plies")


def test_a_browser_that_refuses_storage_still_asks_for_large_tables(new_page):
    page = new_page(service_workers="block")
    questions = []

    def large(route):
        response = route.fetch()
        route.fulfill(response=response, body=re.sub(r'"bytes": \d+', '"bytes": 12000000', response.text()))

    def refusing(route):
        response = route.fetch()
        refuse = "caches.match = async () => { throw new DOMException('storage is off', 'SecurityError'); };"
        # Modules are read before any line of their own.
        route.fulfill(response=response, body=f"{response.text()}\n{refuse}")

    page.context.route(re.compile(r"list\.json$"), large)
    page.context.route(re.compile(r"worker\.js$"), refusing)
    page.on("dialog", lambda dialog: (questions.append(dialog.message), dialog.accept()))
    page.open(EXAMPLE)
    page.shows(value="White wins in 19 plies")
    assert questions == ["The table 3-2 has 12 MB. Fetch it?"]


@pytest.mark.parametrize(
    "script, detail",
    [
        ("delete globalThis.WebAssembly;", "There is no WebAssembly here: this browser is too old, or has it switched off."),
        ("WebAssembly.validate = () => false;", "The WebAssembly of this browser has no vectors (simd128): a newer browser is needed."),
    ],
)
def test_a_browser_without_the_webassembly_that_is_needed_is_told(new_page, script, detail):
    page = new_page(service_workers="block")

    def lacking(route):
        response = route.fetch()
        route.fulfill(response=response, body=f"{response.text()}\n{script}")

    page.context.route(re.compile(r"worker\.js$"), lacking)
    page.open(EXAMPLE)
    page.shows(value="No answer", detail=detail)
    page.wrong.clear()


@pytest.mark.parametrize(
    "policy, detail",
    [
        ("script-src 'self'", "The policy of the host (Content-Security-Policy) forbids WebAssembly: its script-src needs 'wasm-unsafe-eval'."),
        ("worker-src 'none'", "The policy of the host (Content-Security-Policy) forbids the workers of the page: its worker-src needs 'self'."),
    ],
)
def test_a_policy_of_the_host_that_forbids_too_much_is_named(new_page, policy, detail):
    page = new_page(service_workers="block")

    def with_policy(route):
        response = route.fetch()
        route.fulfill(response=response, headers={**response.headers, "content-security-policy": policy})

    page.context.route(re.compile(r"/(\?.*|worker\.js)?$"), with_policy)
    page.open(EXAMPLE)
    page.shows(value="No answer", detail=detail)
    page.wrong.clear()


def test_how_much_of_a_table_has_come_is_shown(new_page):
    page = new_page(service_workers="block")
    # A table that comes slowly.
    page.add_init_script(
        """const { Worker: Own } = globalThis;
        globalThis.Worker = class extends Own {
          postMessage(message) {
            super.postMessage(message);
            const fetching = { material: "3-2", bytes: 1234567, of: 7654321 };
            if (message.what === "known") setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data: { fetching } })));
          }
        };"""
    )
    held, waits = [], [True]
    page.context.route(re.compile(r"3-2\.ltb[wd]$"), lambda route: held.append(route) if waits[0] else route.fallback())
    page.goto(f"{page.server.url}?position={EXAMPLE.replace(' ', '+')}")
    expect(page.detail).to_have_text("The table 3-2 is being fetched: 1.2 of 7.7 MB.")
    waits[0] = False
    for route in held:
        route.fallback()
    page.shows(value="White wins in 19 plies")


def test_the_site_can_be_installed_and_asks_nobody_else(page):
    page.open(EXAMPLE)
    manifest = page.request.get(f"{page.server.url}site.webmanifest").json()
    assert manifest["start_url"] == "./" and manifest["icons"]
    files = page.request.get(f"{page.server.url}files.json").json()["files"]
    assert {"index.html", "worker.js", "lasca-tb/lasca_tb_bg.wasm", "tables/SHA256SUMS"} <= {file["path"] for file in files}
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "unsafe-inline" not in policy and "default-src 'none'" in policy


def test_caches_have_the_address_of_the_site(new_page):
    page = new_page()
    page.open(EXAMPLE)
    kept(page)
    names = page.evaluate("caches.keys()")
    assert names and all(page.server.url in name for name in names)


def test_a_site_has_the_tables_that_are_listed_and_keeps_small_ones(tmp_path, request):
    tables, out = tmp_path / "tables", tmp_path / "site"
    tables.mkdir()
    for name in ["lasca-1-1.ltbw", "lasca-5-1.ltbd", "lasca-4-3.ltbw", "lasca-11-11.ltbw", "bignor-1-1.ltbw", "notes.txt"]:
        (tables / name).write_bytes(name.ljust(14).encode()[:14] + bytes([3 * ("11-11" in name), 0]))

    def write(listed):
        (tables / "SHA256SUMS").write_text(listed)
        package = request.config.getoption("--site") / "lasca-tb"
        # Its own tables are those of the source.
        shutil.copytree(package, tmp_path / "package", dirs_exist_ok=True)
        (tmp_path / "package/tables").mkdir(exist_ok=True)
        shutil.rmtree(out, ignore_errors=True)
        command = [sys.executable, "-B", ROOT / "tools/site", "--out", out, "--package", tmp_path / "package", "--tables", tables]
        return subprocess.run(command, capture_output=True, text=True)

    assert write("").returncode == 0
    assert sorted(path.name for path in (out / "tables").iterdir()) == ["SHA256SUMS", "lasca-1-1.ltbw", "lasca-11-11.ltbw", "lasca-4-3.ltbw", "lasca-5-1.ltbd", "list.json"]
    listed = [json.loads(line) for line in (out / "tables/list.json").read_text().splitlines()]
    assert [(table["material"], table.get("max_columns"), table["distances"]) for table in listed] == [("1-1", None, False), ("11-11", 3, False), ("4-3", None, False)]
    kept_files = re.search(r"const FILES = (.*);", (out / "offline.js").read_text())[1]
    assert [path for path in json.loads(kept_files) if "tables/lasca" in path] == ["tables/lasca-1-1.ltbw", "tables/lasca-5-1.ltbd"]
    assert "is not the file that SHA256SUMS names" in write(f"{'0' * 64}  lasca-1-1.ltbw\n").stderr
    assert "which is not there" in write(f"{'0' * 64}  lasca-2-1.ltbw\n").stderr


def test_a_table_is_made_in_the_browser_and_kept_for_the_next_visit(new_page):
    page = new_page()
    fetched = []
    page.context.on("request", lambda request: "maker_bg.wasm" in request.url and fetched.append(request.url))
    page.open(EXAMPLE)
    kept(page)
    assert fetched == []
    # From the second visit on, what is fetched is kept.
    page.goto(page.url)
    # It takes so little time that it is made at once.
    for position in ["a1WWW c1W b6BBBB w", "a1WWWWWWWWWWW c3BBBBBBBBBBB w"]:
        page.open(position)
        expect(page.value).not_to_have_text(re.compile("unknown|Making|Fetching|^$"))
        assert {value for _, value in page.moves()} != {None}
    assert fetched
    page.context.set_offline(True)
    page.goto(f"{page.server.url}?position=a1WWW+c1W+b6BBBB+w")
    page.settled()
    expect(page.value).not_to_have_text("Value unknown")
    # Another one is made offline.
    page.open("a1WWWWWW b6BBBBBB w")
    expect(page.value).not_to_have_text(re.compile("unknown|Making|Fetching|^$"))
    page.wrong.clear()


def test_making_a_table_is_offered_if_it_takes_longer_and_stops_when_the_user_goes_on(new_page):
    page = new_page()
    page.open("a1W c1W e1W g1W a7B c7B e7B g7B w")
    page.shows(value="Value unknown")
    offer = page.locator("#make")
    expect(offer).to_have_text(re.compile(r"^Make it here \(about [0-9]+ s\)$"))
    offer.click()
    page.shows(value="Making the table…", detail="The table 4-4 is being made: …")
    expect(offer).to_be_hidden()
    page.open(EXAMPLE)
    page.shows(value="White wins in 19 plies")
    # What would take too much memory is not offered.
    page.open("a1W c1W e1W g1W b2W a7B c7B e7B g7B b6B w")
    page.shows(value="Value unknown")
    expect(offer).to_be_hidden()
