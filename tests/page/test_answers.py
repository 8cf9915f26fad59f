"""What the page tells about a position: values, moves, best play, searches, and why there is no answer."""

import json
import re
import urllib.parse

import pytest
from conftest import DRAW, EXAMPLE, LASKER, NO_TABLE, PHONE, REPEATED, ROOT, START, WIN_IN_5
from playwright.sync_api import expect


def test_the_value_and_every_move_are_shown_best_first(page):
    page.open(EXAMPLE)
    page.shows(value="White wins in 19 plies")
    expect(page.locator("#verdict.win")).to_be_visible()
    words = {"win": "wins in {dtw}", "draw": "draws", "loss": "loses in {dtw}"}
    rated = page.rated()
    assert page.moves() == [[move["move"], words[move["wdl"]].format(**move)] for move in rated]
    assert [move["wdl"] for move in rated] == ["win", "draw", "loss", "loss"]
    expect(page.locator("#moves li").first.locator(".standing")).to_have_text("only move")
    line = page.server.ask("explain", position=EXAMPLE)["moves"][0]
    expect(page.best_line).to_have_text([line["move"]] + [move["move"] for move in line["line"]])
    expect(page.page).to_have_title(re.compile("White wins in 19 plies"))
    page.open(DRAW)
    expect(page.locator("#moves .standing")).to_have_text(["only move"])


def test_an_example_comes_first_and_the_end_of_a_game_is_known(page):
    page.open()
    page.is_at(EXAMPLE)
    for position, value, detail in [
        ("a1W b2B c3B w", "White has lost: Black wins", "White to move. White cannot move."),
        ("a1WB b", "Black has lost: White wins", "Black to move. Black commands no column."),
        ("a1WB w", "White has won", "White to move. The other side commands no column."),
    ]:
        page.open(position)
        expect(page.value).to_have_text(value)
        expect(page.detail).to_have_text(detail)
        assert page.moves() == []
        expect(page.locator("#moves-head")).to_have_text("No moves")
    page.open(REPEATED)
    page.shows(value="Drawn")


def test_a_press_on_a_move_plays_it_and_back_and_forward_step(page):
    page.open(EXAMPLE)
    positions = [EXAMPLE]
    for count in [1, 2, 3]:
        page.first_move.click()
        expect(page.record).to_have_count(count)
        page.settled()
        positions.append(page.position.input_value())
        page.is_at(positions[-1])
    for name, at in [("Step back", 2), ("To the beginning", 0), ("Step forward", 1), ("To the end", 3)]:
        page.push(name)
        page.is_at(positions[at])
    page.record.nth(1).click()
    page.is_at(positions[2])
    # The browser's own steps go where we were, and so does a page that is loaded again.
    for step, at in [(page.go_back, 3), (page.go_back, 1), (page.go_forward, 3), (page.reload, 3)]:
        step()
        page.is_at(positions[at])
    expect(page.record).to_have_count(3)
    # Another move from the middle begins a variation.
    page.record.first.click()
    page.is_at(positions[1])
    page.locator("#moves button").last.click()
    expect(page.record).to_have_count(4)
    expect(page.locator("#record .variation button")).to_have_attribute("aria-current", "step")


def test_a_press_counts_if_the_same_is_shown_again_while_it_lasts(page):
    page.open(EXAMPLE)
    line = page.best_line.all_inner_texts()
    page.press_for_long(page.first_move)
    page.has_played(line[:1])
    page.settled()
    page.press_for_long(page.best_line.nth(1))
    page.has_played(line[:3])
    page.settled()
    page.press_for_long(page.record.first)
    expect(page.locator("#record [aria-current]")).to_have_text(page.record.first.inner_text())


def test_keys_go_on_where_a_list_is_replaced(page):
    page.open(EXAMPLE)
    for button in [page.first_move, page.best_line.first, page.record.first, page.button("To the end")]:
        button.focus()
        page.keys("Enter")
        page.settled()
        assert page.evaluate("document.activeElement.matches('button')")
    page.has_played(["c3-b4", "b6-a5"])


def test_the_best_line_plays_by_itself(new_page):
    page = new_page()
    page.open(WIN_IN_5)
    page.auto.click()
    page.shows(value="Black has lost: White wins")
    expect(page.record).to_have_count(5)
    page.shows(auto="Play the best line")
    # All of it is one step of the browser.
    page.go_back()
    page.is_at(WIN_IN_5)
    page.open(REPEATED)
    page.auto.click()
    page.shows(live="…is repeated…", auto="Play the best line")
    page.open(EXAMPLE)
    page.clock.install()
    page.auto.click()
    expect(page.record).to_have_count(2)
    page.auto.click()
    page.clock.run_for(10_000)
    expect(page.record).to_have_count(2)


@pytest.mark.server
def test_a_server_that_can_make_the_table_is_asked_to(page):
    plan = {"material": "3-2", "columns": 3, "positions": 10_000_000, "seconds": 3.1, "memory": 20_000_000}
    answer = page.server.ask("known", position=EXAMPLE)
    moves = [{key: move[key] for key in ["move", "position"]} for move in answer["moves"]]
    missing = {"error": "there is no table", "reason": "not_covered", "material": "3-2", "columns": 3, "make": plan}
    asked, lines = [], ['{"done":0.42}', '{"error":"there is not enough memory","reason":"no_memory"}']

    def known(route):
        is_made = len(asked) == 2
        route.fulfill(json=answer if is_made else {"position": EXAMPLE, "moves": moves, "missing": missing})

    def make(route):
        asked.append(route.request.method)
        route.fulfill(body="\n".join(lines) + "\n")

    page.route(re.compile(r"/known\?"), known)
    page.route(re.compile(r"/make\?"), make)
    page.open(EXAMPLE)
    page.shows(value="Value unknown", detail="White to move. There is no table.…")
    page.push("Make it (about 4 s)")
    page.shows(value="No answer", detail="There is not enough memory.")
    page.push("Try again")
    lines[1] = json.dumps(answer)
    page.push("Make it (about 4 s)")
    page.shows(value="White wins in 19 plies")
    # What takes no time is made without being asked for.
    page.open(WIN_IN_5)
    asked.clear()
    plan["seconds"] = 0.1
    asked.append("nothing yet")
    page.open(EXAMPLE)
    page.shows(value="White wins in 19 plies")
    assert asked == ["nothing yet", "POST"]


def test_what_has_no_value_says_why(page):
    page.open(NO_TABLE)
    page.shows(value="Value unknown")
    page.shows(detail="White to move. The table of 6-6 under lasca rules is missing from this …")
    page.shows(detail="… Switch Search on to search it.")
    assert page.moves() == [["a1-b2", None]]
    page.locator("#moves button").click()
    expect(page.record).to_have_count(1)
    page.look_up("a1W h8B w")
    expect(page.get_by_role("alert")).to_contain_text("h8")
    page.shows(detail="The text of the position cannot be read.")
    # Row form and square numbers are read too; the list form is shown.
    page.look_up("1W 5B, White to move")
    page.is_at("a1W b2B w")
    page.shows(value="White wins in 1 ply")
    # A position without a side to move has that of the board.
    page.choose("Black to move")
    for text in ["a1W c3B", "////,B,,//W,,,", "a1W, c3B"]:
        page.look_up(text)
        page.settled()
        expect(page.locator("#position-error")).to_be_empty()
        assert page.position.input_value().endswith(" b")
    page.is_at("a1W c3B b")
    # What the tables do not cover is said in plain words.
    page.open(START)
    page.shows(detail="White to move. The tables cover officers only. Switch Search on to search it.")
    page.open("a1WBW b4B w")
    page.shows(detail="White to move. The tables cover only columns that play with officers leads to. Switch Search on to search it.")
    stranded = "cannot move, and no game leads there: soldiers become officers on their last rank."
    page.open("c3W b6b a7w w")
    page.shows(detail=f"… The soldier on a7 {stranded}")
    page.open("a1b c1b c3W g7ww w")
    page.shows(detail=f"… The soldiers on a1, c1, g7 {stranded}")


def test_what_is_proved_in_one_or_two_plies_is_exact(page):
    page.open("a1W b2b w")
    page.search.check()
    page.shows(value="White wins in 1 ply", detail="White to move. The only legal move wins. Found by search: …")
    expect(page.button("Find the exact distance")).to_be_hidden()
    assert [value for _, value in page.moves()] == ["wins in 1"]


def test_the_statistics_of_the_material_are_shown(page):
    page.open(EXAMPLE)
    statistics, cells = page.locator("#statistics"), page.locator("#counts-of td")
    statistics.locator("summary").click()
    for material in ["3-2", "2-3"]:
        expect(statistics.locator("summary")).to_have_text(f"Statistics of {material}")
        white, black = [page.server.ask("stats", material=material)[side] for side in ["white", "black"]]
        expect(cells.first).to_contain_text(f"{white['win']:,} (")
        expect(cells.last).to_have_text(f"{black['max_loss']} plies")
        page.choose("Set up")
        page.push("Exchange colours")
    expect(page.locator("#files-of a")).to_have_text(["lasca-3-2.ltbw", "lasca-3-2.ltbd"] if page.server.is_site else [])
    if page.server.is_site:
        for link in page.locator("#files-of a").all():
            assert page.request.get(link.evaluate("(link) => link.href")).ok
    # There is none without a table.
    page.open(START)
    expect(statistics).to_be_hidden()
    # Nor is there one of the position before.
    page.open(EXAMPLE)
    expect(statistics).to_be_visible()
    page.look_up("foo")
    page.shows(value="Not a position")
    expect(statistics).to_be_hidden()


@pytest.mark.server
def test_each_position_is_one_question_and_one_module_asks(page):
    page.open(EXAMPLE)
    asked = []
    listen = lambda request: request.resource_type == "fetch" and asked.append(urllib.parse.urlsplit(request.url).path)
    page.on("request", listen)
    # With values; with replies that hold a draw; without values; and the plies of a link.
    for count, position in enumerate([WIN_IN_5, DRAW, NO_TABLE, "a1w b2b w"], 1):
        page.open(position)
        assert asked == ["/known"] * count
    asked.clear()
    page.evaluate("history.pushState(null, '', '?position=c3WW+e3BW+b6B+w#moves=c3-b4.b6-a5'); dispatchEvent(new PopStateEvent('popstate'))")
    expect(page.record).to_have_count(2)
    page.settled()
    assert asked == ["/studies", "/known"]
    page.page.remove_listener("request", listen)
    scripts = (ROOT / "src/cli/page").glob("*.js")
    assert [script.name for script in scripts if "fetch(" in script.read_text()] == ["source.js"]


def test_an_ending_with_soldiers_is_solved_and_played(page):
    page.open(LASKER)
    assert (page.value.inner_text(), page.moves()) == ("Value unknown", [["c1-b2", None], ["c1-d2", None]])
    page.search.check()
    answer = page.server.ask("solve", position=LASKER, moves=1)
    page.shows(value=f"White wins in at most {answer['at_most']} plies")
    page.shows(detail="…White to move. Of 2 moves, 1 wins and 1 loses. Found by search:…")
    words = {"win": "wins in ≤", "loss": "loses in ≤"}
    assert page.moves() == [[move["move"], f"{words[move['wdl']]} {move['at_most']}"] for move in answer["moves"]]
    page.shows(live="…Best: c1-b2.…")
    page.push("Find the exact distance")
    # The value may be shown before the search ends. It is read out when the search has ended.
    page.shows(value="White wins in 25 plies", live="…White wins in 25 plies…")
    line = page.best_line.all_inner_texts()
    assert len(line) == 25
    expect(page.locator("#best-line .end")).to_have_text("White has won")
    # The line is played on the board; each position of it has its value.
    page.best_line.nth(20).click()
    page.has_played(line[:21])
    page.settled()
    page.shows(value="Black loses in at most 4 plies")
    page.auto.click()
    page.shows(value="Black has lost: White wins")
    page.has_played(line)
    page.shows(auto="Play the best line")
    page.push("To the beginning")
    page.is_at(LASKER)
    page.shows(value="White wins in 25 plies")
    page.push("Step forward")
    page.shows(value="Black loses in 24 plies")
    # The link is that of the position.
    page.search.uncheck()
    page.reload()
    page.shows(value="Value unknown")
    page.has_played(line)


def guesses(page):
    """The lines that are expected after the two best moves, as they are shown."""
    return [page.locator(f"#{name} button").all_inner_texts() for name in ["best-line", "second-line"]]


def test_while_search_is_on_each_position_that_is_shown_is_searched(page):
    page.open(START)
    page.shows(value="Value unknown")
    balance = page.locator("#balance")
    expect(balance).to_have_attribute("aria-label", "Who is winning: open")
    page.search.check()
    page.shows(value="Open, estimate for White …", live="Search is on.")
    expect(balance).to_have_class("estimate")
    expect(page.locator("#second-line li").first).to_be_visible()
    expect(page.head).to_have_text("Moves, best estimates first")
    assert [re.sub(" [+−]?[0-9]+$", "", value) for _, value in page.moves()] == ["estimate"] * 6
    expect(page.locator("#best-head")).to_have_text("Best lines, guesses of the search")
    # They become better.
    before = page.detail.inner_text()
    expect(page.detail).not_to_have_text(before)
    # Stepping goes on with the next position, and a line can be played.
    first, second = guesses(page)
    page.locator("#second-line button").nth(1).click()
    expect(page.record).to_have_count(2)
    page.settled()
    page.shows(value="Open, estimate for White …")
    assert first[0] != second[0]
    # Stop keeps what is known, also of the positions before. A reload does not search either.
    page.search.uncheck()
    page.shows(live="Search is off.", value="Open, estimate for White …")
    page.push("To the beginning")
    page.is_at(START)
    page.shows(value="Open, estimate for White …")
    page.reload()
    page.is_at(START)
    page.shows(value="Value unknown")
    expect(page.search).not_to_be_checked()
    # What is proved is shown as proved.
    page.open(LASKER)
    page.keys("v", at="a1")
    page.shows(value="White wins in at most …", live="…White wins in at most…")
    expect(balance).to_have_class("proved")
    expect(page.locator("#best-head")).to_have_text("Best line")
    expect(page.locator("#second-line")).to_be_empty()
    # Where tables answer, there is nothing to switch.
    page.open(EXAMPLE)
    expect(page.search).to_be_hidden()
    expect(balance).to_have_attribute("aria-label", "Who is winning: White wins")


def test_search_is_on_at_first_but_not_on_a_phone(new_page):
    page = new_page(search=None)
    page.open(START)
    page.shows(value="Open, estimate for White …")
    page.search.uncheck()
    page.reload()
    page.shows(value="Value unknown")
    page = new_page(search=None, **PHONE)
    page.open(START)
    page.shows(value="Value unknown")
    expect(page.search).not_to_be_checked()


@pytest.mark.server
def test_a_search_ends_at_the_limit_of_the_server(page, serve):
    page.open(START, serve("--search-seconds", "1"))
    asked = []
    page.on("response", lambda response: "/solve" in response.url and response.ok and asked.append(response.url))
    page.search.check()
    page.shows(detail="…White to move. Nothing is proved yet. All 6 moves are open.…")
    expect(page.locator("#practice")).to_have_attribute("aria-busy", "false")
    # Shorter searches come first, as far as the server has a longer limit.
    assert ["seconds=1" in url for url in asked] == [True, False]
    expect(page.auto).to_be_disabled()


@pytest.mark.server
def test_nothing_is_searched_that_is_not_in_view(page):
    hide = """(hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.open(START)
    with page.expect_request(re.compile("/solve")):
        page.search.check()
    page.shows(value="Open, estimate for White …")
    with page.expect_event("requestfailed", lambda request: "/solve" in request.url):
        page.evaluate(hide, True)
    page.first_move.click()
    page.settled()
    page.shows(value="Value unknown")
    with page.expect_request(re.compile("/solve")):
        page.evaluate(hide, False)
    page.shows(value="Open, estimate for White …")
    # A review needs the place of the search, and gives it back.
    with page.expect_event("requestfailed", lambda request: "/solve" in request.url):
        page.push("Review the game")
    with page.expect_event("request", lambda request: "/solve" in request.url and "seconds" not in request.url):
        expect(page.locator("#review-told")).to_have_text(re.compile("^The review is finished."), timeout=30_000)
    page.shows(value="Open, estimate for White …")


@pytest.mark.server
def test_a_server_that_does_not_search_offers_no_search(page, serve):
    other = serve("--searches", "0")
    page.open(START, other)
    page.shows(detail="White to move. The tables cover officers only.")
    page.locator("#help summary").click()
    expect(page.locator(".by-search, #search, #exact, #practise").filter(visible=True)).to_have_count(0)
    page.keys("v", at="a1")
    page.shows(live="This server does not search.")
    page.keys("n")
    page.shows(live="Practice needs a position in the tables, with distances.")
    expect(page.locator("#help")).to_contain_text("In practice, you play one side")
    assert "the search" not in page.locator("#help").inner_text()
    for count in range(1, 6):
        page.first_move.click()
        expect(page.record).to_have_count(count)
        page.settled()
    page.push("Review the game")
    expect(page.locator("#review-told")).to_have_text(re.compile(": 5 positions in a row are open. lasca-tb review searches them.$"))
    page.open(EXAMPLE, other)
    expect(page.locator("#practise")).to_have_text("Practise against the tables")


@pytest.mark.server
def test_a_busy_server_is_asked_again_and_can_be_left(page):
    page.open(START)
    refusals = []
    page.route(re.compile("/solve"), lambda route: (refusals.append(route), route.fulfill(status=503, json={"error": "busy"})))
    # While the page waits to ask again, the search can be switched off at once.
    page.evaluate("pace = 1000")
    page.search.check()
    page.wait_for_timeout(0)
    page.search.uncheck()
    page.shows(value="Value unknown")
    page.evaluate("pace = 0")
    refusals.clear()
    page.search.check()
    page.shows(value="No answer", detail="Busy.")
    assert len(refusals) == 4
    page.unroute(re.compile("/solve"))
    page.push("Try again")
    page.shows(detail="…positions…")


@pytest.mark.server
def test_a_search_waits_for_its_place_however_long_it_takes_and_can_be_stopped(page):
    page.open(START)
    refusals = []
    refusal = {"status": 503, "headers": {"Retry-After": "1"}, "json": {"error": "busy", "reason": "searches_busy"}}
    page.route(re.compile("/solve"), lambda route: (refusals.append(route), route.fulfill(**refusal)))
    page.search.check()
    page.shows(detail="The server is busy with other searches. This one waits for its turn.")
    page.search.uncheck()
    page.shows(value="Value unknown")
    refusals.clear()
    page.search.check()
    for _ in range(300):
        if len(refusals) > 4:
            break
        page.wait_for_timeout(100)
    assert len(refusals) > 4
    page.unroute(re.compile("/solve"))
    page.shows(detail="…positions…")


# Remembers these answers, and returns what is known then about positions and their moves.
KNOWN = """([solutions, shown]) => import("./values.js").then(({ remember, answerFrom }) => {
    solutions.forEach(remember);
    return shown.map(([position, names]) => {
        const moves = [...names].map((name) => ({ move: name.toLowerCase(), position: name }));
        return answerFrom({ position, moves });
    });
})"""


def move(after, wdl=None, at_most=None, excluded=()):
    return {"move": after.lower(), "position": after, "wdl": wdl, "at_most": at_most, "excluded": list(excluded)}


def solved(position, wdl=None, at_most=None, line="", dtw=None, moves=None, excluded=(), line_end=None):
    """What a search answers. Positions have letters as names, and a move that of the position it leads to."""
    steps = [{"move": after.lower(), "position": after} for after in line]
    known = {"wdl": wdl, "dtw": dtw, "at_most": at_most, "excluded": list(excluded), "moves": moves, "line": steps}
    return {"position": position, **known, "line_end": line_end, "positions": 1, "seconds": 0}


def test_what_is_proved_is_never_forgotten(page):
    page.open(EXAMPLE)
    known = lambda solutions, position, names: page.evaluate(KNOWN, [solutions, [[position, names]]])[0]
    values = lambda answer: [(move["move"], move["wdl"], move["at_most"]) for move in answer["moves"]]
    # A search of P proves something about C, where a later search finds nothing.
    first = solved("P", "win", 13, "CD", excluded=["black"], line_end="white wins")
    answer = known([first], "C", "BD")
    assert (answer["wdl"], answer["at_most"], answer["line_end"]) == ("loss", 12, "white wins")
    assert (answer["isRated"], answer["isSettled"]) == (False, False)
    answer = known([solved("C", line="B", moves=[move("B"), move("D")])], "C", "BD")
    assert (answer["wdl"], answer["at_most"], answer["excluded"]) == ("loss", 12, ["black"])
    assert ([step["move"] for step in answer["line"]], answer["line_end"]) == (["d"], "white wins")
    # The moves are not all rated, but none lasts longer than the position.
    assert values(answer) == [("d", "loss", 12), ("b", "loss", 12)]
    assert (answer["isRated"], answer["isSettled"]) == (True, False)
    # The shorter proof is kept with its line, and moves are merged one by one.
    black = ["black"]
    shorter = [move("D"), move("B", "loss", 8, black)]
    longer = [move("D", "loss", 10, black), move("B", "loss", 30)]
    both = [solved("C", "loss", 10, "B", 10, shorter, black), solved("C", "loss", 30, "D", None, longer, black)]
    answer = known(both, "C", "BD")
    assert (answer["at_most"], answer["dtw"], [step["move"] for step in answer["line"]]) == (10, 10, ["b"])
    assert values(answer) == [("d", "loss", 10), ("b", "loss", 8)]
    assert answer["isSettled"]
    # What is excluded adds up, from moves too.
    answer = known([solved("E", excluded=black), solved("F", moves=[move("E", excluded=["white"])])], "E", "D")
    assert (answer["wdl"], answer["excluded"]) == (None, ["white", "black"])
    # A line that stops before the end of the game has no end, and only a line with both positions repeats one.
    repeats = solved("G", "draw", line="HG", line_end="repetition")
    assert known([repeats], "G", "H")["line_end"] == "repetition"
    assert known([], "H", "G")["line_end"] is None


def test_what_is_known_exactly_stays_exact(page):
    page.open(EXAMPLE)

    def distances(solutions, *shown):
        """The distance of each position and of its moves, as far as they are known exactly."""
        answers = page.evaluate(KNOWN, [solutions, shown])
        return [[answer["dtw"], {move["position"]: move["dtw"] for move in answer["moves"]}] for answer in answers]

    # A win goes on with its best move, and with any other that is as quick. What the loser plays best is open.
    rated = [move("B", "win", 9), move("D", "win", 9), move("E", "win", 11), move("F", "loss", 9)]
    won = solved("A", "win", 9, "BC", 9, rated)
    assert distances([won], ("A", "BDEF"), ("B", "CX"), ("D", "Y"), ("E", "Z"), ("F", "Z"), ("C", "YZ")) == [
        [9, {"B": 9, "D": 9, "E": None, "F": None}],
        [8, {"C": None, "X": None}],
        [8, {"Y": 8}],
        [None, {"Z": None}],
        [None, {"Z": None}],
        [None, {"Y": None, "Z": None}],
    ]
    # The only reply is the best one.
    assert distances([], ("Y", "YZ"))[0][0] == 7
    # A loss goes on with the one move that can hold out so long, and with the win after it.
    lost = solved("G", "loss", 8, "HI", 8, [move("H", "loss", 8), move("J", "loss", 6)])
    assert distances([lost], ("G", "HJ"), ("H", "IX"), ("I", "XY"), ("J", "XY")) == [
        [8, {"H": 8, "J": None}],
        [7, {"I": 7, "X": None}],
        [6, {"X": None, "Y": None}],
        [None, {"X": None, "Y": None}],
    ]
    # If two moves may be the best, or one is open, neither is known to be.
    for other in [8, None]:
        both = solved(f"K{other}", "loss", 8, "L", 8, [move("L", "loss", 8), move("M", "loss", other)])
        assert distances([both], (f"K{other}", "LM"), ("L", "XY"))[1][0] is None
    # A bound is no distance. A later search of the moves adds to what is known.
    assert distances([solved("N", "win", 9, "O")], ("N", "O"), ("O", "XY"))[1][0] is None
    later = [solved("P", "loss", 8, "Q", 8), solved("P", "loss", 8, "Q", None, [move("Q", "loss", 8), move("R", "loss", 2)])]
    assert distances(later, ("P", "QR"), ("Q", "XY"))[1][0] == 7


def test_a_server_that_is_gone_is_told_and_asked_again(page, serve):
    other = serve()
    page.open(EXAMPLE, other)
    other.stop()
    page.first_move.click()
    page.shows(value="No answer", detail="…cannot be reached…")
    page.wrong.clear()
    serve(port=other.port)
    page.push("Try again")
    page.shows(value="Black loses in 18 plies")


@pytest.mark.server
def test_a_status_without_a_reason_is_told_apart_from_no_answer(page):
    statuses = [431, 502]
    page.route(re.compile("/known"), lambda route: route.fulfill(status=statuses.pop(0), body="<h1>No</h1>") if statuses else route.fallback())
    page.goto(f"{page.server.url}?position=b2B+d2W+a7W+w")
    page.shows(value="No answer", detail="The server answers with status 431, and does not say why.")
    page.push("Try again")
    page.shows(value="No answer", detail="The server answers with status 502, and does not say why.")
    page.push("Try again")
    page.shows(value="White wins in 5 plies")
    page.wrong.clear()


@pytest.mark.server
def test_cookies_of_other_programs_of_this_machine_are_no_hindrance(new_page):
    page = new_page()
    page.context.add_cookies([{"name": f"other{i}", "value": "x" * 4000, "url": page.server.url} for i in range(20)])
    page.open(WIN_IN_5)
    page.shows(value="White wins in 5 plies")


@pytest.mark.server
def test_a_reload_forgets_what_was_known_under_other_rules(page, serve):
    first = serve()
    page.open(EXAMPLE, first)
    page.locator("#moves button").last.click()
    expect(page.record).to_have_text([re.compile("[?]$")])
    page.settled()
    page.reload()
    expect(page.record).to_have_text([re.compile("[?]$")])
    page.settled()
    first.stop()
    # There are no tables of these.
    second = serve("--rules", "bignor", port=first.port)
    page.reload()
    page.shows(value="Value unknown")
    expect(page.record).to_have_text([re.compile("[^?]$")])
    page.go_back()
    page.shows(value="Value unknown")
    page.go_forward()
    page.settled()
    expect(page.record).to_have_text([re.compile("[^?]$")])
    second.stop()
    third = serve(port=first.port)
    page.goto("about:blank")
    page.open(EXAMPLE, third)
    page.locator("#practise").click()
    page.my_turn()
    third.stop()
    serve("--rules", "bignor", port=first.port)
    page.reload()
    page.shows(value="Value unknown")
    expect(page.practice).to_be_hidden()




@pytest.mark.server
def test_a_game_of_other_rules_is_read_again_and_told(page, serve):
    other = serve("--rules", "rejump")
    page.open("a1W b2BB w", other)
    page.locator("#moves button").last.click()
    expect(page.record).to_have_count(1)
    page.settled()
    link = page.url
    assert "rules=rejump" in link
    # A link of other rules.
    page.goto(link.replace(str(other.port), str(page.server.port)))
    told = page.locator("#news")
    expect(told).to_have_text("This game or link is of rejump rules. Here it is read under lasca rules.")
    page.shows(value="White loses in 2 plies")
    expect(page.get_by_role("alert")).to_contain_text("Expected a legal move (")
    expect(page.record).to_have_count(0)
    assert "rules" not in page.url
    # A server that was started again with other rules, while the page is shown.
    page.goto(link)
    expect(page.record).to_have_count(1)
    page.settled()
    expect(told).to_be_empty()
    other.stop()
    serve("--rules", "bignor", port=other.port)
    page.push("Step back")
    expect(told).to_have_text("This game or link is of rejump rules. Here it is read under bignor rules.")
    expect(page.get_by_role("alert")).to_contain_text("Expected a legal move (")
    assert "rules=bignor" in page.url


@pytest.mark.server
def test_values_that_were_kept_are_shown_when_the_rules_are_known(page):
    page.open(EXAMPLE)
    page.locator("#moves button").last.click()
    expect(page.record).to_have_text([re.compile("[?]$")])
    page.settled()
    caught = page.catch("**/tables*")
    page.reload()
    page.settled()
    expect(page.record).to_have_text([re.compile("[^?]$")])
    page.unroute_all()
    caught().fallback()
    expect(page.record).to_have_text([re.compile("[?]$")])


def test_a_blank_of_an_address_may_be_written_as_plus_twice_over(page):
    page.goto(f"{page.server.url}?position=b2B%2Bd2W%2Ba7W%2Bw")
    page.is_at(WIN_IN_5)
    page.shows(value="White wins in 5 plies")


def test_what_is_typed_does_not_draw_the_page_anew(page):
    page.open(EXAMPLE)
    page.evaluate("""() => {
      window.drawn = 0;
      const own = document.getElementById.bind(document);
      document.getElementById = (id) => ((window.drawn += id === "verdict"), own(id));
    }""")
    page.position.press("End")
    page.position.press_sequentially(" 1. c3-b4")
    page.position.press("Shift+Enter")
    expect(page.position).to_have_attribute("rows", "2")
    page.keys("Tab", "q", "ArrowUp", at="d4")
    assert page.evaluate("window.drawn") == 0
    page.keys("f", at="d4")
    assert page.evaluate("window.drawn") > 0


def test_a_table_that_is_missing_is_made_at_once_or_when_it_is_asked_for(page, serve):
    if page.server.is_site:
        pytest.skip("only a server makes tables")
    server = serve(make=60)
    # This takes some milliseconds, also while positions are searched.
    page.open(START, server)
    page.search.check()
    page.shows(value="Open, estimate for White …")
    page.open("a1WWWWWW c3BBBBBB w", server)
    page.shows(value="White loses in 32 plies", detail="White to move. The only legal move loses.")
    page.open(START, server)
    page.search.uncheck()
    # This would take longer, as the page is told.
    plans = page.price(3.1)
    page.open("a1WB c1W b2WB e5BW w", server)
    page.shows(value="Value unknown")
    button = page.locator("#make")
    expect(button).to_have_text("Make it (about 4 s)")
    assert (plans[0]["material"], plans[0]["columns"]) == ("4-3", 4)
    button.click()
    page.shows(value="White wins in 7 plies")
    expect(button).to_be_hidden()
    assert page.moves()[0][1] == "wins in 7"


def test_the_materials_are_links_to_their_statistics(page):
    page.open(EXAMPLE)
    head = page.locator("#statistics-of")
    links = page.locator("#about-tables a")
    expect(links).to_have_text(["1-1", "2-1", "3-1", "2-2", "4-1", "3-2", "5-1", "4-2", "3-3"])
    links.filter(has_text="2-2").click()
    expect(head).to_have_text("Statistics of 2-2")
    expect(head).to_be_in_viewport()
    # Each number of plies that occurs has a bar.
    stats = page.server.ask("stats", material="2-2")
    for name, side in [("White", "white"), ("Black", "black")]:
        picture = page.get_by_role("img", name=f"{name} to move: most often ")
        expect(picture.locator("rect")).to_have_count(len(stats[side]["histogram"]))
    expect(page.get_by_role("img", name="White to move: most often 7 plies, at most 30")).to_be_visible()
    expect(page.locator("#counts-of tr").nth(3)).to_have_text("Longest win29 plies29 plies")
    # On another material, the statistics are those of the board again.
    page.look_up(WIN_IN_5)
    page.is_at(WIN_IN_5)
    expect(head).to_have_text("Statistics of 2-1")
    # The link can be opened elsewhere.
    page.goto("about:blank")
    page.goto(f"{page.server.url}?statistics=3-2")
    expect(head).to_have_text("Statistics of 3-2")
    expect(page.locator("#counts-of tr").nth(3)).to_contain_text("41 plies")
