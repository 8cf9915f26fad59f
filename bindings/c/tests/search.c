/*
 * Searches positions through lasca_tb.h: what is won, lost, drawn and open, the limits, cancelling,
 * and what is wrong. bindings/c/tests/programs.rs compiles and runs it:
 *
 *     search TABLES DAMAGED WDL
 *
 * The folders are those of test.c.
 */

#include "check.h"
#include "lasca_tb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An ending of fourteen counters that Lasker published in 1911. White wins. */
static const char LASKER[] = "a1Bw c1WwbBb f2B b4BB f4B b6b d6b a7B w";
static const char START[] = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";

static lasca_tb_search *search_of(const lasca_tb *tables, const char *text, int32_t rules,
                                  uint64_t memory)
{
    lasca_tb_search_options options;
    lasca_tb_search *search = NULL;
    CHECK(lasca_tb_search_options_init(&options, sizeof options) == LASCA_TB_OK);
    options.rules = rules;
    options.memory_bytes = memory;
    if (lasca_tb_search_new_text(tables, text, &options, &search) != LASCA_TB_OK) {
        fprintf(stderr, "%s: %s\n", text, lasca_tb_last_error());
        exit(1);
    }
    return search;
}

static lasca_tb_search_limits default_limits(void)
{
    lasca_tb_search_limits limits;
    CHECK(lasca_tb_search_limits_init(&limits, sizeof limits) == LASCA_TB_OK);
    return limits;
}

static lasca_tb *open_or_exit(const char *folder)
{
    lasca_tb *tables = NULL;
    if (lasca_tb_open(&folder, 1, NULL, &tables) != LASCA_TB_OK) {
        fprintf(stderr, "%s: %s\n", folder, lasca_tb_last_error());
        exit(1);
    }
    return tables;
}

/* Solves a position, its distance and its moves, and compares all that is told of them. */
static void check_solved(const lasca_tb *tables, const char *text, int32_t rules, int32_t wdl,
                         int32_t dtw)
{
    lasca_tb_search *search = search_of(tables, text, rules, 256 << 20);
    lasca_tb_searched result;
    lasca_tb_board_move best, *line;
    lasca_tb_searched_move moves[64];
    lasca_tb_board board, start;
    lasca_tb_stop stop = LASCA_TB_CANCELLED;
    lasca_tb_line_end line_end = LASCA_TB_LINE_OPEN;
    size_t count = 0, plies = 0, needed = 0, i;
    char words[LASCA_TB_MOVE_TEXT_SIZE], *line_text;

    CHECK(lasca_tb_search_run(search, NULL, &stop) == LASCA_TB_OK && stop == LASCA_TB_FINISHED);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.wdl == wdl && result.dtw == LASCA_TB_NO_DTW);
    CHECK(dtw == LASCA_TB_NO_DTW ? result.at_most == LASCA_TB_NO_DTW : result.at_most >= dtw);
    CHECK(lasca_tb_search_exact(search, NULL, &stop) == LASCA_TB_OK && stop == LASCA_TB_FINISHED);
    CHECK(lasca_tb_search_rate_moves(search, NULL, NULL) == LASCA_TB_OK);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.wdl == wdl && result.dtw == dtw && result.at_most == dtw);
    CHECK(result.status.positions > 0 && result.status.bytes > 0);
    CHECK(result.status.expanded <= result.status.positions);

    /* Who is proved to be unable to win. */
    CHECK(lasca_tb_board_from_text(text, &start) == LASCA_TB_OK);
    CHECK((result.white_excluded && result.black_excluded) == (wdl == LASCA_TB_DRAW));
    if (wdl != LASCA_TB_DRAW)
        CHECK((wdl == LASCA_TB_WIN) == (start.side_to_move == LASCA_TB_WHITE)
              ? result.black_excluded : result.white_excluded);

    /* The moves: the best comes first, and is worth what the position is. */
    CHECK(lasca_tb_search_moves(search, moves, 64, &count) == LASCA_TB_OK);
    CHECK(lasca_tb_search_line(search, NULL, 0, &plies, NULL) == (plies ? LASCA_TB_BUFFER_TOO_SMALL
                                                                  : LASCA_TB_OK));
    if (count == 0) {
        CHECK(plies == 0);
        CHECK(lasca_tb_search_best_move(search, &best) == LASCA_TB_GAME_OVER);
        lasca_tb_search_free(search);
        return;
    }
    CHECK(moves[0].wdl == wdl && moves[0].at_most == dtw);
    for (i = 0; i < count; i++) {
        CHECK(moves[i].wdl != LASCA_TB_OPEN && moves[i].wdl <= wdl);
        CHECK((moves[i].white_excluded && moves[i].black_excluded)
              == (moves[i].wdl == LASCA_TB_DRAW));
    }
    CHECK(lasca_tb_board_move_to_text(&moves[0].played, words, sizeof words, NULL) == LASCA_TB_OK);
    CHECK(strchr(words, '-') != NULL);

    /* After the best move and each reply, the proof knows how to go on. */
    if (wdl == LASCA_TB_WIN && dtw > 1) {
        lasca_tb_searched_move replies[64], next[64];
        size_t reply_count, next_count;
        CHECK(lasca_tb_search_moves_at(search, &moves[0].played.after, replies, 64, &reply_count)
              == LASCA_TB_OK);
        CHECK(reply_count > 0 && replies[0].wdl == LASCA_TB_LOSS && replies[0].at_most == dtw - 1);
        for (i = 0; i < reply_count; i++) {
            CHECK(lasca_tb_search_moves_at(search, &replies[i].played.after, next, 64, &next_count)
                  == LASCA_TB_OK);
            CHECK(next_count > 0 && next[0].wdl == LASCA_TB_WIN && next[0].at_most <= dtw - 2);
        }
    }

    /* The line: as long as the distance, to a position that is over. */
    line = malloc((plies + 1) * sizeof *line);
    if (line == NULL)
        exit(1);
    CHECK(lasca_tb_search_line(search, line, plies, &plies, &line_end) == LASCA_TB_OK);
    CHECK(line_end == (wdl == LASCA_TB_DRAW ? LASCA_TB_REPETITION
                       : (wdl == LASCA_TB_WIN) == (start.side_to_move == LASCA_TB_WHITE)
                           ? LASCA_TB_WHITE_WINS : LASCA_TB_BLACK_WINS));
    CHECK(lasca_tb_board_line_to_text(line, plies, line_end, NULL, 0, &needed)
          == LASCA_TB_BUFFER_TOO_SMALL);
    line_text = malloc(needed);
    if (line_text == NULL)
        exit(1);
    CHECK(lasca_tb_board_line_to_text(line, plies, line_end, line_text, needed, NULL)
          == LASCA_TB_OK);
    CHECK(strncmp(line_text, start.side_to_move == LASCA_TB_WHITE ? "1. " : "1... ", 3) == 0);
    CHECK(strcmp(line_text + needed - 4, line_end == LASCA_TB_WHITE_WINS ? "1-0"
                                         : line_end == LASCA_TB_BLACK_WINS ? "0-1" : "1/2") == 0);
    free(line_text);
    CHECK(dtw == LASCA_TB_NO_DTW || plies == (size_t)dtw);
    CHECK(lasca_tb_search_best_move(search, &best) == LASCA_TB_OK);
    CHECK(plies > 0 && memcmp(&best, &line[0], sizeof best) == 0);
    if (dtw != LASCA_TB_NO_DTW) {
        lasca_tb_search *end = NULL;
        lasca_tb_search_options options;
        CHECK(lasca_tb_search_options_init(&options, sizeof options) == LASCA_TB_OK);
        options.rules = rules;
        CHECK(lasca_tb_search_new(tables, &line[plies - 1].after, &options, &end) == LASCA_TB_OK);
        CHECK(lasca_tb_search_moves(end, NULL, 0, &count) == LASCA_TB_OK && count == 0);
        lasca_tb_search_free(end);
    }
    free(line);

    /* A position as a struct is the same as its text. */
    CHECK(lasca_tb_board_to_text(&start, words, sizeof words, NULL) == LASCA_TB_OK);
    CHECK(lasca_tb_board_from_text(words, &board) == LASCA_TB_OK);
    CHECK(memcmp(&board, &start, sizeof board) == 0);
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
    lasca_tb *tables = open_or_exit(folder);
    lasca_tb_search *with = search_of(tables, "a3w c3w e7B w", LASCA_TB_RULES_LASCA, 1 << 28);
    lasca_tb_search *without = search_of(NULL, "a3w c3w e7B w", LASCA_TB_RULES_LASCA, 1 << 28);
    lasca_tb_searched found, expected;
    lasca_tb_free(tables);
    CHECK(lasca_tb_search_run(with, NULL, NULL) == LASCA_TB_OK);
    CHECK(lasca_tb_search_run(without, NULL, NULL) == LASCA_TB_OK);
    CHECK(lasca_tb_search_exact(with, NULL, NULL) == LASCA_TB_OK);
    CHECK(lasca_tb_search_exact(without, NULL, NULL) == LASCA_TB_OK);
    CHECK(lasca_tb_search_result(with, &found) == LASCA_TB_OK);
    CHECK(lasca_tb_search_result(without, &expected) == LASCA_TB_OK);
    CHECK(found.wdl == expected.wdl && found.dtw == expected.dtw);
    CHECK(found.wdl != LASCA_TB_OPEN);
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
    lasca_tb *tables = open_or_exit(folder);
    lasca_tb_searched result;
    lasca_tb_searched_move moves[64];
    lasca_tb_board_move best;
    lasca_tb_stop stop;
    size_t i, j, count;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        lasca_tb_search *search = search_of(tables, known[i].text, LASCA_TB_RULES_LASCA, 1 << 24);
        CHECK(lasca_tb_search_run(search, NULL, &stop) == LASCA_TB_OK && stop == LASCA_TB_FINISHED);
        CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
        CHECK(result.wdl == known[i].wdl && result.at_most == LASCA_TB_NO_DTW);
        CHECK(lasca_tb_search_line(search, NULL, 0, &count, NULL) == LASCA_TB_OK && count == 0);
        /* In the first two positions, the table answers without looking at the moves. */
        CHECK(lasca_tb_search_best_move(search, &best)
              == (i < 2 ? LASCA_TB_MISSING_DTW : LASCA_TB_OK));
        CHECK(lasca_tb_search_exact(search, NULL, &stop) == LASCA_TB_OK
              && stop == LASCA_TB_FINISHED);
        CHECK(lasca_tb_search_rate_moves(search, NULL, NULL) == LASCA_TB_OK);
        CHECK(lasca_tb_search_moves(search, moves, 64, &count) == LASCA_TB_OK && count > 0);
        CHECK(lasca_tb_search_best_move(search, &best) == LASCA_TB_OK);
        CHECK(moves[0].wdl == known[i].wdl);
        CHECK(memcmp(&best, &moves[0].played, sizeof best) == 0);
        for (j = 1; j < count; j++)
            if (moves[j].wdl == moves[j - 1].wdl)
                CHECK(moves[j].at_most == LASCA_TB_NO_DTW || moves[j - 1].at_most != LASCA_TB_NO_DTW);
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
    lasca_tb_search_limits limits = default_limits();
    lasca_tb_searched result;
    lasca_tb_searched_move moves[8];
    lasca_tb_board_move best;
    lasca_tb_stop stop = LASCA_TB_FINISHED;
    lasca_tb_line_end line_end = LASCA_TB_REPETITION;
    uint64_t positions;
    size_t count, i;
    int left = 8;

    limits.milliseconds = 20;
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_TIME_OVER);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.wdl == LASCA_TB_OPEN);
    CHECK(result.dtw == LASCA_TB_NO_DTW && result.at_most == LASCA_TB_NO_DTW);
    CHECK(!result.white_excluded && !result.black_excluded);
    positions = result.status.positions;
    CHECK(lasca_tb_search_best_move(search, &best) == LASCA_TB_NOT_SOLVED);
    CHECK(lasca_tb_search_line(search, NULL, 0, &count, &line_end) == LASCA_TB_OK && count == 0);
    CHECK(line_end == LASCA_TB_LINE_OPEN);
    CHECK(lasca_tb_search_exact(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(lasca_tb_search_moves(search, moves, 8, &count) == LASCA_TB_OK && count == 6);
    for (i = 0; i < count; i++)
        CHECK(moves[i].wdl == LASCA_TB_OPEN && moves[i].at_most == LASCA_TB_NO_DTW);
    CHECK(lasca_tb_search_moves(search, moves, 5, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 6);

    limits = default_limits();
    limits.threads = 2;
    limits.progress = count_down;
    limits.user = &left;
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_CANCELLED);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.status.positions > positions);
    lasca_tb_search_free(search);

    limits = default_limits();
    limits.threads = 0;
    search = search_of(NULL, START, LASCA_TB_RULES_LASCA, 4 << 20);
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_MEMORY_FULL);
    CHECK(lasca_tb_search_result(search, &result) == LASCA_TB_OK);
    CHECK(result.wdl == LASCA_TB_OPEN && result.status.bytes <= 4 << 20);
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
    lasca_tb_search_limits limits = default_limits();
    lasca_tb_stop stop = LASCA_TB_FINISHED;
    pthread_t thread;
    int left = 5;

    /* By the function that is told of the progress. */
    limits.progress = count_down;
    limits.user = &left;
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_CANCELLED && left == 0);
    left = 3;
    CHECK(lasca_tb_search_rate_moves(search, &limits, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_CANCELLED && left == 0);

    /* By another thread. */
    stop = LASCA_TB_FINISHED;
    if (pthread_create(&thread, NULL, cancel_soon, search) != 0)
        exit(1);
    CHECK(lasca_tb_search_run(search, NULL, &stop) == LASCA_TB_OK);
    CHECK(stop == LASCA_TB_CANCELLED);
    pthread_join(thread, NULL);

    /* Before it begins; after that it goes on. */
    CHECK(lasca_tb_search_cancel(search) == LASCA_TB_OK);
    CHECK(lasca_tb_search_run(search, NULL, &stop) == LASCA_TB_OK && stop == LASCA_TB_CANCELLED);
    limits = default_limits();
    limits.milliseconds = 10;
    CHECK(lasca_tb_search_run(search, &limits, &stop) == LASCA_TB_OK && stop == LASCA_TB_TIME_OVER);
    lasca_tb_search_free(search);
}

static void bad_input_is_refused(const lasca_tb *tables, const char *damaged_folder)
{
    lasca_tb_search_options options;
    lasca_tb_search_limits limits = default_limits();
    lasca_tb_search *search = NULL;
    lasca_tb_searched result;
    lasca_tb_board board;
    lasca_tb_board_move played;
    lasca_tb *damaged;
    char words[LASCA_TB_POSITION_TEXT_SIZE];
    size_t needed = 0;

    CHECK(lasca_tb_search_options_init(&options, sizeof options) == LASCA_TB_OK);
    CHECK(options.memory_bytes > 0 && options.rules == LASCA_TB_RULES_LASCA);
    CHECK(options.size == sizeof options);
    CHECK(lasca_tb_search_options_init(NULL, sizeof options) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_options_init(&options, 8) == LASCA_TB_BAD_ARGUMENT);
    CHECK(limits.size == sizeof limits && limits.milliseconds < 0 && limits.threads == 1);
    CHECK(limits.progress == NULL && limits.user == NULL);
    CHECK(lasca_tb_search_limits_init(NULL, sizeof limits) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_limits_init(&limits, 0) == LASCA_TB_BAD_ARGUMENT);
    options.size = 0;
    CHECK(lasca_tb_search_new_text(NULL, LASKER, &options, &search) == LASCA_TB_BAD_ARGUMENT);
    CHECK(strstr(lasca_tb_last_error(), "size of a lasca_tb_search_options") != NULL);
    options.size = sizeof options;
    CHECK(lasca_tb_search_new_text(NULL, NULL, NULL, &search) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_new_text(NULL, LASKER, NULL, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_new_text(NULL, "nowhere", NULL, &search) == LASCA_TB_BAD_TEXT);
    CHECK(lasca_tb_search_new_text(NULL, "a1W\xff w", NULL, &search) == LASCA_TB_BAD_UTF8);
    CHECK(lasca_tb_search_new(NULL, NULL, NULL, &search) == LASCA_TB_NULL_POINTER);
    options.rules = 3;
    CHECK(lasca_tb_search_new_text(NULL, LASKER, &options, &search) == LASCA_TB_BAD_ARGUMENT);
    options.rules = LASCA_TB_RULES_REJUMP;
    CHECK(lasca_tb_search_new_text(tables, LASKER, &options, &search) == LASCA_TB_BAD_ARGUMENT);
    options.rules = LASCA_TB_RULES_LASCA;
    options.memory_bytes = 100;
    CHECK(lasca_tb_search_new_text(tables, LASKER, &options, &search) == LASCA_TB_NO_MEMORY);

    CHECK(lasca_tb_board_from_text(LASKER, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_board_from_text("a1W", &board) == LASCA_TB_BAD_TEXT);
    CHECK(lasca_tb_board_from_text(LASKER, &board) == LASCA_TB_OK);
    CHECK(board.columns[2].height == 0 && board.columns[1].height == 5);
    CHECK(board.columns[1].black == 0x1c && board.columns[1].officers == 0x09);
    CHECK(lasca_tb_board_to_text(&board, words, 4, &needed) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(needed == strlen(LASKER) + 1);
    CHECK(lasca_tb_board_to_text(&board, words, sizeof words, NULL) == LASCA_TB_OK);
    CHECK(strcmp(words, LASKER) == 0);
    board.columns[0].height = 33;
    CHECK(lasca_tb_search_new(NULL, &board, NULL, &search) == LASCA_TB_BAD_POSITION);
    board.columns[0].height = 1;
    CHECK(lasca_tb_search_new(NULL, &board, NULL, &search) == LASCA_TB_OK);
    lasca_tb_search_free(search);
    search = NULL;
    board.columns[0].black = 2;
    CHECK(lasca_tb_search_new(NULL, &board, NULL, &search) == LASCA_TB_BAD_POSITION);
    board.columns[0].black = 1;
    board.side_to_move = 2;
    CHECK(lasca_tb_search_new(NULL, &board, NULL, &search) == LASCA_TB_BAD_ARGUMENT);
    memset(&board, 255, sizeof board);
    CHECK(lasca_tb_search_new(NULL, &board, NULL, &search) == LASCA_TB_BAD_ARGUMENT);
    memset(&played, 255, sizeof played);
    CHECK(lasca_tb_board_move_to_text(&played, words, 96, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_board_move_to_text(NULL, words, 96, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(search == NULL);

    CHECK(lasca_tb_board_line_to_text(NULL, 1, 0, words, sizeof words, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_board_line_to_text(&played, 1, 0, words, sizeof words, NULL)
          == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_board_line_to_text(NULL, 0, 4, words, sizeof words, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_board_line_to_text(NULL, 0, LASCA_TB_BLACK_WINS, words, sizeof words, NULL)
          == LASCA_TB_OK);
    CHECK(strcmp(words, "0-1") == 0);

    CHECK(lasca_tb_search_run(NULL, NULL, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_exact(NULL, NULL, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_rate_moves(NULL, NULL, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_cancel(NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_result(NULL, &result) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves(NULL, NULL, 0, &needed) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves_at(NULL, &board, NULL, 0, &needed) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_line(NULL, NULL, 0, &needed, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_best_move(NULL, &played) == LASCA_TB_NULL_POINTER);
    lasca_tb_search_free(NULL);
    search = search_of(tables, "c5w e5W d2b w", LASCA_TB_RULES_LASCA, 1 << 24);
    CHECK(lasca_tb_search_result(search, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves(search, NULL, 0, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves_at(search, NULL, NULL, 0, &needed) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_moves_at(search, &board, NULL, 0, &needed) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_search_moves(search, NULL, 9, &needed) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_search_best_move(search, NULL) == LASCA_TB_NULL_POINTER);
    limits.size = 1 << 20;
    CHECK(lasca_tb_search_run(search, &limits, NULL) == LASCA_TB_BAD_ARGUMENT);
    lasca_tb_search_free(search);

    /* A damaged table is told of, and not searched around. */
    damaged = open_or_exit(damaged_folder);
    search = NULL;
    CHECK(lasca_tb_search_new_text(damaged, "b2B d2W a7W w", NULL, &search)
          == LASCA_TB_DAMAGED_TABLE);
    CHECK(search == NULL);
    lasca_tb_free(damaged);
}

static void *check_all(void *user)
{
    char **folders = user;
    lasca_tb *tables = open_or_exit(folders[0]);
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
    if (pthread_create(&thread, NULL, check_all, argv + 1) != 0)
        return 1;
    pthread_join(thread, NULL);
    if (failures > 0) {
        fprintf(stderr, "%d checks failed\n", failures);
        return 1;
    }
    printf("all checks passed\n");
    return 0;
}
