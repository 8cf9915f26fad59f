"""Practice against the tables, and endings to try."""

import re
import time
import subprocess
import urllib.parse

import pytest
from conftest import DRAW, EXAMPLE, LASKER, START, WIN_IN_5
from playwright.sync_api import expect


@pytest.fixture
def serve_without_distances(request, serve, tmp_path):
    """Starts a server that has tables of these materials, all without distances. They are for `bignor` rules, so that
    none of them is inside the program."""

    def serve_without_distances(*materials):
        command = [request.config.getoption("--program"), "generate", *materials]
        subprocess.run([*command, "--rules", "bignor", "--tables", tmp_path], check=True, capture_output=True)
        for distances in tmp_path.glob("*.ltbd"):
            distances.unlink()
        return serve("--rules", "bignor", tables=tmp_path)

    return serve_without_distances


def values_are_hidden(page):
    """Nothing on the page tells the value of a move."""
    for selector in ["#verdict", "#best", ".pill", ".standing", "#auto", "#back", ".switch.side"]:
        expect(page.locator(selector).filter(visible=True)).to_have_count(0)
    names = [move for move, _ in page.moves()]
    assert names == sorted(names)
    expect(page.page).to_have_title(f"Practice – {page.position.input_value()} – Lasca endgames")
    expect(page.live).not_to_contain_text(re.compile("wins in|Best:|loses"))


def tab_to(page, name):
    """Presses the Tab key until this button has the focus."""
    for _ in range(100):
        if page.button(name).evaluate("(button) => button === document.activeElement"):
            return
        page.keys("Tab")
    raise AssertionError(f"the Tab key does not reach {name}")


def walk(page, end):
    """Goes from the square that has the focus to another one with the arrow keys."""
    while (at := page.evaluate("document.activeElement.dataset.square")) != end:
        if at[1] != end[1]:
            page.keys("ArrowUp" if at[1] < end[1] else "ArrowDown")
        else:
            page.keys("ArrowRight" if at < end else "ArrowLeft")


def test_a_practice_game_is_won_with_the_keys_alone(page):
    page.open(WIN_IN_5)
    tab_to(page, "Practise against the tables")
    page.keys("Enter")
    expect(page.square("d4")).to_be_focused()
    page.my_turn()
    page.shows(goal="You play White: win", told="Your move.", tally="0 plies played, best 5, no slip")
    expect(page.page).to_have_url(re.compile("practice=white"))
    for reply in range(3):
        values_are_hidden(page)
        expect(page.live).to_contain_text("Black has played" if reply else "You play White: win. Your move.")
        best = page.rated()[0]["move"]
        # The column is chosen on the board, or the number of the move is pressed.
        if reply == 1:
            page.keys(str([move for move, _ in page.moves()].index(best) + 1))
        else:
            for square in [best[:2], best.split("-")[-1][:2]]:
                walk(page, square)
                page.keys("Enter")
        if reply < 2:
            expect(page.record).to_have_count(2 * reply + 2)
            page.my_turn()
    page.shows(goal="Won in 5 plies, best 5, no slip", told="There is no quicker win.")
    page.shows(live="Won in 5 plies, best 5, no slip. There is no quicker win.")
    assert page.moves() == []
    # Who leaves stays at the position reached, with its value and the moves that led there.
    position = page.position.input_value()
    tab_to(page, "Leave practice")
    page.keys("Enter")
    page.is_at(position)
    page.shows(value="Black has lost: White wins")
    expect(page.record).to_have_count(5)
    expect(page.practice).to_be_hidden()
    page.keys(",", ",", ",", ",", ",")
    page.is_at(WIN_IN_5)
    page.shows(value="White wins in 5 plies")


def test_a_slip_is_told_and_taken_back_and_counted(page):
    page.practise(EXAMPLE)
    # The second move draws.
    drawn = page.move(1)
    page.my_turn()
    page.shows(told=f"…{drawn} gave away the win: the game is now drawn. Black has played…")
    page.shows(live=f"…{drawn} gave away the win: the game is now drawn.…", goal="You play White: hold the draw")
    page.shows(tally="2 plies played, 1 slip. Best was a win in 19.")
    page.keys("t", at="d4")
    page.is_at(EXAMPLE)
    page.shows(told="Taken back. Your move.", tally="0 plies played, best 19, 1 slip taken back")
    expect(page.button("Take back")).to_be_disabled()
    # A hint names the column, and then the move.
    page.keys("h", at="a1")
    page.shows(told="…Hint: move the column on c3.…")
    page.keys("h")
    page.shows(told="…Hint: c3-b4.…")
    expect(page.locator(".path .line").first).to_be_visible()
    page.play_on(0)
    page.shows(goal="Won in 19 plies, best 19, 1 slip taken back, 1 hint")
    # The tables held out as long as they could. Who steps through the game sees what each move was worth.
    page.push("Step back")
    page.shows(value="White wins in 1 ply")
    expect(page.record).to_have_count(19)
    page.go_back()
    page.shows(goal="Won in 19 plies, best 19, 1 slip taken back, 1 hint")
    page.record.nth(17).click()
    page.shows(value="White wins in 1 ply")


def test_before_the_tables_have_replied_only_the_users_move_is_taken_back(new_page):
    page = new_page()
    page.practise(EXAMPLE)
    # The reply, which comes after a while, waits until the clock goes on.
    page.clock.install(time=0)
    page.clock.pause_at(1)
    page.move(-1)
    page.shows(told="…gave away the win: the game is now lost. Black replies.…")
    # It is not the time for a hint, and none is counted.
    page.keys("h", at="d4")
    page.shows(live="There is no hint now.")
    page.push("Take back")
    page.is_at(EXAMPLE)
    page.clock.run_for(10_000)
    expect(page.record).to_have_count(0)
    page.shows(tally="0 plies played, best 19, 1 slip taken back")


def test_a_drawn_game_is_set_with_traps_and_ends(page):
    page.practise(DRAW)
    page.shows(goal="You play Black: hold the draw")
    page.shows(live="…Your move. The draw is held when a position occurs 3 times, or after 40 plies.…")
    page.play_on(0)
    expect(page.goal).to_have_text(re.compile("^Drawn.*no slip"))
    page.shows(told="The draw is held.")
    # Whoever goes on after giving away the draw loses.
    page.push("Restart")
    page.is_at(DRAW)
    page.play_on(-1)
    expect(page.goal).to_have_text(re.compile(r"^Lost in .*, 1 slip\. Best was a draw\.$"))
    expect(page.told).to_have_text(re.compile(r"^The draw was given away. Slips: 1\.\.\. \S+\? turns a draw into a loss\.$"))
    # The lost game is taken back to the last move.
    page.push("Take back")
    assert page.my_turn()


def test_who_makes_no_progress_is_told(page):
    page.practise(EXAMPLE)
    # The columns on e3 and b6 go to and fro: the win is kept, but it is 19 or 17 plies away all the time.
    for passed in range(2, 44, 2):
        page.move([move["wdl"] for move in page.rated()].count("win") - 1)
        expect(page.record).to_have_count(passed)
        page.my_turn()
        idle = f"No progress for {passed - 2} plies."
        assert (idle in page.told.inner_text()) == (passed > 2)
    page.shows(goal="Stopped after 42 plies, best 19, no slip", told="No progress for 40 plies.")
    assert page.moves() == []
    for taken in [1, 2]:
        page.push("Take back")
        expect(page.record).to_have_count(42 - 2 * taken)
        page.my_turn()
    # Who makes progress is not told so any more.
    page.move(0)
    page.my_turn()
    assert "No progress" not in page.told.inner_text()
    page.shows(tally="40 plies played, best 19, no slip, 2 other moves taken back")
    # A slow win is no slip.
    page.practise(WIN_IN_5)
    page.move(1)
    page.play_on(0)
    page.shows(goal="Won in …", told="There is a quicker win.")


def test_the_tables_hold_out_and_set_traps(page):
    page.open(EXAMPLE)
    ask = """([passed, moves, best_move]) => import("./practice.js").then(({ begin, replyOf }) => {
        const record = begin("a1W b2B w", "w");
        record.entries.push(...passed.map((name) => ({ position: `after ${name}` })));
        return replyOf(record, { moves, best_move }).move;
    })"""

    def move(name, wdl="draw", holding=0, replies=4):
        return {"move": name, "wdl": wdl, "position": f"after {name}", "holding": ["x"] * holding, "replies": replies}

    reply = lambda *moves, passed=(), best=None: page.evaluate(ask, [list(passed), list(moves), best])
    # The server lists the quickest win and the longest defence first.
    assert reply(move("quick", "win"), move("slow", "win"), move("draw")) == "quick"
    assert reply(move("long", "loss"), move("short", "loss")) == "long"
    # The smallest share of right replies is the best trap. One reply, or only right ones, are no trap.
    drawn = [move("easy", holding=3), move("hard", holding=2, replies=8), move("forced", holding=1, replies=1), move("loses", "loss")]
    assert reply(*drawn) == "hard"
    assert reply(*drawn, passed=["hard"]) == "easy"
    assert reply(*drawn, passed=["hard", "easy", "hard"]) == "easy"
    assert reply(*drawn, passed=["hard", "easy"]) == "hard"
    assert reply(move("first", holding=4), move("forced", holding=1, replies=1), passed=["first"]) == "forced"
    # Where nothing is proved, the best estimate counts, and less so if the position has occurred.
    looks = [{"move": name, "wdl": None, "position": f"after {name}", "estimate": estimate} for name, estimate in [("good", 40), ("bad", -80)]]
    draws, loses = move("draws"), move("loses", "loss")
    assert reply(draws, *looks, loses, best="good") == "good"
    assert reply(draws, *looks, loses, best="good", passed=["good", "good", "good"]) == "good"
    assert reply(draws, *looks, loses, best="draws") == "draws"
    assert reply(looks[1], {**looks[0], "move": "fair", "position": "after fair", "estimate": 25}, looks[0], best="good", passed=["good"]) == "fair"
    assert reply(move("wins", "win"), *looks, best="wins") == "wins"
    assert reply(*looks, loses) == "good"
    # A weak player may choose what looks somewhat worse.
    ask = ask.replace("[passed, moves, best_move]", "[moves, within, random]").replace("passed.map", "[].map")
    ask = ask.replace("return replyOf(record, { moves, best_move })", "Math.random = () => random; return replyOf(record, { moves }, within)")
    fair = {**looks[0], "move": "fair", "position": "after fair", "estimate": 25}
    choices = lambda within, *moves: {page.evaluate(ask, [list(moves), within, random / 10]) for random in range(10)}
    assert choices(20, looks[0], fair, *drawn) == {"good", "fair"}
    assert choices(50, looks[0], fair, *drawn) == {"good", "fair", "easy", "hard", "forced"}
    assert choices(20, move("wins", "win"), looks[0], loses) == {"wins"}
    assert choices(20, loses, move("lost", "loss")) == {"loses", "lost"}


def test_a_result_that_is_proved_later_is_told(page):
    page.open(EXAMPLE)
    told = page.evaluate("""() => import("./practice.js").then((practice) => {
        let record = practice.begin("a1W b2B w", "w");
        const answered = (answer) => {
            record = practice.withAnswer(record, answer);
            record.entries = record.entries.with(record.at, { ...record.entries[record.at], wdl: answer.wdl });
            return [practice.proofIn(record, answer), practice.slipIn(record), practice.tallyOf(record, answer)];
        };
        const play = (move, side) => { record = practice.withMove(record, { move, position: `a1W b2B ${side}` }, { moves: [] }); };
        const told = [answered({ wdl: null })];
        for (const [move, side, wdl] of [["one", "b", null], ["two", "w", "win"], ["three", "b", "draw"], ["four", "w", null]]) {
            play(move, side);
            told.push(answered({ wdl }));
        }
        record = practice.withoutMove(record);
        return [...told, practice.goalOf(record, {})];
    })""")
    assert told == [
        [None, None, "0 plies played"],
        [None, None, "1 ply played"],
        ["From here White wins.", None, "2 plies played"],
        ["From here the game is drawn.", "three gave away the win: the game is now drawn.", "3 plies played, 1 slip"],
        [None, "three gave away the win: the game is now drawn.", "4 plies played, 1 slip"],
        "You play White",
    ]


def test_a_side_is_chosen_and_practice_survives_a_reload(page):
    page.practise(EXAMPLE)
    # The tables win from here, so they begin with their best move.
    page.push("Play Black")
    page.has_played(["c3-b4"])
    page.my_turn()
    page.shows(goal="You play Black: hold out", told="White has played c3-b4. Your move.")
    page.shows(live="You play Black: hold out. White has played c3-b4. Your move.")
    expect(page.page).to_have_url(re.compile("practice=black"))
    # The board is seen from the side of the user, who can turn it.
    flip = page.button("Flip view")
    expect(flip).to_have_attribute("aria-pressed", "true")
    page.push("Flip view")
    expect(page.page).to_have_url(re.compile("view=white"))
    page.reload()
    expect(flip).to_have_attribute("aria-pressed", "false")
    page.my_turn()
    page.push("Flip view")
    page.reload()
    page.shows(tally="1 ply played, best 19, no slip")
    expect(page.button("Take back")).to_be_disabled()
    # Keys that would change the position say what to do first.
    for keys in [["x"], ["Enter", ","]]:
        page.keys(*keys, at="d4")
        page.shows(live="…Leave practice before you use this key.…")
    page.has_played(["c3-b4"])
    for index, longer in [(0, "no"), (-1, "a")]:
        page.play_on(index)
        page.shows(told=f"The position was lost from the beginning. There is {longer} longer defence.")
        page.push("Restart")
        page.has_played(["c3-b4"])
        page.my_turn()
    # One step back of the browser is the game before the last start, and two more are that before and no practice.
    page.go_back()
    page.shows(told="…There is a longer defence.")
    page.go_back()
    page.shows(told="…There is no longer defence.")
    page.go_back()
    page.is_at(EXAMPLE)
    expect(page.practice).to_be_hidden()
    page.shows(value="White wins in 19 plies")
    page.practise(EXAMPLE)
    page.choose("Set up")
    page.settled()
    expect(page.practice).to_be_hidden()
    expect(page.locator("#tools")).to_be_visible()


@pytest.mark.server
def test_buttons_of_practice_that_is_over_do_nothing(page):
    page.open(EXAMPLE)
    page.locator("#practise").click()
    page.my_turn()
    release = page.hold()
    page.go_back()
    for name in ["Play Black", "Restart"]:
        page.push(name)
        page.shows(inspector="Begin practice first.")
    release()
    page.is_at(EXAMPLE)
    expect(page.practice).to_be_hidden()


def test_where_there_is_no_practice_the_page_says_why(page, serve_without_distances):
    for position, why in [
        ("a1WB b", "There is nothing to practise."),
        ("w", "An empty board"),
        ("z9W w", "Not a position"),
    ]:
        page.open(position, practice="white")
        expect(page.live).to_contain_text(why)
        expect(page.locator("#practise, #practice").filter(visible=True)).to_have_count(0)
        expect(page.page).not_to_have_url(re.compile("practice"))
        page.keys("n", at="d4")
        page.shows(live="…Practice needs a position in the tables, with distances, or one that can be searched.…")
        expect(page.locator("body")).to_have_class("")
    other = serve_without_distances("2-1", "3-1", "2-2")
    for position in ["a1WW c3B w", "a1W c1W e1BB w"]:
        page.open(position, other, practice="white")
        page.shows(detail="…Practice needs a table with distances.…")
        expect(page.locator("#practise")).to_be_hidden()


def lose_server(page, serve):
    """Plays a move in practice when the server is gone. Returns the server."""
    other = serve()
    page.open(EXAMPLE, other, practice="white")
    page.my_turn()
    other.stop()
    page.keys("Enter", "ArrowUp", "ArrowLeft", "Enter", at="c3")
    page.shows(value="No answer", detail="…cannot be reached…")
    return other


def test_practice_goes_on_when_the_server_is_back(page, serve):
    other = lose_server(page, serve)
    page.keys("h", at="d4")
    page.shows(live="There is no hint now.")
    page.wrong.clear()
    serve(port=other.port)
    page.push("Try again")
    expect(page.record).to_have_count(2)
    page.my_turn()
    page.shows(tally="2 plies played, best 19, no slip")


def test_practice_can_be_left_when_the_server_is_gone(page, serve):
    lose_server(page, serve)
    page.push("Leave practice")
    expect(page.page).not_to_have_url(re.compile("practice"))
    page.shows(value="No answer", detail="…cannot be reached…")
    page.has_played(["c3-b4"])
    page.wrong.clear()


def test_a_reply_that_is_forced_is_played_at_once(page):
    page.open(START, practice="white")
    page.get_by_label("Strength").select_option("full")
    page.my_turn()
    # Nothing can be searched any more.
    if not page.server.is_site:
        page.route("**/solve?*", lambda route: route.abort())
    begun = time.monotonic()
    page.locator("[data-move=c3-d4] button").click()
    page.has_played(["c3-d4", "e5-d4-c3bw"])
    page.my_turn()
    assert time.monotonic() - begun < 9
    page.shows(told="Black has played e5-d4-c3bw. Your move.", tally="2 plies played")


def test_a_slip_before_a_forced_reply_is_told_with_it(page):
    page.open("f4w b6W d6b f6B a7b w", practice="white")
    page.my_turn()
    page.shows(goal="You play White: win")
    page.locator("[data-move=b6-c5] button").click()
    page.has_played(["b6-c5", "d6-c5-b4bW"])
    page.shows(told="…b6-c5 gave away the win: the game is now lost.…", tally="2 plies played, 1 slip. Best was a win in …")
    page.push("Take back")
    page.my_turn()
    page.shows(tally="0 plies played, best …")
    page.shows(tally="…, 1 slip taken back")


@pytest.mark.server
def test_practice_goes_on_when_a_search_can_be_had_again(page):
    page.open(LASKER, practice="white")
    page.my_turn()
    # Only where the value before a move is known, the page searches for that after it.
    page.shows(goal="You play White: win")
    page.route("**/solve?*", lambda route: route.abort())
    page.first_move.click()
    page.shows(value="No answer", detail="…cannot be reached.…")
    assert "practice=white" in page.url
    page.wrong.clear()
    page.unroute_all()
    page.push("Try again")
    expect(page.record).to_have_count(2)
    page.my_turn()


@pytest.mark.server
def test_a_move_before_the_last_one_is_answered_is_refused(page):
    first = page.first_move

    def is_refused(*moves):
        """Tries all ways to move, and looks whether the record stays as it is."""
        square = page.locator(".square[aria-label*='white officer']").first.get_attribute("data-square")
        for attempt in [
            first.click,
            page.locator("#moves button").nth(1).click,
            page.square(square).click,
            lambda: page.keys("1"),
            lambda: page.square(square).drag_to(page.square("g7")),
        ]:
            page.evaluate("document.querySelector('#live').textContent = ''")
            attempt()
            page.shows(live="…moves of this position are not known yet.…")
            page.has_played(list(moves))

    page.practise(EXAMPLE)
    release = page.hold()
    first.click()
    is_refused(*page.record.all_inner_texts())
    release()
    expect(page.record).to_have_count(2)
    page.my_turn()
    # Right after a new start too.
    release = page.hold()
    page.push("Restart")
    is_refused()
    release()
    page.my_turn()
    page.is_at(EXAMPLE)
    first.click()
    expect(page.record).to_have_count(2)
    page.my_turn()
    # And without practice, where the moves of the position before were played from this one.
    page.open(EXAMPLE)
    expect(page.best_line.first).to_be_visible()
    release = page.hold()
    first.click()
    is_refused("c3-b4")
    page.best_line.nth(2).click()
    page.shows(live="…are not known yet…")
    page.has_played(["c3-b4"])
    release()
    page.is_at("e3BW b4WW b6B b")


def endings(page, material="3-2", value="Win", difficulty="Easy"):
    """Asks for endings to try. Returns their links."""
    for name, chosen in [("Material", material), ("Task", value), ("Difficulty", difficulty)]:
        page.get_by_label(name).select_option(chosen)
    page.push("Find endings")
    expect(page.locator("#endings-told")).to_have_text(re.compile(r"^[^…]+$"))
    return page.locator("#endings-list a")


def test_endings_are_proposed_and_practised(page):
    page.open(EXAMPLE)
    offered = page.locator("#endings-material option")
    expect(offered).to_have_text([table["material"] for table in page.server.ask("tables")["tables"] if table["distances"]])
    expect(page.get_by_label("Material")).to_have_value("3-2")
    told = page.locator("#endings-told")
    for value, difficulty, only_moves, words in [
        ("Win", "Easy", "1|2", "Win in \\d plies"),
        ("Win", "Medium", "3|4", "Win in \\d+ plies"),
        ("Hold the draw", "Easy", "1|2", "Hold the draw"),
    ]:
        links = endings(page, value=value, difficulty=difficulty)
        expect(told).to_have_text("White to move. Choose one to practise it.")
        for link in links.all():
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(link.get_attribute("href")).query)
            position = query["position"][0]
            assert query["practice"] == ["white"]
            expect(link).to_have_text(re.compile(f"{words}({only_moves}) choices?: {position}"))
            wdl = {"Win": "win"}.get(value, "draw")
            probed = page.server.ask("probe", position=position)
            assert (probed["wdl"], [move["wdl"] for move in probed["moves"]].count(wdl)) == (wdl, 1)
    links.last.click()
    page.my_turn()
    page.is_at(position)
    page.shows(goal="You play White: hold the draw")
    assert page.evaluate("scrollY") == 0
    # After the last of them, others are found.
    page.push("Next ending")
    expect(page.position).not_to_have_value(position)
    page.my_turn()
    first, second = [urllib.parse.parse_qs(urllib.parse.urlsplit(link.get_attribute("href")).query)["position"][0] for link in links.all()[:2]]
    page.is_at(first)
    page.push("Next ending")
    page.is_at(second)
    position = second
    page.my_turn()
    # The list stays, for the next one.
    link = endings(page, "2-1").first
    address = link.get_attribute("href")
    link.click()
    page.shows(goal="You play White: win")
    page.my_turn()
    page.go_back()
    expect(page.position).to_have_value(position)
    page.my_turn()
    # A link of one opens practice too.
    page.goto(page.server.url + address)
    page.my_turn()
    # Where there is none, the page says so.
    other = "hoose another material, task or difficulty."
    expect(endings(page, "1-1")).to_have_count(0)
    expect(told).to_have_text(f"The table of 1-1 has no such ending. C{other}")
    expect(endings(page, "5-1", "Hold the draw", "Hard")).to_have_count(0)
    expect(told).to_have_text(f"None was found in a sample of 50,000 positions. Try again for another sample, or c{other}")
    # The last press counts, even if the answer to the one before comes later.
    page.get_by_label("Material").select_option("1-1")
    page.get_by_label("Task").select_option("Win")
    release = page.hold()
    page.push("Find endings")
    page.get_by_label("Material").select_option("2-1")
    page.get_by_label("Difficulty").select_option("Easy")
    page.push("Find endings")
    release()
    expect(told).to_have_text("White to move. Choose one to practise it.")


def test_endings_need_a_server_with_distances(page, serve, serve_without_distances):
    page.open(server=serve_without_distances("2-1"))
    expect(page.locator("#about-tables")).to_contain_text("2-1")
    expect(page.locator("#endings")).to_be_hidden()
    other = serve()
    page.open(server=other)
    page.settled()
    expect(page.locator("#endings-material option").first).to_be_attached()
    other.stop()
    expect(endings(page)).to_have_count(0)
    expect(page.locator("#endings-told")).to_have_text("The server cannot be reached.")
    page.wrong.clear()
