/*
 * Searches positions through lasca_tb.h: what is won, lost, drawn and open, the limits, cancelling,
 * and what is wrong. bindings/c/tests/programs.rs compiles and runs it:
 *
 *     search TABLES DAMAGED WDL
 *
 * The folders are those of test.c.
 */

#include "check.h"

#include <pthread.h>

/* An ending of fourteen counters that Lasker published in 1911. White wins. */
static const char LASKER[] = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";
static const char START[] = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";

enum { ALL_GOALS = LASCA_TB_FIND_DTW + LASCA_TB_FIND_MOVES };

static lasca_tb_search *search_of(const lasca_tb *tables, const char *text, int32_t rules,
                                  uint64_t memory)
{
    lasca_tb_search_options options = LASCA_TB_SEARCH_OPTIONS_INIT;
    lasca_tb_position position = position_of(text);
    lasca_tb_search *search = NULL;
    options.rules = rules;
    options.memory_bytes = memory;
    or_exit(lasca_tb_search_new(tables, &position, &options, &search), text);
    return search;
}

/* One thread, so that each run finds the same. */
static lasca_tb_search_limits limits_of(uint32_t goals)
{
    lasca_tb_search_limits limits = LASCA_TB_SEARCH_LIMITS_INIT;
    limits.threads = 1;
    limits.goals = goals;
    return limits;
}

/* Searches until nothing is left to find out. */
static lasca_tb_searched solve(lasca_tb_search *search, uint32_t goals)
{
    lasca_tb_search_limits limits = limits_of(goals);
    lasca_tb_searched result;
    lasca_tb_stop stop = LASCA_TB_CANCELLED;
    or_exit(lasca_tb_search_run(search, &limits, &stop), "search");
    CHECK(stop == LASCA_TB_FINISHED);
    or_exit(lasca_tb_search_result(search, &result), "result");
    return result;
}

/* Checks the best line of a position: as long as the distance, to a game that is over. */
static void check_line(const lasca_tb_search *search, int32_t rules, lasca_tb_line_end expected,
                       int32_t dtw)
{
    static lasca_tb_move line[64];
    lasca_tb_line_end end = LASCA_TB_LINE_OPEN;
    char text[4096];
    size_t plies = 0, needed = 0, count = 1;
    CHECK(lasca_tb_search_line(search, NULL, line, 64, &plies, &end) == LASCA_TB_OK);
    CHECK(end == expected && (dtw == LASCA_TB_NO_DTW || plies == (size_t)dtw));
    CHECK(lasca_tb_line_to_text(line, plies, end, text, sizeof text, &needed) == LASCA_TB_OK);
    CHECK(strcmp(text + needed - 4, end == LASCA_TB_WHITE_WINS ? "1-0"
                                    : end == LASCA_TB_BLACK_WINS ? "0-1" : "1/2") == 0);
    if (plies == 0)
        return;
    CHECK(line[0].value.wdl == LASCA_TB_OPEN);
    if (dtw != LASCA_TB_NO_DTW) {
        CHECK(lasca_tb_legal_moves(rules, &line[plies - 1].after, NULL, 0, &count) == LASCA_TB_OK);
        CHECK(count == 0);
    }
    /* The line of the next position is the rest of it. */
    if (dtw > 1) {
        static lasca_tb_move rest[64];
        CHECK(lasca_tb_search_line(search, &line[0].after, rest, 64, &count, &end) == LASCA_TB_OK);
        CHECK(count == plies - 1 && end == expected && same_move(&rest[0], &line[1]));
    }
}

/* Solves a position, its distance and its moves, and compares all that is told of them. */
static void check_solved(const lasca_tb *tables, const char *text, int32_t rules, int32_t wdl,
                         int32_t dtw)
{
    lasca_tb_search *search = search_of(tables, text, rules, 0);
    lasca_tb_searched result = solve(search, 0);
    lasca_tb_move moves[64], replies[64], next[64];
    int white_wins = (wdl == LASCA_TB_WIN) == (position_of(text).side_to_move == LASCA_TB_WHITE);
    size_t count = 0, reply_count, next_count, i;

    CHECK(result.value.wdl == wdl && result.value.dtw == LASCA_TB_NO_DTW);
    CHECK(dtw == LASCA_TB_NO_DTW ? result.value.at_most == dtw : result.value.at_most >= dtw);
    result = solve(search, ALL_GOALS);
    CHECK(result.value.wdl == wdl && result.value.dtw == dtw && result.value.at_most == dtw);
    CHECK(result.value.white_excluded || (wdl != LASCA_TB_DRAW && white_wins));
    CHECK(result.value.black_excluded || (wdl != LASCA_TB_DRAW && !white_wins));
    CHECK((result.value.white_excluded && result.value.black_excluded) == (wdl == LASCA_TB_DRAW));
    CHECK(result.status.positions > 0 && result.status.bytes > 0);
    CHECK(result.status.expanded <= result.status.positions);
    check_line(search, rules, wdl == LASCA_TB_DRAW ? LASCA_TB_REPETITION
                              : white_wins ? LASCA_TB_WHITE_WINS : LASCA_TB_BLACK_WINS, dtw);

    /* The best move comes first, and is worth what the position is. */
    CHECK(lasca_tb_search_moves(search, NULL, moves, 64, &count) == LASCA_TB_OK);
    CHECK((count == 0) == (dtw == 0));
    for (i = 0; i < count; i++) {
        CHECK(moves[i].value.wdl != LASCA_TB_OPEN && moves[i].value.wdl <= wdl);
        CHECK((moves[i].value.white_excluded && moves[i].value.black_excluded)
              == (moves[i].value.wdl == LASCA_TB_DRAW));
        CHECK(i > 0 || (moves[i].value.wdl == wdl && moves[i].value.at_most == dtw));
    }
    /* After the best move and each reply, the proof knows how to go on. */
    if (wdl == LASCA_TB_WIN && dtw > 1) {
        CHECK(lasca_tb_search_moves(search, &moves[0].after, replies, 64, &reply_count)
              == LASCA_TB_OK);
        CHECK(reply_count > 0 && replies[0].value.wdl == LASCA_TB_LOSS);
        CHECK(replies[0].value.at_most == dtw - 1);
        for (i = 0; i < reply_count; i++) {
            CHECK(lasca_tb_search_moves(search, &replies[i].after, next, 64, &next_count)
                  == LASCA_TB_OK);
            CHECK(next_count > 0 && next[0].value.wdl == LASCA_TB_WIN);
            CHECK(next[0].value.at_most <= dtw - 2);
        }
    }
    lasca_tb_search_free(search);
}

static void what_is_proved_is_told(const lasca_tb *tables)
{
    static const struct {
        const char *text;
        int32_t rules, wdl, dtw;
    } known[] = {
        {"c5w e5W d2b w", LASCA_TB_RULES_LASCA, LASCA_TB_WIN, 5},
        {"a1B b2w b4wwb w", LASCA_TB_RULES_LASCA, LASCA_TB_WIN, 5},
        {"d2b d4W c5w b", LASCA_TB_RULES_LASCA, LASCA_TB_LOSS, 4},
        {"d2W d4W f2B f4B b", LASCA_TB_RULES_LASCA, LASCA_TB_DRAW, LASCA_TB_NO_DTW},
        {"a1wBWb c3w b", LASCA_TB_RULES_LASCA, LASCA_TB_LOSS, 0},
        {"a5w b6b c7b w", LASCA_TB_RULES_LASCA, LASCA_TB_LOSS, 0},
        {"a1W b2BB w", LASCA_TB_RULES_LASCA, LASCA_TB_LOSS, 2},
        {"a1W b2BB w", LASCA_TB_RULES_BIGNOR, LASCA_TB_LOSS, 2},
        {"a1W b2BB w", LASCA_TB_RULES_REJUMP, LASCA_TB_WIN, 1},
    };
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        check_solved(NULL, known[i].text, known[i].rules, known[i].wdl, known[i].dtw);
        if (known[i].rules == LASCA_TB_RULES_LASCA)
            check_solved(tables, known[i].text, known[i].rules, known[i].wdl, known[i].dtw);
    }
}

static void tables_are_leaves_and_may_be_freed_first(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_search *with = search_of(tables, "a3w c3w e7B w", LASCA_TB_RULES_LASCA, 0);
    lasca_tb_search *without = search_of(NULL, "a3w c3w e7B w", LASCA_TB_RULES_LASCA, 0);
    lasca_tb_searched found, expected;
    lasca_tb_free(tables);
    found = solve(with, LASCA_TB_FIND_DTW);
    expected = solve(without, LASCA_TB_FIND_DTW);
    CHECK(found.value.wdl == expected.value.wdl && found.value.dtw == expected.value.dtw);
    CHECK(found.value.wdl != LASCA_TB_OPEN && found.value.dtw > 0);
    lasca_tb_search_free(with);
    lasca_tb_search_free(without);
}

/* The folder has no DTW file for two counters against one. */
static void without_distances_a_move_that_keeps_the_result_is_found(const char *folder)
{
    static const struct {
        const char *text;
        int32_t wdl;
    } known[] = {
        {"b2B d2W a7W w", LASCA_TB_WIN},
        {"b2B f6W a7W b", LASCA_TB_LOSS},
        {"c5w g3W e7B w", LASCA_TB_WIN},
    };
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_searched result;
    lasca_tb_move moves[64];
    size_t i, j, count;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        lasca_tb_search *search = search_of(tables, known[i].text, LASCA_TB_RULES_LASCA, 1 << 24);
        result = solve(search, 0);
        CHECK(result.value.wdl == known[i].wdl && result.value.at_most == LASCA_TB_NO_DTW);
        CHECK(lasca_tb_search_line(search, NULL, NULL, 0, &count, NULL) == LASCA_TB_OK);
        CHECK(count == 0);
        /* In the first two positions, the table answers without looking at the moves. */
        CHECK(lasca_tb_search_moves(search, NULL, moves, 64, &count) == LASCA_TB_OK);
        CHECK((moves[0].value.wdl == LASCA_TB_OPEN) == (i < 2));
        solve(search, ALL_GOALS);
        CHECK(lasca_tb_search_moves(search, NULL, moves, 64, &count) == LASCA_TB_OK && count > 0);
        CHECK(moves[0].value.wdl == known[i].wdl);
        for (j = 1; j < count; j++)
            if (moves[j].value.wdl == moves[j - 1].value.wdl)
                CHECK(moves[j].value.at_most == LASCA_TB_NO_DTW
                      || moves[j - 1].value.at_most != LASCA_TB_NO_DTW);
        lasca_tb_search_free(search);
    }
    lasca_tb_free(tables);
}

/* Stops after some calls. */
static int32_t count_down(void *user, const lasca_tb_search_status *status)
{
    int *left = user;
    CHECK(status->positions > 0);
    return --*left > 0;
}

static void at_a_limit_the_position_is_open_and_the_search_goes_on(void)
{
    lasca_tb_search *search = search_of(NULL, START, LASCA_TB_RULES_LASCA, 64 << 20);
    lasca_tb_search_limits limits = limits_of(ALL_GOALS);
    lasca_tb_searched result;
    lasca_tb_move moves[8];
    lasca_tb_stop stop = LASCA_TB_FINISHED;
    lasca_tb_line_end line_end = LASCA_TB_REPETITION;
    uint64_t positions;
    size_t count, i;
    int left = 8;

    limits.milliseconds = 20;
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_TIME_OVER);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.value.wdl == LASCA_TB_OPEN);
    CHECK(result.value.dtw == LASCA_TB_NO_DTW && result.value.at_most == LASCA_TB_NO_DTW);
    CHECK(!result.value.white_excluded && !result.value.black_excluded);
    positions = result.status.positions;
    CHECK(lasca_tb_search_line(search, NULL, NULL, 0, &count, &line_end) == LASCA_TB_OK);
    CHECK(count == 0 && line_end == LASCA_TB_LINE_OPEN);
    CHECK(lasca_tb_search_moves(search, NULL, moves, 8, &count) == LASCA_TB_OK && count == 6);
    for (i = 0; i < count; i++)
        CHECK(moves[i].value.wdl == LASCA_TB_OPEN && moves[i].value.at_most == LASCA_TB_NO_DTW);
    CHECK(lasca_tb_search_moves(search, NULL, moves, 5, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 6);

    limits = limits_of(0);
    limits.threads = 2;
    limits.progress = count_down;
    limits.user = &left;
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_CANCELLED && left == 0);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.status.positions > positions);
    lasca_tb_search_free(search);

    search = search_of(NULL, START, LASCA_TB_RULES_LASCA, 4 << 20);
    CHECK(lasca_tb_search_run(search, NULL, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_MEMORY_FULL);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.value.wdl == LASCA_TB_OPEN && result.status.bytes <= 4 << 20);
    lasca_tb_search_free(search);
}

static void *cancel_soon(void *user)
{
    lasca_tb_search *search = user;
    lasca_tb_searched result;
    /* This waits until the other thread's call is over, unless it is the first. */
    CHECK(lasca_tb_search_cancel(search) == LASCA_TB_OK);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    return NULL;
}

static void a_search_can_be_cancelled(void)
{
    lasca_tb_search *search = search_of(NULL, START, LASCA_TB_RULES_LASCA, 1 << 30);
    lasca_tb_search_limits limits = limits_of(0);
    lasca_tb_stop stop = LASCA_TB_FINISHED;
    pthread_t thread;

    /* By another thread. */
    CHECK(pthread_create(&thread, NULL, cancel_soon, search) == 0);
    CHECK(lasca_tb_search_run(search, NULL, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_CANCELLED);
    pthread_join(thread, NULL);

    /* Before it begins; after that it goes on. */
    CHECK(lasca_tb_search_cancel(search) == LASCA_TB_OK);
    CHECK(lasca_tb_search_run(search, NULL, &stop) == LASCA_TB_OK && stop == LASCA_TB_CANCELLED);
    limits.milliseconds = 10;
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK && stop == LASCA_TB_TIME_OVER);
    lasca_tb_search_free(search);
}

static void bad_input_is_refused(const lasca_tb *tables, const char *damaged_folder)
{
    lasca_tb_search_options options = LASCA_TB_SEARCH_OPTIONS_INIT;
    lasca_tb_search_limits limits = LASCA_TB_SEARCH_LIMITS_INIT;
    lasca_tb_search *search = NULL;
    lasca_tb_searched result;
    lasca_tb_position position = position_of(LASKER);
    lasca_tb_move played;
    lasca_tb *damaged;
    size_t count = 0;

    CHECK(lasca_tb_search_new(NULL, NULL, NULL, &search) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_new(NULL, &position, NULL, NULL) == LASCA_TB_NULL_POINTER);
    options.size = 0;
    FAILS(lasca_tb_search_new(NULL, &position, &options, &search),
          LASCA_TB_BAD_ARGUMENT, "size of a lasca_tb_search_options");
    options.size = sizeof options;
    options.rules = 3;
    CHECK(lasca_tb_search_new(NULL, &position, &options, &search) == LASCA_TB_BAD_ARGUMENT);
    options.rules = LASCA_TB_RULES_REJUMP;
    FAILS(lasca_tb_search_new(tables, &position, &options, &search),
          LASCA_TB_BAD_ARGUMENT, "rejump");
    options.rules = LASCA_TB_RULES_LASCA;
    options.memory_bytes = 100;
    CHECK(lasca_tb_search_new(tables, &position, &options, &search) == LASCA_TB_NO_MEMORY);
    position.columns[0].height = 33;
    CHECK(lasca_tb_search_new(NULL, &position, NULL, &search) == LASCA_TB_BAD_POSITION);
    position.side_to_move = 2;
    CHECK(lasca_tb_search_new(NULL, &position, NULL, &search) == LASCA_TB_BAD_ARGUMENT);
    CHECK(search == NULL);

    CHECK(lasca_tb_search_run(NULL, NULL, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_cancel(NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_result(NULL, &result) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves(NULL, NULL, NULL, 0, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_line(NULL, NULL, NULL, 0, &count, NULL) == LASCA_TB_NULL_POINTER);
    lasca_tb_search_free(NULL);
    search = search_of(tables, "c5w e5W d2b w", LASCA_TB_RULES_LASCA, 1 << 24);
    CHECK(lasca_tb_search_result(search, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves(search, NULL, &played, 1, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves(search, NULL, NULL, 9, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves(search, &position, NULL, 0, &count) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_search_line(search, &position, NULL, 0, &count, NULL) == LASCA_TB_BAD_ARGUMENT);
    limits.goals = 4;
    FAILS(lasca_tb_search_run(search, &limits, NULL), LASCA_TB_BAD_ARGUMENT, "lasca_tb_goal");
    limits.goals = 0;
    limits.reserved = 1;
    CHECK(lasca_tb_search_run(search, &limits, NULL) == LASCA_TB_BAD_ARGUMENT);
    limits.size = 1 << 20;
    CHECK(lasca_tb_search_run(search, &limits, NULL) == LASCA_TB_BAD_ARGUMENT);
    lasca_tb_search_free(search);

    /* A damaged table is told of, and not searched around. */
    damaged = open_or_exit(damaged_folder, NULL);
    position = position_of("b2B d2W a7W w");
    search = NULL;
    CHECK(lasca_tb_search_new(damaged, &position, NULL, &search) == LASCA_TB_DAMAGED_TABLE);
    CHECK(search == NULL);
    lasca_tb_free(damaged);
}

static void *check_all(void *user)
{
    char **folders = user;
    lasca_tb *tables = open_or_exit(folders[0], NULL);
    what_is_proved_is_told(tables);
    tables_are_leaves_and_may_be_freed_first(folders[0]);
    at_a_limit_the_position_is_open_and_the_search_goes_on();
    a_search_can_be_cancelled();
    without_distances_a_move_that_keeps_the_result_is_found(folders[2]);
    bad_input_is_refused(tables, folders[1]);
    lasca_tb_free(tables);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 4) {
        fprintf(stderr, "usage: %s TABLES DAMAGED WDL\n", argv[0]);
        return 2;
    }
    /* What Rust keeps for a thread is freed when the thread ends, but not for the main thread. */
    CHECK(pthread_create(&thread, NULL, check_all, argv + 1) == 0);
    pthread_join(thread, NULL);
    return told();
}
