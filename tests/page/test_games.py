"""Games: their links, study files, slips, and practice against the search."""

import json
import re
import subprocess

import pytest
from conftest import DRAW, EXAMPLE, LASKER, NO_TABLE, REPEATED, ROOT, START, TABLES, WIN_IN_5
from playwright.sync_api import expect


def save(page, folder):
    """Saves the game to a file, and returns it."""
    with page.expect_download() as download:
        page.push("Save game")
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def load(page, folder, text):
    file = folder / "game.study"
    file.write_text(text)
    with page.expect_file_chooser() as chooser:
        page.push("Load game")
    chooser.value.set_files(file)


def test_an_empty_board_is_no_game_to_save(page):
    page.open(WIN_IN_5)
    page.choose("Set up")
    page.push("Clear", "Save game")
    page.shows(inspector="There is no game to save.")


def test_what_is_written_just_before_another_game_is_kept(page):
    page.open(WIN_IN_5)
    page.evaluate("""(text) => {
        const comment = document.querySelector("#comment");
        for (const value of ["f", "first"]) {
            comment.value = value;
            comment.dispatchEvent(new InputEvent("input"));
        }
        document.querySelector("#position").value = text;
        document.querySelector("#position-form").requestSubmit();
    }""", DRAW)
    page.is_at(DRAW)
    page.wait_for_url(re.compile("d4W"))
    page.go_back()
    page.is_at(WIN_IN_5)
    expect(page.locator("#comment")).to_have_value("first")


def test_a_link_has_the_moves_of_the_game(page, new_page):
    page.open(EXAMPLE)
    for count in [1, 2, 3]:
        page.first_move.click()
        expect(page.record).to_have_count(count)
        page.settled()
    record, positions = page.record.all_inner_texts(), [page.position.input_value()]
    page.push("Step back")
    page.settled()
    positions.append(page.position.input_value())
    # Whoever gets the link sees the same game, at the same place.
    other = new_page()
    other.goto(page.url)
    other.is_at(positions[1])
    expect(other.record).to_have_text(record)
    other.push("To the end")
    other.is_at(positions[0])
    page.goto("about:blank")
    page.goto(other.url)
    page.is_at(positions[0])
    page.push("To the beginning")
    page.is_at(EXAMPLE)
    # What was set up begins a game of its own.
    page.choose("Set up")
    page.press("d4")
    page.is_at("c3WW e3BW d4W b6B w")
    assert "#" not in page.url


def test_a_link_with_a_wrong_move_says_so(page):
    page.goto(f"{page.server.url}?position=c3WW+e3BW+b6B+w#moves=c3-b4.a1-b2.b6-a5")
    page.is_at("e3BW b4WW b6B b")
    expect(page.get_by_role("alert")).to_have_text(re.compile(r'^Expected a legal move \(.*\), found "a1-b2"\.$'))
    page.goto("about:blank")
    page.goto(f"{page.server.url}?position=z9W+w#moves=c3-b4")
    expect(page.get_by_role("alert")).to_contain_text("z9")
    # The moves before what is no move are kept.
    page.goto("about:blank")
    page.goto(f"{page.server.url}?position=c3WW+e3BW+b6B+w#moves=c3-b4.b6-a5.zz.e3-d4")
    page.is_at("e3BW b4WW a5B w")
    expect(page.get_by_role("alert")).to_have_text(re.compile('^Expected a move, .* found "zz"\\.$'))
    assert page.url.endswith("#moves=c3-b4.b6-a5")
    page.goto("about:blank")
    page.goto(f"{page.server.url}?position=c3WW+e3BW+b6B#moves=c3-b4")
    page.shows(value="Not a position")
    expect(page.get_by_role("alert")).to_contain_text("the side to move")
    # A place that is not in the game is the nearest that is.
    for at, position in [("-1", EXAMPLE), ("0.5", EXAMPLE), ("x", EXAMPLE), ("9", "e3BW b4WW a5B w")]:
        page.goto("about:blank")
        page.goto(f"{page.server.url}?position=c3WW+e3BW+b6B+w#moves=c3-b4.b6-a5&at={at}")
        page.is_at(position)
        page.has_played(["c3-b4", "b6-a5"])


def test_a_link_of_practice_has_the_game_and_goes_on_with_it(page, new_page):
    page.practise(EXAMPLE)
    page.move(0)
    page.my_turn()
    moves, position = page.record.all_inner_texts(), page.position.input_value()
    assert len(moves) == 2
    other = new_page()
    other.goto(page.url)
    other.my_turn()
    other.is_at(position)
    expect(other.record).to_have_text(moves)
    other.shows(goal="You play White: win", tally="0 plies played, best …")
    other.move(0)
    other.my_turn()
    other.push("Leave practice", "To the beginning")
    other.is_at(EXAMPLE)


def test_a_practice_game_is_saved_with_its_slips_and_confirmed(page, tmp_path, request):
    page.practise(EXAMPLE)
    page.move(0)
    page.my_turn()
    # The second slip loses.
    for index in [1, -1]:
        while page.my_turn() and page.rated()[0]["wdl"] == page.rated()[-1]["wdl"]:
            page.move(0)
        wdl = page.rated()[0]["wdl"]
        page.move([move["wdl"] == wdl for move in page.rated()].index(False) if index == 1 else -1)
    expect(page.locator("#record .slip")).to_have_count(0)
    page.play_on(0)
    # The sequence of slips is told.
    slips = page.told.inner_text()
    assert re.search(r"The win was given away\. Slips: \d+\. \S+\? turns a win into a (draw|loss)", slips)
    shown = page.locator("#record .slip").all_inner_texts()
    assert shown == re.findall(r"\d+\. (\S+\?)", slips)
    record = page.record.all_inner_texts()
    assert any(move.endswith("!") for move in record)
    file = save(page, tmp_path)
    text = file.read_text()
    assert text.splitlines()[1] == f"{EXAMPLE}, wins"
    program = request.config.getoption("--program")
    checked = subprocess.run([program, "study", file, "--tables", TABLES], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert len(re.findall(r"confirmed +\d+\.+ \S+\?: ", checked.stdout)) == 2
    # It is read again, and judged again.
    page.open(DRAW)
    load(page, tmp_path, text)
    expect(page.record).to_have_text(record)
    expect(page.locator("#record .slip")).to_have_text(shown)


def test_the_first_study_of_a_file_is_read(page, tmp_path):
    page.open(EXAMPLE)
    load(page, tmp_path, """# A fork that fails
c3W e5W c5B e3B, Black to move loses
{A retreat (would) leave two separate oppositions.}
1... 10-13  2. C3–B4! (2. c3-d2? d4-e5-f6BW 0-1 [2... d4xb2])  d4-e5-f6
3. b4xd6 ; a comment
0-1
# Another
a1W b2B c3W, White to play and win 1. c3-d4
""")
    expect(page.record).to_have_text(["e3-d4", "c3-b4!", "c3-d2?", "d4-e5-f6BW", "d4-e5-f6BW", "b4-c5-d6WB"])
    expect(page.get_by_role("alert")).to_have_text(re.compile(r"^Line 4, column 55: expected a legal move"))
    # Marks are kept where the values are not known; where nothing is known, none is saved.
    load(page, tmp_path, f"{START} 1. a3-b4?! a5-c3")
    expect(page.get_by_role("alert")).to_contain_text("found \"a5-c3\"")
    expect(page.record).to_have_text(["a3-b4?!"])
    play(page, "c3-b4")
    assert save(page, tmp_path).read_text().splitlines() == [START, "1. a3-b4?! (1. c3-b4)"]
    # What is not understood is said, and nothing is lost.
    for text, error in [
        ("", "Line 1, column 1: expected a study"),
        ("no position", "Line 1, column 1: expected"),
        (f"{START} 1. a3-b4\na7-b6 2. hello", "Line 2, column 10: expected a move after its number"),
        (f"{START} 1. a3-b4 (or not)", "expected a move in the variation"),
    ]:
        load(page, tmp_path, text)
        expect(page.get_by_role("alert")).to_contain_text(error)
        page.has_played(["a3-b4", "c3-b4"])
        page.settled()


def test_titles_comments_and_results_are_kept_and_each_study_of_a_file_can_be_chosen(page, tmp_path):
    page.open(EXAMPLE)
    page.choice = page.locator("#choice")
    expect(page.choice).to_be_hidden()
    first = f"""# One
{START}, 1/2
{{No claim of mine}}
1. c3-d4!? {{Played first}} e5-c3
2. d2-b4?! ; see }} there
(2. b2-d4 1/2 {{or so}}) g5-f4 1-0
"""
    load(page, tmp_path, first + "# Two\nb2B d2W a7W w {Quick}\n1. d2-c1")
    expect(page.locator("#studies option")).to_have_text(["One", "Two"])
    expect(page.record).to_have_text(["c3-d4!?", "e5-d4-c3bw", "d2-c3w-b4wb?!", "b2-c3w-d4wb", "g5-f4"])
    text = save(page, tmp_path).read_text()
    # What is saved is read again, and saved as it was, under the name of the file. A reload keeps all of it.
    load(page, tmp_path, text)
    expect(page.choice).to_be_visible()
    page.settled()
    for _ in range(2):
        file = save(page, tmp_path)
        assert file.name == "game.study" and file.read_text() == text
        page.reload()
        expect(page.locator("#studies option")).to_have_text(["One", "Two"])
        page.settled()
    assert text.startswith(f"# One\n{START}, 1/2\n{{No claim of mine}}\n1. c3-d4!? {{Played first}}")
    for part in ["; see } there\n", "1/2 {or so})", " 1-0\n"]:
        assert part in text
    load(page, tmp_path, first + "b2B d2W a7W w {Quick}\n1. d2-c1")
    page.settled()
    page.choice.locator("select").select_option("Line 7")
    page.is_at(WIN_IN_5)
    page.has_played(["d2-c1"])
    assert "{Quick}" in save(page, tmp_path).read_text()
    # The choice is that of the game shown, and goes with it.
    page.go_back()
    page.has_played(["c3-d4", "e5-d4-c3bw", "d2-c3w-b4wb", "b2-c3w-d4wb", "g5-f4"])
    expect(page.locator("#studies")).to_have_value("0")
    page.open(EXAMPLE)
    expect(page.choice).to_be_hidden()


def test_a_game_is_pasted_as_text(page):
    page.open(EXAMPLE)
    page.look_up("start 1. c3-d4 e5-c3")
    page.has_played(["c3-d4", "e5-d4-c3bw"])
    page.settled()
    page.position.fill(f"# One\n{EXAMPLE}\n1. c3-b4 b6–a5\n2. hello")
    expect(page.position).to_have_attribute("rows", "4")
    page.push("Look up")
    # What is wrong with it can be put right.
    expect(page.get_by_role("alert")).to_contain_text("Line 4, column 4: expected a move")
    expect(page.position).to_have_value(re.compile("hello$"))
    page.look_up(page.position.input_value().replace("2. hello", ""))
    page.has_played(["c3-b4", "b6-a5"])
    expect(page.locator("#position-error")).to_be_empty()
    expect(page.position).to_have_attribute("rows", "1")
    # A study with a title is shown from its first position, and a game alone from its end.
    page.is_at(EXAMPLE)
    page.look_up(f"{EXAMPLE} 1. c3-b4 b6-a5")
    page.is_at("e3BW b4WW a5B w")
    # A game without a position begins at that of the board.
    for text in ["c3-b4 b6-a5", "1. c3-b4 b6-a5"]:
        page.open(EXAMPLE)
        page.look_up(text)
        page.has_played(["c3-b4", "b6-a5"])
        page.settled()
    page.look_up("e3-d2 hello")
    expect(page.get_by_role("alert")).to_have_text(re.compile('^Expected a move, .* found "hello"\\.$'))
    # Each text has its own error, also where the one before is no position.
    page.look_up("hello world")
    expect(page.get_by_role("alert")).to_contain_text('found "hello"')
    page.look_up(f"{EXAMPLE}\n1. e2-e4")
    expect(page.get_by_role("alert")).to_contain_text('found "e2"')
    page.settled()
    expect(page.get_by_role("alert")).to_contain_text('found "e2"')


def test_moves_that_lead_back_to_the_same_position_leave_the_field(page):
    page.open("a1W g7B w")
    for count, text in [(4, "1. a1-b2 g7-f6 2. b2-a1 f6-g7"), (8, "a1-b2 g7-f6 b2-a1 f6-g7 a1-b2 g7-f6 b2-a1 f6-g7")]:
        page.look_up(text)
        expect(page.record).to_have_count(count)
        page.is_at("a1W g7B w")


def test_a_file_of_many_games_is_read(page, tmp_path):
    games = [f"# Game {i}\n{WIN_IN_5}\n{{A comment that goes on\n# in the next line.}}\n1. a7-b6 d2-c1\n" for i in range(1500)]
    games += [f"{WIN_IN_5}\n1. a7-b6 b2-c1 2. b6-c5\n"] * 300
    text = "".join(games)
    for count in [800, 1800]:
        page.open(EXAMPLE)
        load(page, tmp_path, "".join(games[:count]))
        expect(page.locator("#studies option")).to_have_count(count)
        expect(page.get_by_role("alert")).to_have_text(re.compile("^Line 5, column 10: "))
    page.locator("#studies").select_option("Game 1499")
    expect(page.get_by_role("alert")).to_have_text(re.compile("^Line 7500, column 10: "))
    page.locator("#studies").select_option("Line 7503")
    page.has_played(["a7-b6", "b2-c1", "b6-c5"])
    load(page, tmp_path, text + "hello")
    expect(page.get_by_role("alert")).to_contain_text("Line 8101, column 1: expected a move")
    load(page, tmp_path, f"{WIN_IN_5} {{{'x' * 70_000}}}")
    page.is_at(WIN_IN_5)


@pytest.mark.server
def test_the_game_of_a_link_is_not_lost_before_it_is_loaded(page):
    address = f"{page.server.url}?position=start#moves=c3-d4.e5-d4-c3bw"
    caught = page.catch("**/studies*")
    page.goto(address)
    page.shows(value="Loading the game…")
    page.push("Flip view", "Save game")
    page.shows(live="The game is still being loaded.")
    caught().abort()
    page.shows(value="No answer", detail="The server cannot be reached.")
    page.push("Flip view", "Flip view")
    for ask in [page.reload, lambda: page.push("Look up"), lambda: page.push("Try again")]:
        assert page.url == address
        ask()
        page.shows(value="Loading the game…")
        caught().abort()
        page.shows(value="No answer")
    page.wrong.clear()
    page.unroute_all()
    page.push("Try again")
    page.has_played(["c3-d4", "e5-d4-c3bw"])
    page.settled()
    assert page.url.endswith("#moves=c3-d4.e5-d4-c3bw")


@pytest.mark.server
def test_a_game_that_is_being_loaded_is_said_and_not_lost(page, tmp_path):
    page.open(EXAMPLE)
    caught = page.catch("**/studies*")
    load(page, tmp_path, f"{START} 1. c3-d4")
    page.shows(value="Loading the game…", live="Loading the game.")
    for press in [lambda: page.push("Look up"), lambda: page.keys("s", at="a1"), page.locator("#examples a").last.click, lambda: page.push("Exchange colours")]:
        page.evaluate("document.querySelector('#live').textContent = ''")
        press()
        page.shows(live="The game is still being loaded.")
        page.choose("Set up")
    page.choose("Play")
    caught().fallback()
    page.has_played(["c3-d4"])


def test_all_moves_that_the_program_reads_are_read(page, request):
    page.open(DRAW)
    for file in sorted((ROOT / "tests/studies").glob("*.study")):
        command = [request.config.getoption("--program"), "study", file, "--json", "--seconds", "0", "--tables", TABLES]
        checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
        page.locator("#file").set_input_files(file)
        expect(page.record).to_have_count(json.loads(checked.splitlines()[0])["moves"])
        page.settled()
        expect(page.locator("#position-error")).to_be_empty()


def test_a_long_game_keeps_its_beginning(page, tmp_path):
    page.open(EXAMPLE)
    moves = ["a1-b2", "a7-b6", "b2-a1", "b6-a7"] * 200
    load(page, tmp_path, f"{REPEATED} {' '.join(moves)}")
    expect(page.record).to_have_count(800)
    page.is_at(REPEATED)
    # Its link and the browser's history have all of it.
    for address in [page.url, None]:
        page.goto(address) if address else page.reload()
        expect(page.record).to_have_count(800)
        page.is_at(REPEATED)
    assert len(page.evaluate("history.state.entries")) == 801


def test_one_steps_quickly_through_a_game_of_5000_plies(page):
    page.open(EXAMPLE)
    page.look_up(f"{REPEATED}\n{'a1-b2 a7-b6 b2-a1 b6-a7 ' * 1250}")
    expect(page.record).to_have_count(5000)
    page.settled()
    took = page.evaluate("""() => {
        const start = performance.now();
        for (let i = 0; i < 4; i++) document.querySelector("#back").click();
        return performance.now() - start;
    }""")
    page.is_at(REPEATED)
    # If each move were looked for in the whole game, a step would take 3 seconds.
    assert took < 4000


def test_a_move_is_one_step_of_the_record_and_of_the_address(page):
    page.open(EXAMPLE)
    page.evaluate("""() => {
        window.writes = [];
        for (const name of ["pushState", "replaceState"]) {
            const change = history[name];
            history[name] = function (...more) { writes.push(name); change.apply(this, more); };
        }
        window.restore = () => { delete history.pushState; delete history.replaceState; };
    }""")
    page.first_move.click()
    page.is_at("e3BW b4WW b6B b")
    expect(page.record).to_have_text(["c3-b4!"])
    page.wait_for_timeout(200)
    assert page.evaluate("restore(), writes") == ["pushState"]
    # The mark is there after a reload, though the address was not written again.
    page.reload()
    expect(page.record).to_have_text(["c3-b4!"])


def test_what_the_search_has_solved_is_practised_against_it(page, serve):
    page.open("d2b c5w e5W w")
    page.search.check()
    page.shows(value="White wins…")
    page.push("Practise against the search")
    page.my_turn()
    page.shows(goal="You play White: win")
    expect(page.tally).to_have_text(re.compile("0 plies played, best (at most )?[0-9]+, no slip"))
    expect(page.locator(".pill, #verdict").filter(visible=True)).to_have_count(0)
    # The page's answers tell what is best; a hint tells it too.
    while page.my_turn():
        page.push("Hint", "Hint")
        expect(page.told).to_have_text(re.compile(r"Hint: \S+\.$"))
        move = re.search(r"Hint: (\S+)\.$", page.told.inner_text())[1]
        page.locator(f"[data-move='{move}'] button").dispatch_event("click")
    expect(page.goal).to_have_text(re.compile("^Won in [0-9]+ plies, best .*no slip, [0-9]+ hints"))
    # A slip is told, a reload goes on, and a link opens practice.
    page.open(LASKER, practice="white")
    page.my_turn()
    page.shows(goal="You play White: win")
    page.locator("[data-move='c1-d2'] button").click()
    page.my_turn()
    page.shows(told="…c1-d2 gave away the win: the game is now lost.…")
    page.reload()
    page.shows(tally="…1 slip…")
    page.my_turn()
    page.goto("about:blank")
    page.open(LASKER, practice="black")
    page.my_turn()
    page.shows(goal="You play Black: hold out")
    # A server that does not search cannot play.
    page.open(NO_TABLE, serve("--searches", "0"), practice="white")
    expect(page.detail).to_have_text(re.compile("This server does not search|Practice needs"))


def test_practice_begins_from_any_position(page):
    page.open(START)
    page.push("Practise against the search")
    page.my_turn()
    page.shows(goal="You play White", told="Your move.", tally="0 plies played")
    expect(page.locator(".pill").filter(visible=True)).to_have_count(0)
    page.get_by_label("Strength").select_option("weak")
    for count in [2, 4]:
        page.first_move.click()
        expect(page.record).to_have_count(count)
        page.my_turn()
        page.shows(told="Black has played …", tally=f"{count} plies played")
    # A hint is what looks best to the search.
    page.push("Hint")
    page.shows(told="…Hint, a guess of the search: move the column on …")
    page.push("Hint")
    move = re.search(r"guess of the search: (\S+)\.$", page.told.inner_text())[1]
    assert move in [move for move, _ in page.moves()]
    expect(page.locator(".path .line").first).to_be_visible()
    # What is proved is told, and what each side played is known after a reload.
    page.reload()
    page.my_turn()
    page.shows(told=f"…guess of the search: {move}.", tally="4 plies played, 1 hint")
    page.push("Take back")
    page.my_turn()
    page.shows(tally="2 plies played, 1 other move taken back, 1 hint")
    page.push("Leave practice")
    expect(page.locator("#practise")).to_be_visible()
    expect(page.record).to_have_count(2)


def test_the_first_move_does_not_wait_and_another_strength_counts_at_once(new_page):
    page, seconds = new_page(), []
    page.on("request", lambda request: "/solve?" in request.url and seconds.append(re.search(r"seconds=(\d+)", request.url)[1]))
    strength = page.get_by_label("Strength")
    below = lambda: page.locator(".try").bounding_box()["y"]
    page.open("a1w c1w e1w g1w b2w d2w f2w a3bw c3bw e3w g3w e5b g5b b6b d6b f6b a7b c7b e7b g7b w")
    page.push("Practise against the search")
    strength.select_option("full")
    page.shows(goal="You play White", told="Your move.")
    place = below()
    move = page.first_move.locator(".move").inner_text()
    page.first_move.click()
    page.shows(told="Black is thinking…", live=f"You have played {move}. Black is thinking.")
    assert page.moves() == [] and below() == place
    # Whoever looks the position up again gets no reply that is half thought out.
    page.push("Look up")
    page.settled()
    page.shows(told="Black is thinking…")
    strength.select_option("weak")
    expect(page.record).to_have_count(2)
    page.my_turn()
    assert page.server.is_site or seconds == ["3", "10", "1"]
    page.reload()
    page.my_turn()
    expect(strength).to_have_value("weak")


# The browser refuses to change its history more often than this, as Safari does.
MANY = 100
SAFARI = """
    const times = [];
    window.most = %d;
    for (const name of ["pushState", "replaceState"]) {
        const change = history[name];
        history[name] = function (...more) {
            const now = performance.now();
            if (times.filter((time) => time > now - 30_000).length >= most) throw new DOMException("too many", "SecurityError");
            times.push(now);
            change.apply(this, more);
        };
    }
""" % MANY


def test_steps_are_quick_where_the_browser_allows_few_changes_of_its_history(new_page):
    page = new_page()
    page.context.add_init_script(SAFARI)
    page.open(WIN_IN_5)
    page.best_line.last.click()
    expect(page.record).to_have_count(5)
    page.settled()
    page.evaluate("pace = 1")
    for _ in range(MANY):
        page.keys(",", ".", at="a1")
    page.keys(",", at="a1")
    page.shows(value="White wins in 1 ply")
    page.wait_for_url(re.compile("at=4$"))
    # Nothing is lost if the browser refuses.
    page.evaluate("most = 0")
    page.keys(",", at="a1")
    page.shows(value="Black loses in 2 plies")
    page.evaluate("[most, pace] = [1000, 0.02]")
    page.wait_for_url(re.compile("at=3$"))
    page.reload()
    page.shows(value="Black loses in 2 plies")
    expect(page.record).to_have_count(5)


def has_lines(page, *lines):
    """Waits until the record has these moves, whatever marks they have. Variations are in lists of their own."""
    page.wait_for_function("""(expected) => {
        const of = (list) => [...list.children].map((li) => li.className === "variation" ? of(li.firstChild) : li.querySelector("button").textContent.replace(/[!?]+$/, ""));
        return JSON.stringify(of(document.querySelector("#record"))) === JSON.stringify(expected);
    }""", arg=lines)


def play(page, *moves):
    for move in moves:
        page.locator(f"#moves [data-move='{move}'] button").click()
        expect(page.locator("#record [aria-current]")).to_have_text(re.compile(re.escape(move)))
        page.settled()


def test_another_move_begins_a_variation(page, tmp_path, request):
    page.open(EXAMPLE)
    play(page, "c3-b4", "b6-a7", "b4-a3")
    page.push("Step back", "Step back")
    page.settled()
    play(page, "b6-a5")
    has_lines(page, "c3-b4", "b6-a7", ["b6-a5"], "b4-a3")
    # A move that is there already is not added, and the line that is shown is the one for the steps and the link.
    page.push("Step back")
    page.settled()
    play(page, "b6-a7")
    page.push("Step back", "Step forward")
    page.settled()
    page.push("To the end")
    has_lines(page, "c3-b4", "b6-a7", ["b6-a5"], "b4-a3")
    expect(page.page).to_have_url(re.compile(r"#moves=c3-b4\.b6-a7\.b4-a3$"))
    expect(page.button("Make it the main line")).to_be_disabled()
    expect(page.button("Remove variation")).to_be_disabled()
    page.locator("#record button").nth(2).click()
    page.settled()
    expect(page.page).to_have_url(re.compile(r"#moves=c3-b4\.b6-a5$"))
    play(page, "b4-c3")
    page.keys(",", ",", at="a1")
    page.settled()
    # Variations may have variations.
    play(page, "b6-c7")
    page.keys(",", ".", at="a1")
    page.settled()
    page.locator("#record button", has_text="b6-a5").click()
    page.settled()
    play(page, "b4-a3")
    tree = ["c3-b4", "b6-a7", ["b6-a5", "b4-c3", ["b4-a3"]], ["b6-c7"], "b4-a3"]
    has_lines(page, *tree)
    # They are there again after a reload, and in a file, which the program confirms.
    page.reload()
    has_lines(page, *tree)
    page.settled()
    file = save(page, tmp_path)
    moves = re.sub(r"[!?]+|(1-0|0-1|1/2) ?", "", file.read_text()).split("\n", 2)[2].split()
    assert " ".join(moves).replace(" )", ")") == "1. c3-b4 b6-a7 (1... b6-a5 2. b4-c3 (2. b4-a3)) (1... b6-c7) 2. b4-a3"
    program = request.config.getoption("--program")
    checked = subprocess.run([program, "study", file, "--tables", TABLES], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    # The line that is shown is made the main one, with the keys alone.
    page.button("Make it the main line").focus()
    page.keys("Enter")
    has_lines(page, "c3-b4", "b6-a5", ["b6-a7", "b4-a3"], ["b6-c7"], "b4-a3", ["b4-c3"])
    page.shows(live="This is the main line now.…")
    page.locator("#record button", has_text="b4-c3").click()
    page.settled()
    page.push("Remove variation")
    has_lines(page, "c3-b4", "b6-a5", ["b6-a7", "b4-a3"], ["b6-c7"], "b4-a3")
    page.shows(live="The variation is removed.…")
    # The browser's step back brings it back.
    page.go_back()
    has_lines(page, "c3-b4", "b6-a5", ["b6-a7", "b4-a3"], ["b6-c7"], "b4-a3", ["b4-c3"])
    page.open(DRAW)
    expect(page.locator("#variations")).to_be_hidden()
    load(page, tmp_path, file.read_text())
    has_lines(page, *tree)
    page.is_at(EXAMPLE)
    page.push("To the end")
    page.is_at("a3WW e3BW a7B b")


def test_variations_of_a_study_are_read(page, tmp_path):
    page.open(EXAMPLE)
    load(page, tmp_path, """# A fork that fails
c3W e5W c5B e3B, Black to move loses
4. . . e3-d4 (5. c3-b2) 5. c3-b4! [5. c3-d2? d4-e5-f6BW 0-1; nor
6. d2-c3? (6. d2-e3 c5-d6 (6... c5-d4))] d4-e5-f6 6. b4xd6
0-1
""")
    # A variation whose number says so follows the move before it.
    has_lines(page, "e3-d4", "c3-b4", ["c3-b2"], ["c3-d2", "d4-e5-f6BW", "d2-c3", ["d2-e3", "c5-d6", ["c5-d4"]]], "d4-e5-f6BW", "b4-c5-d6WB")
    # What is not legal is left out, with what follows it, and the page says so.
    load(page, tmp_path, f"{EXAMPLE} 1. c3-b4 (1. c3-a1 b6-a5 2. b4-a3) b6-a7 (1... b6-c7 (1... g1-f2)) 2. b4-a3")
    expect(page.get_by_role("alert")).to_have_text(re.compile("^Line 1, column 30: expected a legal move .* 1 more move is not legal.$"))
    has_lines(page, "c3-b4", "b6-a7", ["b6-c7"], "b4-a3")
    # A variation that repeats a move adds nothing.
    load(page, tmp_path, f"{EXAMPLE} 1. c3-b4 (c3-b4 b6-a5) b6-a7")
    has_lines(page, "c3-b4", "b6-a7", ["b6-a5"])
