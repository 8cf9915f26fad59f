/*
 * Calls every function of lasca_tb.h but those of searches, which search.c calls, as C and as
 * several threads would, with what is right and with what is wrong. bindings/c/tests/programs.rs
 * compiles and runs it:
 *
 *     test TABLES DAMAGED WRONG WDL
 *
 * TABLES holds the tables that ship, DAMAGED a damaged table of 2-1 and a folder in the place of
 * the table of 1-1, WRONG the table of 2-1 under the name of that of 3-1, WDL the WDL file of 2-1
 * and both files of 3-1.
 */

#include "check.h"
#include "lasca_tb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the last error says so. */
static int last_error_has(const char *words)
{
    return strstr(lasca_tb_last_error(), words) != NULL;
}

static lasca_tb_options default_options(void)
{
    lasca_tb_options options;
    CHECK(lasca_tb_options_init(&options, sizeof options) == LASCA_TB_OK);
    return options;
}

static lasca_tb *open_or_exit(const char *folder, const lasca_tb_options *options)
{
    lasca_tb *tables = NULL;
    if (lasca_tb_open(&folder, 1, options, &tables) != LASCA_TB_OK || tables == NULL) {
        fprintf(stderr, "%s: %s\n", folder, lasca_tb_last_error());
        exit(1);
    }
    return tables;
}

static lasca_tb_position packed(const char *text)
{
    lasca_tb_position position;
    memset(&position, 0, sizeof position);
    if (lasca_tb_position_from_text(text, &position) != LASCA_TB_OK) {
        fprintf(stderr, "%s: %s\n", text, lasca_tb_last_error());
        exit(1);
    }
    return position;
}

static void versions_and_messages_are_told(void)
{
    int32_t status;
    CHECK(lasca_tb_abi_version() == LASCA_TB_ABI_VERSION);
    CHECK(strchr(lasca_tb_version(), '.') != NULL);
    for (status = LASCA_TB_OK; status <= LASCA_TB_BEYOND_COLUMNS; status++)
        CHECK(strlen(lasca_tb_status_message(status)) > 5);
    CHECK(strcmp(lasca_tb_status_message(LASCA_TB_SOLDIER), "a soldier is on the board") == 0);
    CHECK(strcmp(lasca_tb_status_message(-1), "an unknown status") == 0);
    CHECK(strcmp(lasca_tb_status_message(1000), "an unknown status") == 0);
    CHECK(strcmp(lasca_tb_last_error(), "") == 0);
}

static void opening_fails_with_a_reason(const char *folder)
{
    lasca_tb *tables = NULL;
    const char *missing = "no/such/folder";
    const char *none = NULL;
    const char *two[2];
    lasca_tb_options options = default_options();
    CHECK(options.size == sizeof options && options.reserved == 0);
    CHECK(options.rules == LASCA_TB_RULES_LASCA);
    CHECK(options.access == LASCA_TB_AUTOMATIC);
    CHECK(options.cache_bytes > 0);

    CHECK(lasca_tb_open(&missing, 1, NULL, &tables) == LASCA_TB_UNREADABLE);
    CHECK(last_error_has("no/such/folder"));
    CHECK(lasca_tb_open(&folder, 0, NULL, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_open(NULL, 1, NULL, &tables) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_open(&none, 1, NULL, &tables) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_open(&folder, 1, NULL, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(last_error_has("opened"));
    options.rules = 3;
    CHECK(lasca_tb_open(&folder, 1, &options, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(last_error_has("found 3"));
    options.rules = -1;
    CHECK(lasca_tb_open(&folder, 1, &options, &tables) == LASCA_TB_BAD_ARGUMENT);
    options = default_options();
    options.access = 3;
    CHECK(lasca_tb_open(&folder, 1, &options, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(tables == NULL);

    two[0] = folder;
    two[1] = folder;
    CHECK(lasca_tb_open(two, 2, NULL, &tables) == LASCA_TB_OK);
    CHECK(lasca_tb_covers(tables, 2, 1) == LASCA_TB_OK);
    lasca_tb_free(tables);
    lasca_tb_free(NULL);
}

/* The options of a program that was compiled with another version of the header. */
static void options_may_be_of_another_version(const char *folder)
{
    struct {
        lasca_tb_options known;
        uint64_t later;
    } options;
    lasca_tb_load_options load;
    lasca_tb *tables = NULL;
    lasca_tb_wdl wdl;

    /* A later one: what this version does not know is 0. */
    memset(&options, 255, sizeof options);
    CHECK(lasca_tb_options_init(&options.known, sizeof options) == LASCA_TB_OK);
    CHECK(options.known.size == sizeof options && options.later == 0);
    CHECK(options.known.access == LASCA_TB_AUTOMATIC);
    tables = open_or_exit(folder, &options.known);
    CHECK(lasca_tb_probe_wdl_text(tables, "b2B d2W a7W w", &wdl) == LASCA_TB_OK);
    lasca_tb_free(tables);
    tables = NULL;
    options.later = 1;
    CHECK(lasca_tb_open(&folder, 1, &options.known, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(last_error_has("from byte 24 on"));

    /* Sizes that are none. */
    options.known.size = 0;
    CHECK(lasca_tb_open(&folder, 1, &options.known, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(last_error_has("expected the size of a lasca_tb_options, 24 to 4096 bytes, found a size of 0"));
    options.known.size = UINT32_MAX;
    CHECK(lasca_tb_open(&folder, 1, &options.known, &tables) == LASCA_TB_BAD_ARGUMENT);
    options.known = default_options();
    options.known.reserved = 1;
    CHECK(lasca_tb_open(&folder, 1, &options.known, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(last_error_has("expected 0 as reserved"));
    CHECK(tables == NULL);
    options.known.rules = 7;
    CHECK(lasca_tb_options_init(NULL, sizeof options) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_options_init(&options.known, 0) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_options_init(&options.known, sizeof options.known - 1) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_options_init(&options.known, SIZE_MAX) == LASCA_TB_BAD_ARGUMENT);
    CHECK(options.known.rules == 7);

    CHECK(lasca_tb_load_options_init(&load, sizeof load) == LASCA_TB_OK);
    CHECK(load.size == sizeof load && load.with_dtw == 0 && load.max_bytes == UINT64_MAX);
    CHECK(lasca_tb_load_options_init(NULL, sizeof load) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_load_options_init(&load, 8) == LASCA_TB_BAD_ARGUMENT);
}

/* The index of a table in the list; exits if it is not there. */
static size_t index_of(const lasca_tb *tables, int white, int black)
{
    lasca_tb_table table;
    size_t count = 0, i;
    CHECK(lasca_tb_table_count(tables, &count) == LASCA_TB_OK);
    for (i = 0; i < count; i++) {
        (void)lasca_tb_table_at(tables, i, &table, sizeof table);
        if (table.white == white && table.black == black)
            return i;
    }
    fprintf(stderr, "the table of %d-%d is not listed\n", white, black);
    exit(1);
}

static void tables_are_listed(const char *folder, const char *wdl, const char *damaged,
                              const char *bounded)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_table table;
    struct {
        lasca_tb_table known;
        uint64_t later;
    } longer;
    char path[4096], expected[4096];
    size_t count = 0, needed = 0, i;
    FILE *file;

    CHECK(lasca_tb_table_count(tables, &count) == LASCA_TB_OK);
    CHECK(count == 9);
    for (i = 0; i < count; i++) {
        long length = 0;
        int32_t kind;
        CHECK(lasca_tb_table_at(tables, i, &table, sizeof table) == LASCA_TB_OK);
        CHECK(table.size == sizeof table && table.rules == LASCA_TB_RULES_LASCA);
        CHECK(table.white >= table.black && table.black >= 1);
        CHECK(table.white + table.black <= LASCA_TB_MAX_COUNTERS);
        CHECK(table.has_dtw == 1 && table.max_columns == 0 && table.positions > 0);
        CHECK(lasca_tb_covers_dtw(tables, table.white, table.black) == LASCA_TB_OK);
        for (kind = LASCA_TB_WDL_FILE; kind <= LASCA_TB_DTW_FILE; kind++) {
            CHECK(lasca_tb_table_path(tables, i, kind, path, sizeof path, &needed) == LASCA_TB_OK);
            snprintf(expected, sizeof expected, "lasca-%d-%d.%s", table.white, table.black,
                     kind == LASCA_TB_WDL_FILE ? "ltbw" : "ltbd");
            CHECK(needed == strlen(path) + 1);
            CHECK(strcmp(path + strlen(path) - strlen(expected), expected) == 0);
            file = fopen(path, "rb");
            CHECK(file != NULL);
            if (file == NULL)
                exit(1);
            fseek(file, 0, SEEK_END);
            length += ftell(file);
            fclose(file);
        }
        CHECK(table.bytes == (uint64_t)length);
    }
    /* The longest win of three against two takes 41 plies, the longest loss 42. */
    i = index_of(tables, 3, 2);
    CHECK(lasca_tb_table_at(tables, i, &table, sizeof table) == LASCA_TB_OK);
    CHECK(table.max_dtw == 42);
    memset(&longer, 255, sizeof longer);
    CHECK(lasca_tb_table_at(tables, i, &longer.known, sizeof longer) == LASCA_TB_OK);
    CHECK(longer.known.max_dtw == 42 && longer.known.size == sizeof longer && longer.later == 0);

    table.size = 7;
    CHECK(lasca_tb_table_at(tables, count, &table, sizeof table) == LASCA_TB_BAD_ARGUMENT);
    CHECK(last_error_has("one of 9 tables, found 9"));
    CHECK(lasca_tb_table_at(tables, i, &table, sizeof table - 1) == LASCA_TB_BAD_ARGUMENT);
    CHECK(table.size == 7);
    CHECK(lasca_tb_table_at(tables, i, NULL, sizeof table) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_at(NULL, i, &table, sizeof table) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_count(NULL, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_count(tables, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_path(NULL, i, 0, path, sizeof path, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_path(tables, i, 0, NULL, 9, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_path(tables, i, 2, path, sizeof path, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_table_path(tables, i, -1, path, sizeof path, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_table_path(tables, SIZE_MAX, 0, path, sizeof path, NULL)
          == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_table_path(tables, i, 0, path, 4, &needed) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(needed > 4);
    lasca_tb_free(tables);

    /* Without distances. */
    tables = open_or_exit(wdl, NULL);
    CHECK(lasca_tb_table_at(tables, index_of(tables, 2, 1), &table, sizeof table) == LASCA_TB_OK);
    CHECK(table.has_dtw == 0 && table.max_dtw == LASCA_TB_NO_DTW && table.positions > 0);
    CHECK(lasca_tb_table_at(tables, index_of(tables, 3, 1), &table, sizeof table) == LASCA_TB_OK);
    CHECK(table.has_dtw == 1 && table.max_dtw > 0);
    lasca_tb_free(tables);

    /* Damaged: what does not need the files is told all the same. */
    tables = open_or_exit(damaged, NULL);
    memset(&table, 255, sizeof table);
    i = index_of(tables, 2, 1);
    CHECK(lasca_tb_table_at(tables, i, &table, sizeof table) == LASCA_TB_DAMAGED_TABLE);
    CHECK(last_error_has("lasca-2-1.ltbw"));
    CHECK(table.white == 2 && table.black == 1 && table.rules == LASCA_TB_RULES_LASCA);
    CHECK(table.bytes > 0 && table.positions == 0 && table.has_dtw == 0);
    CHECK(table.max_dtw == LASCA_TB_NO_DTW && table.max_columns == 0);
    i = index_of(tables, 1, 1);
    CHECK(lasca_tb_table_at(tables, i, &table, sizeof table) == LASCA_TB_UNREADABLE);
    lasca_tb_free(tables);

    /* Bounded. */
    tables = open_or_exit(bounded, NULL);
    CHECK(lasca_tb_table_at(tables, index_of(tables, 11, 11), &table, sizeof table) == LASCA_TB_OK);
    CHECK(table.max_columns == 2);
    lasca_tb_free(tables);
}

static void materials_are_covered_or_not(const lasca_tb *tables)
{
    CHECK(lasca_tb_covers(tables, 3, 2) == LASCA_TB_OK);
    CHECK(lasca_tb_covers(tables, 2, 3) == LASCA_TB_OK);
    CHECK(lasca_tb_covers(tables, 6, 5) == LASCA_TB_MISSING_TABLE);
    CHECK(last_error_has("the table of 6-5"));
    CHECK(lasca_tb_covers(tables, 200, 100) == LASCA_TB_TOO_MANY_COUNTERS);
    CHECK(lasca_tb_covers(tables, 3, 0) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_covers(tables, 255, 0) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_covers(NULL, 2, 1) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_covers_dtw(tables, 3, 2) == LASCA_TB_OK);
    CHECK(lasca_tb_covers_dtw(tables, 2, 3) == LASCA_TB_OK);
    CHECK(lasca_tb_covers_dtw(tables, 6, 5) == LASCA_TB_MISSING_TABLE);
    CHECK(lasca_tb_covers_dtw(tables, 200, 100) == LASCA_TB_TOO_MANY_COUNTERS);
    CHECK(lasca_tb_covers_dtw(tables, 0, 3) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_covers_dtw(NULL, 2, 1) == LASCA_TB_NULL_POINTER);
    {
        uint8_t columns = 99;
        CHECK(lasca_tb_max_columns(tables, 2, 3, &columns) == LASCA_TB_OK);
        CHECK(columns == 0);
    }
}

static void values_are_those_of_the_side_to_move(const lasca_tb *tables)
{
    static const struct {
        const char *text;
        lasca_tb_wdl wdl;
        int dtw;
    } known[] = {
        {"b2B d2W a7W w", LASCA_TB_WIN, 5},
        {"b2B f6W a7W b", LASCA_TB_LOSS, 8},
        {"d2W d4W f2B f4B b", LASCA_TB_DRAW, LASCA_TB_NO_DTW},
        {"a1W b2B c3B w", LASCA_TB_LOSS, 0},
        {"a1WB w", LASCA_TB_WIN, 0},
        {"a1WB b", LASCA_TB_LOSS, 0},
    };
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        lasca_tb_position position = packed(known[i].text);
        lasca_tb_wdl wdl = 7;
        lasca_tb_value value = {7, 7};
        CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_OK);
        CHECK(wdl == known[i].wdl);
        CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_OK);
        CHECK(value.wdl == known[i].wdl && value.dtw == known[i].dtw);
        wdl = 7;
        CHECK(lasca_tb_probe_wdl_text(tables, known[i].text, &wdl) == LASCA_TB_OK);
        CHECK(wdl == known[i].wdl);
        value.wdl = value.dtw = 7;
        CHECK(lasca_tb_probe_dtw_text(tables, known[i].text, &value) == LASCA_TB_OK);
        CHECK(value.wdl == known[i].wdl && value.dtw == known[i].dtw);
    }
}

static void squares_are_in_lasker_s_order(void)
{
    /* a1 is square 0, g1 3, b2 4, g7 24. */
    lasca_tb_position position = packed("a1WWB g1B b2BW g7W b");
    char text[LASCA_TB_POSITION_TEXT_SIZE];
    size_t needed = 0;
    int i;
    CHECK(position.side_to_move == LASCA_TB_BLACK);
    CHECK(position.columns[0].own == 2 && position.columns[0].prisoners == 1);
    CHECK(position.columns[0].commander == LASCA_TB_WHITE);
    CHECK(position.columns[3].own == 1 && position.columns[3].prisoners == 0);
    CHECK(position.columns[3].commander == LASCA_TB_BLACK);
    CHECK(position.columns[4].own == 1 && position.columns[4].prisoners == 1);
    CHECK(position.columns[24].own == 1);
    for (i = 5; i < 24; i++)
        CHECK(position.columns[i].own == 0 && position.columns[i].prisoners == 0);

    CHECK(lasca_tb_position_to_text(&position, text, sizeof text, &needed) == LASCA_TB_OK);
    CHECK(strcmp(text, "a1WWB g1B b2BW g7W b") == 0);
    CHECK(needed == strlen(text) + 1);
    CHECK(lasca_tb_position_to_text(&position, text, needed, NULL) == LASCA_TB_OK);
    strcpy(text, "untouched");
    CHECK(lasca_tb_position_to_text(&position, text, needed - 1, &needed)
          == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(strcmp(text, "untouched") == 0);
    needed = 0;
    CHECK(lasca_tb_position_to_text(&position, NULL, 0, &needed) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(needed == strlen("a1WWB g1B b2BW g7W b") + 1);
    CHECK(lasca_tb_position_to_text(&position, NULL, 5, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_position_to_text(NULL, text, sizeof text, NULL) == LASCA_TB_NULL_POINTER);
}

static void moves_are_listed_best_first(const lasca_tb *tables)
{
    lasca_tb_position position = packed("d2W d4W f2B f4B b");
    lasca_tb_move moves[64];
    lasca_tb_move again[64];
    lasca_tb_move best;
    lasca_tb_value value;
    size_t count = 0, count_again = 0, i;
    char text[LASCA_TB_MOVE_TEXT_SIZE];

    CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == LASCA_TB_OK);
    CHECK(count == 8);
    CHECK(lasca_tb_moves_text(tables, "d2W d4W f2B f4B b", again, 64, &count_again)
          == LASCA_TB_OK);
    CHECK(count_again == count);
    CHECK(lasca_tb_move_to_text(&moves[0], text, sizeof text, NULL) == LASCA_TB_OK);
    CHECK(strcmp(text, "f2-g3") == 0);
    CHECK(moves[0].value.wdl == LASCA_TB_DRAW && moves[0].value.dtw == LASCA_TB_NO_DTW);
    for (i = 0; i < count; i++) {
        CHECK(moves[i].square_count == 2);
        CHECK(memcmp(moves[i].squares, again[i].squares, sizeof moves[i].squares) == 0);
        CHECK(moves[i].after.side_to_move == LASCA_TB_WHITE);
        CHECK(lasca_tb_probe_dtw(tables, &moves[i].after, &value) == LASCA_TB_OK);
        CHECK(value.wdl == -moves[i].value.wdl);
        if (value.wdl != LASCA_TB_DRAW)
            CHECK(value.dtw + 1 == moves[i].value.dtw);
        if (i > 0)
            CHECK(moves[i].value.wdl <= moves[i - 1].value.wdl);
    }
    CHECK(lasca_tb_best_move(tables, &position, &best) == LASCA_TB_OK);
    CHECK(memcmp(best.squares, moves[0].squares, sizeof best.squares) == 0);
    CHECK(lasca_tb_best_move_text(tables, "d2W d4W f2B f4B b", &best) == LASCA_TB_OK);
    CHECK(memcmp(best.squares, moves[0].squares, sizeof best.squares) == 0);

    /* Too small a buffer, and none at all. */
    count = 0;
    moves[0].square_count = 99;
    CHECK(lasca_tb_moves(tables, &position, moves, 7, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 8 && moves[0].square_count == 99);
    CHECK(last_error_has("room for 8"));
    count = 0;
    CHECK(lasca_tb_moves(tables, &position, NULL, 0, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 8);
    CHECK(lasca_tb_moves(tables, &position, NULL, 8, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_moves(tables, &position, moves, 64, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_moves(tables, NULL, moves, 64, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_moves(NULL, &position, moves, 64, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_moves_text(tables, NULL, moves, 64, &count) == LASCA_TB_NULL_POINTER);

    /* A take names the squares jumped, and its text what it leaves. */
    position = packed("b2W c3B c5BB w");
    CHECK(lasca_tb_best_move(tables, &position, &best) == LASCA_TB_OK);
    CHECK(best.square_count == 5);
    CHECK(best.squares[0] == 4 && best.squares[1] == 8 && best.squares[2] == 12);
    CHECK(best.squares[3] == 15 && best.squares[4] == 18);
    CHECK(lasca_tb_move_to_text(&best, text, sizeof text, NULL) == LASCA_TB_OK);
    CHECK(strcmp(text, "b2-c3-d4-c5B-b6WBB") == 0);
    CHECK(lasca_tb_move_to_text(&best, text, 5, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == strlen("b2-c3-d4-c5B-b6WBB") + 1);
    best.squares[1] = 9;
    CHECK(lasca_tb_move_to_text(&best, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    best.squares[1] = 255;
    CHECK(lasca_tb_move_to_text(&best, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    best.square_count = 255;
    CHECK(lasca_tb_move_to_text(&best, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_move_to_text(NULL, text, sizeof text, NULL) == LASCA_TB_NULL_POINTER);

    /* A game that is over. */
    position = packed("a1W b2B c3B w");
    count = 7;
    CHECK(lasca_tb_moves(tables, &position, NULL, 0, &count) == LASCA_TB_OK);
    CHECK(count == 0);
    CHECK(lasca_tb_best_move(tables, &position, &best) == LASCA_TB_GAME_OVER);
    CHECK(lasca_tb_best_move_text(tables, "a1W b2B c3B w", &best) == LASCA_TB_GAME_OVER);
    CHECK(lasca_tb_best_move(tables, &position, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_best_move_text(tables, "a1W b2B c3B w", NULL) == LASCA_TB_NULL_POINTER);
}

static void a_line_is_as_long_as_the_distance(const lasca_tb *tables)
{
    lasca_tb_position position = packed("b2B d2W a7W w");
    lasca_tb_move line[64], again[64];
    lasca_tb_line_end end = LASCA_TB_LINE_OPEN;
    size_t count = 0, needed = 0, i;
    char text[256];
    CHECK(lasca_tb_best_line(tables, &position, line, 64, &count, &end) == LASCA_TB_OK);
    CHECK(count == 5 && end == LASCA_TB_WHITE_WINS);
    for (i = 0; i < count; i++) {
        CHECK(line[i].value.dtw == (int32_t)(5 - i));
        CHECK(line[i].value.wdl == (i % 2 == 0 ? LASCA_TB_WIN : LASCA_TB_LOSS));
    }
    CHECK(lasca_tb_moves(tables, &line[4].after, NULL, 0, &count) == LASCA_TB_OK);
    CHECK(count == 0);
    end = LASCA_TB_LINE_OPEN;
    CHECK(lasca_tb_best_line(tables, &position, line, 4, &count, &end) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 5 && end == LASCA_TB_LINE_OPEN);
    CHECK(lasca_tb_best_line(tables, NULL, line, 4, &count, NULL) == LASCA_TB_NULL_POINTER);

    /* A position as text, and the line as text. */
    CHECK(lasca_tb_best_line_text(tables, "b2B d2W a7W w", again, 64, &count, &end) == LASCA_TB_OK);
    CHECK(count == 5 && end == LASCA_TB_WHITE_WINS);
    CHECK(memcmp(again[0].squares, line[0].squares, sizeof line[0].squares) == 0);
    CHECK(lasca_tb_line_to_text(again, count, end, text, sizeof text, &needed) == LASCA_TB_OK);
    CHECK(needed == strlen(text) + 1);
    CHECK(strncmp(text, "1. ", 3) == 0 && strstr(text, " 3. ") != NULL);
    CHECK(strcmp(text + strlen(text) - 4, " 1-0") == 0);
    CHECK(lasca_tb_line_to_text(again + 1, 1, LASCA_TB_LINE_OPEN, text, sizeof text, NULL)
          == LASCA_TB_OK);
    CHECK(strncmp(text, "1... ", 5) == 0 && strchr(text + 5, ' ') == NULL);
    CHECK(lasca_tb_line_to_text(again, 5, end, text, 9, &needed) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(lasca_tb_line_to_text(NULL, 0, LASCA_TB_REPETITION, text, sizeof text, NULL)
          == LASCA_TB_OK);
    CHECK(strcmp(text, "1/2") == 0);
    CHECK(lasca_tb_line_to_text(NULL, 0, LASCA_TB_LINE_OPEN, text, sizeof text, NULL)
          == LASCA_TB_OK);
    CHECK(strcmp(text, "") == 0);
    CHECK(lasca_tb_line_to_text(NULL, 1, 0, text, sizeof text, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_line_to_text(again, 5, 4, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_line_to_text(again, 5, -1, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(last_error_has("lasca_tb_line_end"));
    again[3].square_count = 200;
    CHECK(lasca_tb_line_to_text(again, 5, end, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);

    /* A draw ends with a repetition; a game that is over has no moves, and is won all the same. */
    CHECK(lasca_tb_best_line_text(tables, "d2W d4W f2B f4B b", again, 64, &count, &end)
          == LASCA_TB_OK);
    CHECK(count > 0 && end == LASCA_TB_REPETITION);
    CHECK(lasca_tb_best_line_text(tables, "a1wBWb c3w b", NULL, 0, &count, &end) == LASCA_TB_OK);
    CHECK(count == 0 && end == LASCA_TB_WHITE_WINS);
    CHECK(lasca_tb_best_line_text(tables, "a1W b2B c3B w", NULL, 0, &count, &end) == LASCA_TB_OK);
    CHECK(count == 0 && end == LASCA_TB_BLACK_WINS);
    CHECK(lasca_tb_best_line_text(tables, "a1w b2B w", again, 64, &count, &end) == LASCA_TB_SOLDIER);
    CHECK(lasca_tb_best_line_text(tables, "a1W", again, 64, &count, NULL) == LASCA_TB_BAD_TEXT);
    CHECK(lasca_tb_best_line_text(NULL, "a1W g7B w", again, 64, &count, NULL)
          == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_best_line_text(tables, "a1W g7B w", again, 64, NULL, NULL)
          == LASCA_TB_NULL_POINTER);
}

static void what_the_tables_cannot_answer_has_a_status_of_its_own(const lasca_tb *tables)
{
    static const struct {
        const char *text;
        lasca_tb_status status;
        const char *words;
    } refused[] = {
        {"a1w b2B w", LASCA_TB_SOLDIER, "found a soldier on a1"},
        {"a1W b2BWB w", LASCA_TB_UNREACHABLE_COLUMN, "b2BWB"},
        {"a1WWWWWWW g7BBBBBB w", LASCA_TB_MISSING_TABLE, "table of 7-6"},
        {"a1WWWWWW g7BBBBB w", LASCA_TB_MISSING_TABLE, "table of 6-5"},
        {"a1WWWWWWWWWWWWWW g7BBBBBBBBBBBBBB w", LASCA_TB_BAD_TEXT, "found 28"},
        {"a2W b2B w", LASCA_TB_BAD_TEXT, "at character 1"},
        {"", LASCA_TB_BAD_TEXT, "empty"},
        {"a1W\xff b2B w", LASCA_TB_BAD_UTF8, "UTF-8"},
        /* Blocked, so that there is no move to be refused: the position is. */
        {"a5w b6b c7b w", LASCA_TB_SOLDIER, "soldier"},
    };
    size_t i, count;
    lasca_tb_position position, before;
    lasca_tb_wdl wdl = 7;
    lasca_tb_value value = {7, 7};
    lasca_tb_move moves[4];
    for (i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const char *text = refused[i].text;
        CHECK(lasca_tb_probe_wdl_text(tables, text, &wdl) == refused[i].status);
        CHECK(last_error_has(refused[i].words));
        CHECK(lasca_tb_probe_dtw_text(tables, text, &value) == refused[i].status);
        CHECK(lasca_tb_moves_text(tables, text, moves, 4, &count) == refused[i].status);
        CHECK(lasca_tb_best_move_text(tables, text, moves) == refused[i].status);
        CHECK(wdl == 7 && value.wdl == 7 && value.dtw == 7);
    }
    CHECK(lasca_tb_probe_wdl_text(tables, NULL, &wdl) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_wdl_text(tables, "a1W g7B w", NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_dtw_text(NULL, "a1W g7B w", &value) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_dtw_text(tables, "a1W g7B w", NULL) == LASCA_TB_NULL_POINTER);

    memset(&position, 0, sizeof position);
    before = position;
    CHECK(lasca_tb_position_from_text("a1w b2B w", &position) == LASCA_TB_SOLDIER);
    CHECK(lasca_tb_position_from_text("a1WBW b2B w", &position) == LASCA_TB_UNREACHABLE_COLUMN);
    CHECK(lasca_tb_position_from_text("a1W b2B", &position) == LASCA_TB_BAD_TEXT);
    CHECK(lasca_tb_position_from_text(NULL, &position) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_position_from_text("a1W g7B w", NULL) == LASCA_TB_NULL_POINTER);
    CHECK(memcmp(&position, &before, sizeof position) == 0);

    /* Packed positions that are none. */
    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_BAD_POSITION);
    position = packed("a1W g7B w");
    CHECK(lasca_tb_probe_wdl(NULL, &position, &wdl) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_wdl(tables, NULL, &wdl) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_wdl(tables, &position, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_dtw(tables, &position, NULL) == LASCA_TB_NULL_POINTER);
    position.columns[9].commander = 17; /* An empty square's commander does not matter. */
    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_OK);
    position.columns[9].prisoners = 1;
    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_BAD_POSITION);
    CHECK(last_error_has("on e3"));
    position.columns[9].own = 1;
    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_BAD_ARGUMENT);
    CHECK(last_error_has("found 17"));
    position.columns[9].commander = LASCA_TB_BLACK;
    position.side_to_move = 2;
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_BAD_ARGUMENT);
    position.side_to_move = LASCA_TB_BLACK;
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_OK);
    position.columns[9].own = 13;
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_MISSING_TABLE);
    memset(position.columns, 255, sizeof position.columns);
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_BAD_ARGUMENT);
    memset(position.columns, 1, sizeof position.columns);
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_BAD_POSITION);
    CHECK(last_error_has("found 50"));
}

static void damaged_tables_are_named(const char *damaged, const char *wrong)
{
    lasca_tb *tables = open_or_exit(damaged, NULL);
    lasca_tb_wdl wdl;
    CHECK(lasca_tb_probe_wdl_text(tables, "b2B d2W a7W w", &wdl) == LASCA_TB_DAMAGED_TABLE);
    CHECK(last_error_has("lasca-2-1.ltbw"));
    CHECK(lasca_tb_probe_wdl_text(tables, "a1W g7B w", &wdl) == LASCA_TB_UNREADABLE);
    CHECK(last_error_has("lasca-1-1.ltbw"));
    /* A damaged DTW file does not matter to what needs the WDL file only. */
    CHECK(lasca_tb_covers(tables, 3, 1) == LASCA_TB_OK);
    CHECK(lasca_tb_covers(tables, 1, 3) == LASCA_TB_OK);
    CHECK(lasca_tb_probe_wdl_text(tables, "a1W c1W e1W g7B w", &wdl) == LASCA_TB_OK);
    CHECK(lasca_tb_covers_dtw(tables, 3, 1) == LASCA_TB_DAMAGED_TABLE);
    CHECK(last_error_has("lasca-3-1.ltbd"));
    lasca_tb_free(tables);
    tables = open_or_exit(wrong, NULL);
    CHECK(lasca_tb_covers(tables, 3, 1) == LASCA_TB_WRONG_TABLE);
    lasca_tb_free(tables);
}

/* Writes these bytes into the file, in place. */
static void overwrite(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    CHECK(fwrite(bytes, 1, length, file) == length);
    CHECK(fclose(file) == 0);
}

static void a_file_cut_short_while_it_is_open_is_an_error(const char *folder)
{
    static const char *first = "a1WWWW g7BB w", *other = "a1W c1W e1W g1W b4B d4B w";
    static char whole[1 << 20];
    char path[4096];
    size_t length;
    FILE *file;
    lasca_tb_value before, value;
    lasca_tb *tables = open_or_exit(folder, NULL);
    CHECK(lasca_tb_probe_dtw_text(tables, first, &before) == LASCA_TB_OK);
    snprintf(path, sizeof path, "%s/lasca-4-2.ltbd", folder);
    file = fopen(path, "rb");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    length = fread(whole, 1, sizeof whole, file);
    CHECK(length > 0 && length < sizeof whole);
    fclose(file);
    overwrite(path, "", 0);
    CHECK(lasca_tb_probe_dtw_text(tables, first, &value) == LASCA_TB_OK);
    CHECK(value.wdl == before.wdl && value.dtw == before.dtw);
    CHECK(lasca_tb_probe_dtw_text(tables, other, &value) == LASCA_TB_DAMAGED_TABLE);
    CHECK(last_error_has("changed after it was opened"));
    overwrite(path, whole, length);
    CHECK(lasca_tb_probe_dtw_text(tables, other, &value) == LASCA_TB_OK);
    lasca_tb_free(tables);
}

static void tables_without_distances_tell_win_draw_or_loss(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    const char *text = "b2B d2W a7W w";
    lasca_tb_position position = packed(text);
    lasca_tb_wdl wdl = 7;
    lasca_tb_value value = {7, 7};
    lasca_tb_move moves[64];
    size_t count = 7;

    CHECK(lasca_tb_covers(tables, 2, 1) == LASCA_TB_OK);
    CHECK(lasca_tb_covers(tables, 1, 2) == LASCA_TB_OK);
    CHECK(lasca_tb_covers_dtw(tables, 2, 1) == LASCA_TB_MISSING_DTW);
    CHECK(last_error_has("lasca-2-1.ltbd is missing"));
    CHECK(lasca_tb_covers_dtw(tables, 1, 2) == LASCA_TB_MISSING_DTW);
    CHECK(last_error_has("lasca-2-1.ltbd is missing"));
    CHECK(lasca_tb_covers_dtw(tables, 3, 1) == LASCA_TB_OK);
    CHECK(lasca_tb_covers_dtw(tables, 2, 2) == LASCA_TB_MISSING_TABLE);

    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_OK);
    CHECK(wdl == LASCA_TB_WIN);
    wdl = 7;
    CHECK(lasca_tb_probe_wdl_text(tables, text, &wdl) == LASCA_TB_OK);
    CHECK(wdl == LASCA_TB_WIN);

    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_MISSING_DTW);
    CHECK(last_error_has("lasca-2-1.ltbd is missing"));
    CHECK(lasca_tb_probe_dtw_text(tables, text, &value) == LASCA_TB_MISSING_DTW);
    CHECK(value.wdl == 7 && value.dtw == 7);
    CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == LASCA_TB_MISSING_DTW);
    CHECK(lasca_tb_moves_text(tables, text, moves, 64, &count) == LASCA_TB_MISSING_DTW);
    CHECK(lasca_tb_best_move(tables, &position, moves) == LASCA_TB_MISSING_DTW);
    CHECK(lasca_tb_best_move_text(tables, text, moves) == LASCA_TB_MISSING_DTW);
    CHECK(lasca_tb_best_line(tables, &position, moves, 64, &count, NULL) == LASCA_TB_MISSING_DTW);
    CHECK(lasca_tb_best_line_text(tables, text, moves, 64, &count, NULL) == LASCA_TB_MISSING_DTW);
    CHECK(count == 7);

    /* A game that is over needs no file, whatever the columns are. */
    CHECK(lasca_tb_probe_dtw_text(tables, "a1WB w", &value) == LASCA_TB_OK);
    CHECK(value.wdl == LASCA_TB_WIN && value.dtw == 0);
    CHECK(lasca_tb_probe_dtw_text(tables, "a1wBWb c3w b", &value) == LASCA_TB_OK);
    CHECK(value.wdl == LASCA_TB_LOSS && value.dtw == 0);
    CHECK(lasca_tb_moves_text(tables, "a1wBWb c3w b", NULL, 0, &count) == LASCA_TB_OK);
    CHECK(count == 0);
    lasca_tb_free(tables);
}

static void options_are_heeded(const char *folder)
{
    lasca_tb_options options = default_options();
    lasca_tb *tables;
    lasca_tb_value value;
    options.cache_bytes = 0;
    for (options.access = LASCA_TB_MAPPED; options.access <= LASCA_TB_AUTOMATIC; options.access++) {
        tables = open_or_exit(folder, &options);
        CHECK(lasca_tb_probe_dtw_text(tables, "b2B d2W a7W w", &value) == LASCA_TB_OK);
        CHECK(value.wdl == LASCA_TB_WIN && value.dtw == 5);
        lasca_tb_free(tables);
    }
    CHECK(lasca_tb_open(&folder, 1, &options, &tables) == LASCA_TB_BAD_ARGUMENT);
    options.access = LASCA_TB_PRIVATE;
    options.rules = LASCA_TB_RULES_REJUMP;
    tables = open_or_exit(folder, &options);
    CHECK(lasca_tb_covers(tables, 2, 1) == LASCA_TB_OTHER_RULES);
    CHECK(last_error_has("rejump"));
    lasca_tb_free(tables);
}

/* What a thread does: every move of every position it comes to, down to some depth. */
struct visit {
    const lasca_tb *tables;
    const char *start;
    long values;
    int failed;
};

static void look_around(struct visit *visit, const lasca_tb_position *position, int depth)
{
    lasca_tb_move moves[64];
    lasca_tb_value value;
    size_t count = 0, i;
    if (lasca_tb_moves(visit->tables, position, moves, 64, &count) != LASCA_TB_OK) {
        visit->failed = 1;
        return;
    }
    for (i = 0; i < count; i++) {
        if (lasca_tb_probe_dtw(visit->tables, &moves[i].after, &value) != LASCA_TB_OK
            || value.wdl != -moves[i].value.wdl)
            visit->failed = 1;
        visit->values = visit->values * 31 + value.dtw;
        visit->values %= 1000003;
        if (depth > 1)
            look_around(visit, &moves[i].after, depth - 1);
    }
}

static void *thread_body(void *data)
{
    struct visit *visit = data;
    lasca_tb_position position;
    lasca_tb_wdl wdl;
    if (strcmp(lasca_tb_last_error(), "") != 0)
        visit->failed = 1;
    if (lasca_tb_position_from_text(visit->start, &position) != LASCA_TB_OK)
        visit->failed = 1;
    else
        look_around(visit, &position, 3);
    /* Each thread's last error is its own, and is freed with it. */
    if (lasca_tb_probe_wdl_text(visit->tables, "nowhere", &wdl) != LASCA_TB_BAD_TEXT
        || strlen(lasca_tb_last_error()) == 0)
        visit->failed = 1;
    return NULL;
}

static void threads_share_a_handle(const char *folder)
{
    static const char *starts[4] = {"d2W d4W f2B f4B b", "c3WB e5WB w", "a1WW g7BW c5B w",
                                    "c3WWW e5BB w"};
    lasca_tb *tables = open_or_exit(folder, NULL);
    struct visit visits[8];
    pthread_t threads[8];
    int i;
    for (i = 0; i < 8; i++) {
        visits[i].tables = tables;
        visits[i].start = starts[i % 4];
        visits[i].values = 0;
        visits[i].failed = 0;
        if (pthread_create(&threads[i], NULL, thread_body, &visits[i]) != 0) {
            fprintf(stderr, "no thread\n");
            exit(1);
        }
    }
    for (i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < 8; i++) {
        CHECK(!visits[i].failed);
        CHECK(visits[i].values == visits[i % 4].values);
    }
    lasca_tb_free(tables);
}

struct loading {
    const char *folder, *damaged;
};

/* Runs in a thread of its own: what Rust keeps of a thread that starts others is freed when it ends,
 * and valgrind counts it as lost if that is the main thread. */
static void *loaded_tables_answer_the_same(void *data)
{
    const char *folder = ((const struct loading *)data)->folder;
    const char *damaged = ((const struct loading *)data)->damaged;
    static const char *const POSITIONS[] = {"b2B d2W a7W w", "a1WWW b2BBB w", "d2W d4W f2B f4B b",
                                            "b2W c3B c5BB w"};
    lasca_tb *tables = open_or_exit(folder, NULL), *plain = open_or_exit(folder, NULL);
    lasca_tb_load_options options;
    lasca_tb_loaded loaded, again;
    lasca_tb_value value, expected;
    lasca_tb_wdl wdl;
    size_t i;
    CHECK(lasca_tb_load_options_init(&options, sizeof options) == LASCA_TB_OK);
    CHECK(lasca_tb_load(NULL, &options, &loaded) == LASCA_TB_NULL_POINTER);
    options.with_dtw = 1;
    options.max_bytes = 0;
    CHECK(lasca_tb_load(tables, &options, &loaded) == LASCA_TB_OK);
    CHECK(loaded.bytes == 0 && loaded.wdl == 0 && loaded.dtw == 0 && loaded.left_out > 0);
    CHECK(lasca_tb_load_material(tables, 2, 3, NULL, &loaded) == LASCA_TB_OK);
    CHECK(loaded.bytes > 0 && loaded.wdl == 1 && loaded.dtw == 0 && loaded.left_out == 0);
    CHECK(lasca_tb_load_material(tables, 6, 5, NULL, NULL) == LASCA_TB_MISSING_TABLE);
    CHECK(lasca_tb_load_material(tables, 3, 0, NULL, NULL) == LASCA_TB_BAD_ARGUMENT);
    options.max_bytes = UINT64_MAX;
    CHECK(lasca_tb_load(tables, &options, NULL) == LASCA_TB_OK);
    options.max_bytes = 0;
    CHECK(lasca_tb_load(tables, &options, &again) == LASCA_TB_OK);
    CHECK(again.bytes > loaded.bytes && again.wdl == again.dtw && again.left_out == 0);
    options.size = 3;
    CHECK(lasca_tb_load(tables, &options, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_load_material(tables, 2, 1, &options, NULL) == LASCA_TB_BAD_ARGUMENT);
    for (i = 0; i < sizeof POSITIONS / sizeof POSITIONS[0]; i++) {
        CHECK(lasca_tb_probe_dtw_text(plain, POSITIONS[i], &expected) == LASCA_TB_OK);
        CHECK(lasca_tb_probe_dtw_text(tables, POSITIONS[i], &value) == LASCA_TB_OK);
        CHECK(value.wdl == expected.wdl && value.dtw == expected.dtw);
        CHECK(lasca_tb_probe_wdl_text(tables, POSITIONS[i], &wdl) == LASCA_TB_OK);
        CHECK(wdl == expected.wdl);
    }
    lasca_tb_free(plain);
    lasca_tb_free(tables);
    tables = open_or_exit(damaged, NULL);
    again = loaded;
    CHECK(lasca_tb_load_material(tables, 2, 1, NULL, &loaded) == LASCA_TB_DAMAGED_TABLE);
    CHECK(again.bytes > 0 && loaded.bytes == 0 && loaded.wdl == 0 && loaded.left_out == 0);
    CHECK(last_error_has("lasca-2-1.ltbw"));
    lasca_tb_free(tables);
    return NULL;
}

static void loading_changes_no_answer(const char *folder, const char *damaged)
{
    struct loading loading;
    pthread_t thread;
    loading.folder = folder;
    loading.damaged = damaged;
    CHECK(pthread_create(&thread, NULL, loaded_tables_answer_the_same, &loading) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void a_bounded_table_tells_how_far_it_goes(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_wdl wdl;
    uint8_t columns = 99;
    CHECK(lasca_tb_covers(tables, 11, 11) == LASCA_TB_OK);
    CHECK(lasca_tb_max_columns(tables, 11, 11, &columns) == LASCA_TB_OK);
    CHECK(columns == 2);
    columns = 99;
    CHECK(lasca_tb_max_columns(tables, 3, 2, &columns) == LASCA_TB_MISSING_TABLE);
    CHECK(lasca_tb_max_columns(tables, 0, 2, &columns) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_max_columns(tables, 11, 11, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_max_columns(NULL, 11, 11, &columns) == LASCA_TB_NULL_POINTER);
    CHECK(columns == 99);
    CHECK(lasca_tb_probe_wdl_text(tables, "a1WWWWWWWWWWW g7BBBBBBBBBBB w", &wdl) == LASCA_TB_OK);
    CHECK(lasca_tb_probe_wdl_text(tables, "a1WWWWWWWWWWW c1BBBBB g7BBBBBB w", &wdl)
          == LASCA_TB_BEYOND_COLUMNS);
    CHECK(last_error_has("at most 2 columns"));
    lasca_tb_free(tables);
}

int main(int argc, char **argv)
{
    lasca_tb *tables;
    if (argc != 7) {
        fprintf(stderr, "usage: %s TABLES DAMAGED WRONG WDL CHANGING BOUNDED\n", argv[0]);
        return 2;
    }
    versions_and_messages_are_told();
    opening_fails_with_a_reason(argv[1]);
    tables = open_or_exit(argv[1], NULL);
    options_may_be_of_another_version(argv[1]);
    tables_are_listed(argv[1], argv[4], argv[2], argv[6]);
    materials_are_covered_or_not(tables);
    values_are_those_of_the_side_to_move(tables);
    squares_are_in_lasker_s_order();
    moves_are_listed_best_first(tables);
    a_line_is_as_long_as_the_distance(tables);
    what_the_tables_cannot_answer_has_a_status_of_its_own(tables);
    lasca_tb_free(tables);
    damaged_tables_are_named(argv[2], argv[3]);
    tables_without_distances_tell_win_draw_or_loss(argv[4]);
    a_file_cut_short_while_it_is_open_is_an_error(argv[5]);
    a_bounded_table_tells_how_far_it_goes(argv[6]);
    loading_changes_no_answer(argv[1], argv[2]);
    options_are_heeded(argv[1]);
    threads_share_a_handle(argv[1]);
    if (failures > 0) {
        fprintf(stderr, "%d checks failed\n", failures);
        return 1;
    }
    printf("all checks passed\n");
    return 0;
}
