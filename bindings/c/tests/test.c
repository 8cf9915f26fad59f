/*
 * Calls every function of lasca_tb.h but those of searches, which search.c calls, as C and as
 * several threads would, with what is right and with what is wrong. bindings/c/tests/programs.rs
 * compiles and runs it:
 *
 *     test TABLES DAMAGED WRONG WDL BOUNDED
 *
 * TABLES holds the tables that ship, DAMAGED a damaged table of 2-1 and a folder in the place of
 * the table of 1-1, WRONG the table of 2-1 under the name of that of 3-1, WDL the WDL file of 2-1
 * and both files of 3-1, BOUNDED a table of 11-11 up to two columns.
 */

#include "check.h"

#include <pthread.h>

static const char START[] = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";

static lasca_tb_status wdl_of(const lasca_tb *tables, const char *text, lasca_tb_wdl *wdl)
{
    lasca_tb_position position = position_of(text);
    return lasca_tb_probe_wdl(tables, &position, wdl);
}

static lasca_tb_status value_of(const lasca_tb *tables, const char *text, lasca_tb_value *value)
{
    lasca_tb_position position = position_of(text);
    return lasca_tb_probe_dtw(tables, &position, value);
}

/* Whether a value is the whole truth about a position of this side to move. */
static int is_exact(const lasca_tb_value *value, int32_t wdl, int32_t dtw, uint32_t side)
{
    int white_can = wdl == LASCA_TB_WIN ? side == LASCA_TB_WHITE
                    : wdl == LASCA_TB_LOSS && side == LASCA_TB_BLACK;
    int black_can = wdl != LASCA_TB_DRAW && !white_can;
    return value->wdl == wdl && value->dtw == dtw && value->at_most == dtw
           && value->white_excluded == !white_can && value->black_excluded == !black_can;
}

static void versions_and_messages_are_told(void)
{
    int32_t status, other;
    CHECK(lasca_tb_abi_version() == LASCA_TB_ABI_VERSION);
    CHECK(strchr(lasca_tb_version(), '.') != NULL);
    /* Each status has words of its own, and no other number has any. */
    for (status = LASCA_TB_OK; status <= LASCA_TB_BEYOND_COLUMNS + 1; status++)
        for (other = LASCA_TB_OK; other < status; other++)
            CHECK(strcmp(lasca_tb_status_message(status), lasca_tb_status_message(other)) != 0);
    CHECK(strcmp(lasca_tb_status_message(status - 1), "an unknown status") == 0);
    CHECK(strcmp(lasca_tb_status_message(LASCA_TB_SOLDIER), "a soldier is on the board") == 0);
    CHECK(strcmp(lasca_tb_status_message(-1), "an unknown status") == 0);
    CHECK(strcmp(lasca_tb_status_message(1000), "an unknown status") == 0);
    CHECK(strcmp(lasca_tb_last_error(), "") == 0);
}

static void opening_fails_with_a_reason(const char *folder)
{
    lasca_tb *tables = NULL;
    const char *missing = "no/such/folder", *none = NULL, *two[2];
    lasca_tb_options options = LASCA_TB_OPTIONS_INIT;
    FAILS(lasca_tb_open(&missing, 1, NULL, &tables), LASCA_TB_UNREADABLE, "no/such/folder");
    CHECK(lasca_tb_open(&folder, 0, NULL, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_open(NULL, 1, NULL, &tables) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_open(&none, 1, NULL, &tables) == LASCA_TB_NULL_POINTER);
    FAILS(lasca_tb_open(&folder, 1, NULL, NULL), LASCA_TB_NULL_POINTER, "opened");
    options.rules = 3;
    FAILS(lasca_tb_open(&folder, 1, &options, &tables), LASCA_TB_BAD_ARGUMENT, "found 3");
    options.rules = -1;
    CHECK(lasca_tb_open(&folder, 1, &options, &tables) == LASCA_TB_BAD_ARGUMENT);
    options.rules = LASCA_TB_RULES_LASCA;
    options.access = 3;
    CHECK(lasca_tb_open(&folder, 1, &options, &tables) == LASCA_TB_BAD_ARGUMENT);
    options.access = LASCA_TB_AUTOMATIC;
    options.reserved = 1;
    FAILS(lasca_tb_open(&folder, 1, &options, &tables),
          LASCA_TB_BAD_ARGUMENT, "expected 0 as reserved");
    CHECK(tables == NULL);

    two[0] = two[1] = folder;
    CHECK(lasca_tb_open(two, 2, NULL, &tables) == LASCA_TB_OK);
    CHECK(lasca_tb_covers(tables, 2, 1, NULL, NULL) == LASCA_TB_OK);
    lasca_tb_free(tables);
    lasca_tb_free(NULL);
}

/* The options of a program that was compiled with another version of the header. */
static void options_may_be_of_another_version(const char *folder)
{
    struct {
        lasca_tb_options known;
        uint64_t later;
    } options = {LASCA_TB_OPTIONS_INIT, 0};
    lasca_tb *tables = NULL;
    lasca_tb_wdl wdl;

    /* A later one: what this version does not know is 0. */
    options.known.size = sizeof options;
    tables = open_or_exit(folder, &options.known);
    CHECK(wdl_of(tables, "b2B d2W a7W w", &wdl) == LASCA_TB_OK);
    lasca_tb_free(tables);
    tables = NULL;
    options.later = 1;
    FAILS(lasca_tb_open(&folder, 1, &options.known, &tables),
          LASCA_TB_BAD_ARGUMENT, "from byte 24 on");

    /* Sizes that are none. */
    options.known.size = 0;
    FAILS(lasca_tb_open(&folder, 1, &options.known, &tables),
          LASCA_TB_BAD_ARGUMENT, "expected the size of a lasca_tb_options, 24 to 4096 bytes, found a size of 0");
    options.known.size = UINT32_MAX;
    CHECK(lasca_tb_open(&folder, 1, &options.known, &tables) == LASCA_TB_BAD_ARGUMENT);
    CHECK(tables == NULL);
}

static void options_are_heeded(const char *folder)
{
    lasca_tb_options options = LASCA_TB_OPTIONS_INIT;
    lasca_tb *tables;
    lasca_tb_value value;
    options.cache_bytes = 1;
    for (options.access = LASCA_TB_AUTOMATIC; options.access <= LASCA_TB_PRIVATE; options.access++) {
        tables = open_or_exit(folder, &options);
        CHECK(value_of(tables, "b2B d2W a7W w", &value) == LASCA_TB_OK);
        CHECK(is_exact(&value, LASCA_TB_WIN, 5, LASCA_TB_WHITE));
        lasca_tb_free(tables);
    }
    options.access = LASCA_TB_PRIVATE;
    options.rules = LASCA_TB_RULES_REJUMP;
    tables = open_or_exit(folder, &options);
    FAILS(lasca_tb_covers(tables, 2, 1, NULL, NULL), LASCA_TB_OTHER_RULES, "rejump");
    lasca_tb_free(tables);
}

/* The index of a table in the list; exits if it is not there. */
static size_t index_of(const lasca_tb *tables, int white, int black)
{
    lasca_tb_table table = LASCA_TB_TABLE_INIT;
    size_t count = 0, i;
    CHECK(lasca_tb_table_count(tables, &count) == LASCA_TB_OK);
    for (i = 0; i < count; i++) {
        (void)lasca_tb_table_at(tables, i, &table);
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
    lasca_tb_table table = LASCA_TB_TABLE_INIT;
    struct {
        lasca_tb_table known;
        uint64_t later;
    } longer = {LASCA_TB_TABLE_INIT, 1};
    char path[4096], expected[4096];
    size_t count = 0, needed = 0, i;

    CHECK(lasca_tb_table_count(tables, &count) == LASCA_TB_OK);
    CHECK(count == 9);
    for (i = 0; i < count; i++) {
        long length = 0;
        int32_t kind;
        uint8_t columns, has_dtw;
        CHECK(lasca_tb_table_at(tables, i, &table) == LASCA_TB_OK);
        CHECK(table.size == sizeof table && table.rules == LASCA_TB_RULES_LASCA);
        CHECK(table.white >= table.black && table.black >= 1);
        CHECK(table.white + table.black <= LASCA_TB_MAX_COUNTERS && table.positions > 0);
        CHECK(lasca_tb_covers(tables, table.white, table.black, &columns, &has_dtw) == LASCA_TB_OK);
        CHECK(table.has_dtw == has_dtw && table.max_columns == columns);
        for (kind = LASCA_TB_WDL_FILE; kind <= LASCA_TB_DTW_FILE; kind++) {
            FILE *file;
            CHECK(lasca_tb_table_path(tables, i, kind, path, sizeof path, &needed) == LASCA_TB_OK);
            snprintf(expected, sizeof expected, "lasca-%d-%d.%s", table.white, table.black,
                     kind == LASCA_TB_WDL_FILE ? "ltbw" : "ltbd");
            CHECK(needed == strlen(path) + 1);
            CHECK(strcmp(path + strlen(path) - strlen(expected), expected) == 0);
            file = fopen(path, "rb");
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
    longer.known.size = sizeof longer;
    CHECK(lasca_tb_table_at(tables, i, &longer.known) == LASCA_TB_OK);
    CHECK(longer.known.max_dtw == 42 && longer.known.size == sizeof longer && longer.later == 0);

    FAILS(lasca_tb_table_at(tables, count, &table),
          LASCA_TB_BAD_ARGUMENT, "one of 9 tables, found 9");
    table.size = sizeof table - 1;
    table.rules = 7;
    CHECK(lasca_tb_table_at(tables, i, &table) == LASCA_TB_BAD_ARGUMENT && table.rules == 7);
    table.size = sizeof table;
    CHECK(lasca_tb_table_at(tables, i, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_at(NULL, i, &table) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_count(NULL, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_count(tables, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_path(NULL, i, 0, path, sizeof path, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_path(tables, i, 0, NULL, 9, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_table_path(tables, i, 2, path, sizeof path, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_table_path(tables, i, -1, path, sizeof path, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_table_path(tables, SIZE_MAX, 0, path, 9, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_table_path(tables, i, 0, path, 4, &needed) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(needed > 4);
    lasca_tb_free(tables);

    /* Without distances. */
    tables = open_or_exit(wdl, NULL);
    CHECK(lasca_tb_table_at(tables, index_of(tables, 2, 1), &table) == LASCA_TB_OK);
    CHECK(table.has_dtw == 0 && table.max_dtw == LASCA_TB_NO_DTW && table.positions > 0);
    CHECK(lasca_tb_table_at(tables, index_of(tables, 3, 1), &table) == LASCA_TB_OK);
    CHECK(table.has_dtw == 1 && table.max_dtw > 0);
    lasca_tb_free(tables);

    /* Damaged: what does not need the files is told all the same. */
    tables = open_or_exit(damaged, NULL);
    FAILS(lasca_tb_table_at(tables, index_of(tables, 2, 1), &table),
          LASCA_TB_DAMAGED_TABLE, "lasca-2-1.ltbw");
    CHECK(table.white == 2 && table.black == 1 && table.rules == LASCA_TB_RULES_LASCA);
    CHECK(table.bytes > 0 && table.positions == 0 && table.has_dtw == 0);
    CHECK(table.max_dtw == LASCA_TB_NO_DTW && table.max_columns == 0);
    CHECK(lasca_tb_table_at(tables, index_of(tables, 1, 1), &table) == LASCA_TB_UNREADABLE);
    lasca_tb_free(tables);

    /* Bounded. */
    tables = open_or_exit(bounded, NULL);
    CHECK(lasca_tb_table_at(tables, index_of(tables, 11, 11), &table) == LASCA_TB_OK);
    CHECK(table.max_columns == 2);
    lasca_tb_free(tables);
}

static void materials_are_covered_or_not(const lasca_tb *tables)
{
    uint8_t columns = 99, has_dtw = 99;
    FAILS(lasca_tb_covers(tables, 6, 5, &columns, &has_dtw),
          LASCA_TB_MISSING_TABLE, "the table of 6-5");
    CHECK(lasca_tb_covers(tables, 200, 100, &columns, &has_dtw) == LASCA_TB_TOO_MANY_COUNTERS);
    CHECK(lasca_tb_covers(tables, 3, 0, &columns, &has_dtw) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_covers(tables, 0, 255, &columns, &has_dtw) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_covers(NULL, 2, 1, &columns, &has_dtw) == LASCA_TB_NULL_POINTER);
    CHECK(columns == 99 && has_dtw == 99);
    CHECK(lasca_tb_covers(tables, 3, 2, NULL, &has_dtw) == LASCA_TB_OK && has_dtw == 1);
    CHECK(lasca_tb_covers(tables, 2, 3, &columns, NULL) == LASCA_TB_OK);
    CHECK(columns == LASCA_TB_SQUARES);
}

static void positions_are_those_of_the_text(void)
{
    /* a1 is square 0, g1 3, b2 4, g7 24. */
    lasca_tb_position position = position_of("a1WwB g1B b2bW g7W b"), again;
    char text[LASCA_TB_POSITION_TEXT_SIZE];
    size_t needed = 0;
    int i;
    CHECK(position.side_to_move == LASCA_TB_BLACK);
    CHECK(position.columns[0].height == 3 && position.columns[0].black == 4);
    CHECK(position.columns[0].officers == 5);
    CHECK(position.columns[3].height == 1 && position.columns[3].black == 1);
    CHECK(position.columns[4].height == 2 && position.columns[4].black == 1);
    CHECK(position.columns[4].officers == 2);
    CHECK(position.columns[24].height == 1 && position.columns[24].black == 0);
    for (i = 5; i < 24; i++)
        CHECK(position.columns[i].height == 0);

    CHECK(lasca_tb_position_to_text(&position, text, sizeof text, &needed) == LASCA_TB_OK);
    CHECK(strcmp(text, "a1WwB g1B b2bW g7W b") == 0);
    CHECK(needed == strlen(text) + 1);
    CHECK(lasca_tb_position_to_text(&position, text, needed, NULL) == LASCA_TB_OK);
    again = position_of(text);
    CHECK(memcmp(&again, &position, sizeof again) == 0);
    strcpy(text, "untouched");
    CHECK(lasca_tb_position_to_text(&position, text, needed - 1, &needed)
          == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(strcmp(text, "untouched") == 0);
    needed = 0;
    CHECK(lasca_tb_position_to_text(&position, NULL, 0, &needed) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(needed == strlen("a1WwB g1B b2bW g7W b") + 1);
    CHECK(lasca_tb_position_to_text(&position, NULL, 5, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_position_to_text(NULL, text, sizeof text, NULL) == LASCA_TB_NULL_POINTER);

    CHECK(lasca_tb_position_from_text("a1W b2B", &again) == LASCA_TB_BAD_TEXT);
    FAILS(lasca_tb_position_from_text("a2W b2B w", &again), LASCA_TB_BAD_TEXT, "at character 1");
    CHECK(lasca_tb_position_from_text("", &again) == LASCA_TB_BAD_TEXT);
    CHECK(lasca_tb_position_from_text("a1W\xff b2B w", &again) == LASCA_TB_BAD_UTF8);
    CHECK(lasca_tb_position_from_text("a1WWWWWWWWWWWW g7BBBBBBBBBBB w", &again) == LASCA_TB_BAD_TEXT);
    CHECK(lasca_tb_position_from_text(NULL, &again) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_position_from_text("a1W g7B w", NULL) == LASCA_TB_NULL_POINTER);
    CHECK(memcmp(&again, &position, sizeof again) == 0);
}

/* How many sequences of so many moves there are. */
static unsigned long perft(int32_t rules, const lasca_tb_position *position, int depth)
{
    lasca_tb_move moves[64];
    size_t count, i;
    unsigned long sequences = 0;
    if (depth == 0)
        return 1;
    or_exit(lasca_tb_legal_moves(rules, position, moves, 64, &count), "legal moves");
    for (i = 0; i < count; i++)
        sequences += perft(rules, &moves[i].after, depth - 1);
    return sequences;
}

static void legal_moves_need_no_tables(void)
{
    lasca_tb_position position = position_of(START);
    lasca_tb_move moves[64], read;
    size_t count = 0, i;
    char text[LASCA_TB_MOVE_TEXT_SIZE];

    /* As tests/data/perft.csv has it. */
    CHECK(perft(LASCA_TB_RULES_LASCA, &position, 6) == 324);
    CHECK(lasca_tb_legal_moves(LASCA_TB_RULES_LASCA, &position, moves, 5, &count)
          == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 6 && strstr(lasca_tb_last_error(), "room for 6") != NULL);
    CHECK(lasca_tb_legal_moves(LASCA_TB_RULES_LASCA, &position, moves, 6, &count) == LASCA_TB_OK);
    for (i = 0; i < count; i++) {
        CHECK(moves[i].square_count == 2 && moves[i].after.side_to_move == LASCA_TB_BLACK);
        CHECK(moves[i].value.wdl == LASCA_TB_OPEN && moves[i].value.dtw == LASCA_TB_NO_DTW);
        CHECK(lasca_tb_move_to_text(&moves[i], text, sizeof text, NULL) == LASCA_TB_OK);
        CHECK(lasca_tb_move_from_text(LASCA_TB_RULES_LASCA, &position, text, &read) == LASCA_TB_OK);
        CHECK(same_move(&read, &moves[i]));
    }
    CHECK(lasca_tb_legal_moves(3, &position, moves, 64, &count) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_legal_moves(0, NULL, moves, 64, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_legal_moves(0, &position, NULL, 64, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_legal_moves(0, &position, moves, 64, NULL) == LASCA_TB_NULL_POINTER);

    /* Promotion, and a game that is over. */
    position = position_of("c5w e5W d6b w");
    CHECK(lasca_tb_move_from_text(LASCA_TB_RULES_LASCA, &position, "c5-e7", &read) == LASCA_TB_OK);
    CHECK(lasca_tb_position_to_text(&read.after, text, sizeof text, NULL) == LASCA_TB_OK);
    CHECK(strcmp(text, "e5W e7Wb b") == 0);
    CHECK(lasca_tb_legal_moves(0, &read.after, moves, 64, &count) == LASCA_TB_OK && count == 0);
    CHECK(lasca_tb_move_from_text(0, &read.after, "c3-d4", &read) == LASCA_TB_GAME_OVER);

    /* The rule sets differ. */
    position = position_of("a1W b2BB w");
    CHECK(lasca_tb_legal_moves(LASCA_TB_RULES_LASCA, &position, moves, 64, &count) == LASCA_TB_OK);
    CHECK(count == 1 && moves[0].square_count == 3);
    CHECK(lasca_tb_legal_moves(LASCA_TB_RULES_REJUMP, &position, moves, 64, &count) == LASCA_TB_OK);
    CHECK(count == 1 && moves[0].square_count == 5);

    /* A take names the squares jumped, and its text what it leaves. */
    position = position_of("b2W c3B c5BB w");
    CHECK(lasca_tb_move_from_text(0, &position, "b2xd4xb6", &read) == LASCA_TB_OK);
    CHECK(read.square_count == 5);
    CHECK(read.squares[0] == 4 && read.squares[1] == 8 && read.squares[2] == 12);
    CHECK(read.squares[3] == 15 && read.squares[4] == 18 && read.squares[5] == 0);
    CHECK(lasca_tb_move_to_text(&read, text, sizeof text, NULL) == LASCA_TB_OK);
    CHECK(strcmp(text, "b2-c3-d4-c5B-b6WBB") == 0);
    CHECK(lasca_tb_move_to_text(&read, text, 5, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == strlen("b2-c3-d4-c5B-b6WBB") + 1);
    FAILS(lasca_tb_move_from_text(0, &position, "b2-a3", &read),
          LASCA_TB_BAD_TEXT, "b2-c3-d4-c5B-b6WBB");
    CHECK(lasca_tb_move_from_text(0, &position, "\xff", &read) == LASCA_TB_BAD_UTF8);
    CHECK(lasca_tb_move_from_text(9, &position, "b2-b6", &read) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_move_from_text(0, NULL, "b2-b6", &read) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_move_from_text(0, &position, NULL, &read) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_move_from_text(0, &position, "b2-b6", NULL) == LASCA_TB_NULL_POINTER);

    /* Moves that are none. */
    read.squares[1] = 9;
    CHECK(lasca_tb_move_to_text(&read, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    read.squares[1] = 255;
    CHECK(lasca_tb_move_to_text(&read, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    read.square_count = 255;
    CHECK(lasca_tb_move_to_text(&read, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    CHECK(lasca_tb_move_to_text(NULL, text, sizeof text, NULL) == LASCA_TB_NULL_POINTER);
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
        /* A side commands nothing, so the columns may be of any kind. */
        {"a1WB w", LASCA_TB_WIN, 0},
        {"a1WB b", LASCA_TB_LOSS, 0},
        {"a1wBWb c3w b", LASCA_TB_LOSS, 0},
        {"a1WWWWWWWWWWWWWWWWWWWWWW w", LASCA_TB_WIN, 0},
    };
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        lasca_tb_wdl wdl = LASCA_TB_OPEN;
        lasca_tb_value value;
        uint32_t side = position_of(known[i].text).side_to_move;
        CHECK(wdl_of(tables, known[i].text, &wdl) == LASCA_TB_OK && wdl == known[i].wdl);
        CHECK(value_of(tables, known[i].text, &value) == LASCA_TB_OK);
        CHECK(is_exact(&value, known[i].wdl, known[i].dtw, side));
    }
}

static void moves_are_listed_best_first(const lasca_tb *tables)
{
    lasca_tb_position position = position_of("d2W d4W f2B f4B b");
    lasca_tb_move moves[64], legal[64];
    lasca_tb_value value;
    size_t count = 0, legal_count = 0, i, j, known;
    char text[LASCA_TB_MOVE_TEXT_SIZE];

    CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == LASCA_TB_OK && count == 8);
    CHECK(lasca_tb_legal_moves(0, &position, legal, 64, &legal_count) == LASCA_TB_OK);
    CHECK(legal_count == count);
    CHECK(lasca_tb_move_to_text(&moves[0], text, sizeof text, NULL) == LASCA_TB_OK);
    CHECK(strcmp(text, "f2-g3") == 0);
    for (i = 0; i < count; i++) {
        for (j = known = 0; j < legal_count; j++)
            known += same_move(&moves[i], &legal[j]);
        CHECK(known == 1);
        CHECK(lasca_tb_probe_dtw(tables, &moves[i].after, &value) == LASCA_TB_OK);
        CHECK(is_exact(&moves[i].value, -value.wdl, value.dtw + (value.wdl != LASCA_TB_DRAW),
                       LASCA_TB_BLACK));
        CHECK(i == 0 || moves[i].value.wdl <= moves[i - 1].value.wdl);
    }

    /* Too small a buffer, and none at all. */
    count = 0;
    moves[0].square_count = 99;
    CHECK(lasca_tb_moves(tables, &position, moves, 7, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 8 && moves[0].square_count == 99);
    CHECK(lasca_tb_moves(tables, &position, NULL, 0, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(lasca_tb_moves(tables, &position, NULL, 8, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_moves(tables, &position, moves, 64, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_moves(tables, NULL, moves, 64, &count) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_moves(NULL, &position, moves, 64, &count) == LASCA_TB_NULL_POINTER);

    /* A game that is over, with columns of any kind. */
    position = position_of("a1wBWb c3w b");
    CHECK(lasca_tb_moves(tables, &position, NULL, 0, &count) == LASCA_TB_OK && count == 0);
}

/* The line of a position, and how many moves it has. */
static lasca_tb_line_end line_of(const lasca_tb *tables, const char *text, lasca_tb_move *line,
                                 size_t *count)
{
    lasca_tb_position position = position_of(text);
    lasca_tb_line_end end = LASCA_TB_LINE_OPEN;
    CHECK(lasca_tb_best_line(tables, &position, line, 64, count, &end) == LASCA_TB_OK);
    return end;
}

static void a_line_is_as_long_as_the_distance(const lasca_tb *tables)
{
    lasca_tb_position position = position_of("b2B d2W a7W w");
    lasca_tb_move line[64];
    lasca_tb_line_end end = LASCA_TB_LINE_OPEN;
    size_t count = 0, needed = 0, i;
    char text[256];
    CHECK(line_of(tables, "b2B d2W a7W w", line, &count) == LASCA_TB_WHITE_WINS && count == 5);
    for (i = 0; i < count; i++)
        CHECK(is_exact(&line[i].value, i % 2 == 0 ? LASCA_TB_WIN : LASCA_TB_LOSS, (int32_t)(5 - i),
                       i % 2));
    CHECK(lasca_tb_best_line(tables, &position, line, 4, &count, &end) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 5 && end == LASCA_TB_LINE_OPEN);
    CHECK(lasca_tb_best_line(tables, NULL, line, 4, &count, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_best_line(NULL, &position, line, 4, &count, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_best_line(tables, &position, line, 64, NULL, NULL) == LASCA_TB_NULL_POINTER);

    /* The line as text. */
    end = LASCA_TB_WHITE_WINS;
    CHECK(lasca_tb_line_to_text(line, 5, end, text, sizeof text, &needed) == LASCA_TB_OK);
    CHECK(needed == strlen(text) + 1);
    CHECK(strncmp(text, "1. ", 3) == 0 && strstr(text, " 3. ") != NULL);
    CHECK(strcmp(text + strlen(text) - 4, " 1-0") == 0);
    CHECK(lasca_tb_line_to_text(line + 1, 1, LASCA_TB_LINE_OPEN, text, sizeof text, NULL)
          == LASCA_TB_OK);
    CHECK(strncmp(text, "1... ", 5) == 0 && strchr(text + 5, ' ') == NULL);
    CHECK(lasca_tb_line_to_text(line, 5, end, text, 9, &needed) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(lasca_tb_line_to_text(NULL, 0, LASCA_TB_BLACK_WINS, text, sizeof text, NULL)
          == LASCA_TB_OK);
    CHECK(strcmp(text, "0-1") == 0);
    CHECK(lasca_tb_line_to_text(NULL, 0, LASCA_TB_LINE_OPEN, text, sizeof text, NULL)
          == LASCA_TB_OK);
    CHECK(strcmp(text, "") == 0);
    CHECK(lasca_tb_line_to_text(NULL, 1, 0, text, sizeof text, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_line_to_text(line, 5, 4, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    FAILS(lasca_tb_line_to_text(line, 5, -1, text, sizeof text, NULL),
          LASCA_TB_BAD_ARGUMENT, "lasca_tb_line_end");
    line[3].square_count = 200;
    CHECK(lasca_tb_line_to_text(line, 5, end, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);

    /* A draw ends with a repetition; a game that is over has no moves, and is won all the same. */
    CHECK(line_of(tables, "d2W d4W f2B f4B b", line, &count) == LASCA_TB_REPETITION && count > 0);
    CHECK(line_of(tables, "a1wBWb c3w b", line, &count) == LASCA_TB_WHITE_WINS && count == 0);
    CHECK(line_of(tables, "a1W b2B c3B w", line, &count) == LASCA_TB_BLACK_WINS && count == 0);
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
        /* Blocked, so that there is no move to be refused: the position is. */
        {"a5w b6b c7b w", LASCA_TB_SOLDIER, "soldier"},
    };
    size_t i, count = 7;
    lasca_tb_position position;
    lasca_tb_wdl wdl = LASCA_TB_OPEN;
    lasca_tb_value value = {7, 7, 7, 7, 7, {7, 7}};
    lasca_tb_move moves[64];
    for (i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        position = position_of(refused[i].text);
        FAILS(lasca_tb_probe_wdl(tables, &position, &wdl), refused[i].status, refused[i].words);
        CHECK(lasca_tb_probe_dtw(tables, &position, &value) == refused[i].status);
        CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == refused[i].status);
        CHECK(lasca_tb_best_line(tables, &position, moves, 64, &count, NULL) == refused[i].status);
    }
    position = position_of("a1W g7B w");
    CHECK(lasca_tb_probe_wdl(NULL, &position, &wdl) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_wdl(tables, NULL, &wdl) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_wdl(tables, &position, NULL) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_dtw(NULL, &position, &value) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_dtw(tables, NULL, &value) == LASCA_TB_NULL_POINTER);
    CHECK(lasca_tb_probe_dtw(tables, &position, NULL) == LASCA_TB_NULL_POINTER);

    /* Positions that are none. */
    position.columns[9].black = 1;
    FAILS(lasca_tb_probe_wdl(tables, &position, &wdl), LASCA_TB_BAD_POSITION, "on e3");
    position.columns[9].height = UINT32_MAX;
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_BAD_POSITION);
    CHECK(lasca_tb_legal_moves(0, &position, moves, 64, &count) == LASCA_TB_BAD_POSITION);
    position = position_of("a1W g7B w");
    position.side_to_move = 2;
    FAILS(lasca_tb_probe_dtw(tables, &position, &value), LASCA_TB_BAD_ARGUMENT, "found 2");
    memset(&position, 255, sizeof position);
    CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == LASCA_TB_BAD_ARGUMENT);
    memset(&position, 0, sizeof position);
    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_BAD_POSITION);
    CHECK(count == 7 && wdl == LASCA_TB_OPEN && value.wdl == 7 && value.reserved[1] == 7);
}

static void damaged_tables_are_named(const char *damaged, const char *wrong)
{
    lasca_tb *tables = open_or_exit(damaged, NULL);
    lasca_tb_wdl wdl;
    uint8_t has_dtw;
    FAILS(wdl_of(tables, "b2B d2W a7W w", &wdl), LASCA_TB_DAMAGED_TABLE, "lasca-2-1.ltbw");
    FAILS(wdl_of(tables, "a1W g7B w", &wdl), LASCA_TB_UNREADABLE, "lasca-1-1.ltbw");
    /* A damaged DTW file does not matter to what needs the WDL file only. */
    CHECK(lasca_tb_covers(tables, 3, 1, NULL, NULL) == LASCA_TB_OK);
    CHECK(wdl_of(tables, "a1W c1W e1W g7B w", &wdl) == LASCA_TB_OK);
    FAILS(lasca_tb_covers(tables, 1, 3, NULL, &has_dtw), LASCA_TB_DAMAGED_TABLE, "lasca-3-1.ltbd");
    lasca_tb_free(tables);
    tables = open_or_exit(wrong, NULL);
    CHECK(lasca_tb_covers(tables, 3, 1, NULL, NULL) == LASCA_TB_WRONG_TABLE);
    lasca_tb_free(tables);
}

static void tables_without_distances_tell_win_draw_or_loss(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_position position = position_of("b2B d2W a7W w");
    lasca_tb_wdl wdl = LASCA_TB_OPEN;
    lasca_tb_value value;
    lasca_tb_move moves[64];
    size_t count = 7;
    uint8_t has_dtw = 7;

    CHECK(lasca_tb_covers(tables, 1, 2, NULL, &has_dtw) == LASCA_TB_OK && has_dtw == 0);
    CHECK(lasca_tb_covers(tables, 3, 1, NULL, &has_dtw) == LASCA_TB_OK && has_dtw == 1);
    CHECK(lasca_tb_covers(tables, 2, 2, NULL, &has_dtw) == LASCA_TB_MISSING_TABLE);
    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_OK && wdl == LASCA_TB_WIN);
    FAILS(lasca_tb_probe_dtw(tables, &position, &value),
          LASCA_TB_MISSING_DTW, "lasca-2-1.ltbd is missing");
    CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == LASCA_TB_MISSING_DTW);
    CHECK(lasca_tb_best_line(tables, &position, moves, 64, &count, NULL) == LASCA_TB_MISSING_DTW);
    CHECK(count == 7);
    /* A game that is over needs no file. */
    CHECK(value_of(tables, "a1WB w", &value) == LASCA_TB_OK);
    CHECK(is_exact(&value, LASCA_TB_WIN, 0, LASCA_TB_WHITE));
    lasca_tb_free(tables);
}

static void a_bounded_table_tells_how_far_it_goes(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_wdl wdl;
    uint8_t columns = 99;
    CHECK(lasca_tb_covers(tables, 11, 11, &columns, NULL) == LASCA_TB_OK && columns == 2);
    CHECK(wdl_of(tables, "a1WWWWWWWWWWW g7BBBBBBBBBBB w", &wdl) == LASCA_TB_OK);
    FAILS(wdl_of(tables, "a1WWWWWWWWWWW c1BBBBB g7BBBBBB w", &wdl),
          LASCA_TB_BEYOND_COLUMNS, "at most 2 columns");
    lasca_tb_free(tables);
}

/* Runs in a thread of its own: what Rust keeps of a thread that starts others is freed when it ends,
 * and valgrind counts it as lost if that is the main thread. */
static void *loaded_tables_answer_the_same(void *data)
{
    char **folders = data;
    static const char *const POSITIONS[] = {"b2B d2W a7W w", "a1WWW b2BBB w", "d2W d4W f2B f4B b",
                                            "b2W c3B c5BB w"};
    lasca_tb *tables = open_or_exit(folders[1], NULL), *plain = open_or_exit(folders[1], NULL);
    lasca_tb_load_options options = LASCA_TB_LOAD_OPTIONS_INIT;
    lasca_tb_loaded loaded, again;
    lasca_tb_value value, expected;
    lasca_tb_wdl wdl;
    size_t i;
    CHECK(lasca_tb_load(NULL, &options, &loaded) == LASCA_TB_NULL_POINTER);
    options.with_dtw = 1;
    options.max_bytes = 1;
    CHECK(lasca_tb_load(tables, &options, &loaded) == LASCA_TB_OK);
    CHECK(loaded.bytes == 0 && loaded.wdl == 0 && loaded.dtw == 0 && loaded.left_out == 9);
    options.with_dtw = 0;
    options.max_bytes = 0;
    options.white = 2;
    options.black = 3;
    CHECK(lasca_tb_load(tables, &options, &loaded) == LASCA_TB_OK);
    CHECK(loaded.bytes > 0 && loaded.wdl == 1 && loaded.dtw == 0 && loaded.left_out == 0);
    options.black = 0;
    CHECK(lasca_tb_load(tables, &options, NULL) == LASCA_TB_BAD_ARGUMENT);
    options.white = 6;
    options.black = 5;
    CHECK(lasca_tb_load(tables, &options, NULL) == LASCA_TB_MISSING_TABLE);
    options.white = options.black = 0;
    options.reserved[5] = 1;
    CHECK(lasca_tb_load(tables, &options, NULL) == LASCA_TB_BAD_ARGUMENT);
    options.reserved[5] = 0;
    options.with_dtw = 1;
    CHECK(lasca_tb_load(tables, &options, &again) == LASCA_TB_OK);
    CHECK(again.bytes > loaded.bytes && again.wdl == 9 && again.dtw == 9 && again.left_out == 0);
    options.size = 3;
    CHECK(lasca_tb_load(tables, &options, NULL) == LASCA_TB_BAD_ARGUMENT);
    for (i = 0; i < sizeof POSITIONS / sizeof POSITIONS[0]; i++) {
        CHECK(value_of(plain, POSITIONS[i], &expected) == LASCA_TB_OK);
        CHECK(value_of(tables, POSITIONS[i], &value) == LASCA_TB_OK);
        CHECK(memcmp(&value, &expected, sizeof value) == 0);
        CHECK(wdl_of(tables, POSITIONS[i], &wdl) == LASCA_TB_OK && wdl == expected.wdl);
    }
    lasca_tb_free(plain);
    lasca_tb_free(tables);
    tables = open_or_exit(folders[2], NULL);
    CHECK(lasca_tb_load(tables, NULL, &loaded) != LASCA_TB_OK);
    /* The WDL file of 3-1 is sound. */
    CHECK(loaded.bytes > 0 && loaded.wdl == 1 && loaded.left_out == 0);
    lasca_tb_free(tables);
    return NULL;
}

/* What a thread does: it looks up all positions after one and two moves, and fails once. */
struct visit {
    const lasca_tb *tables;
    long values;
    int failed;
};

static void *thread_body(void *data)
{
    struct visit *visit = data;
    lasca_tb_position position = position_of("d2W d4W f2B f4B b");
    lasca_tb_move moves[64], replies[64];
    size_t count = 0, reply_count = 0, i, j;
    visit->failed = strcmp(lasca_tb_last_error(), "") != 0
                    || lasca_tb_moves(visit->tables, &position, moves, 64, &count) != LASCA_TB_OK;
    for (i = 0; i < count; i++) {
        if (lasca_tb_moves(visit->tables, &moves[i].after, replies, 64, &reply_count) != LASCA_TB_OK
            || (reply_count > 0 && replies[0].value.wdl != -moves[i].value.wdl))
            visit->failed = 1;
        for (j = 0; j < reply_count; j++)
            visit->values = (visit->values * 31 + replies[j].value.dtw) % 1000003;
    }
    /* Each thread's last error is its own, and is freed with it. */
    if (lasca_tb_position_from_text("nowhere", &position) != LASCA_TB_BAD_TEXT
        || strlen(lasca_tb_last_error()) == 0)
        visit->failed = 1;
    return NULL;
}

static void threads_share_a_handle(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    struct visit visits[8];
    pthread_t threads[8];
    int i;
    for (i = 0; i < 8; i++) {
        struct visit visit = {tables, 0, 0};
        visits[i] = visit;
        CHECK(pthread_create(&threads[i], NULL, thread_body, &visits[i]) == 0);
    }
    for (i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        CHECK(!visits[i].failed && visits[i].values == visits[0].values);
    }
    lasca_tb_free(tables);
}

int main(int argc, char **argv)
{
    lasca_tb *tables;
    pthread_t thread;
    if (argc != 6) {
        fprintf(stderr, "usage: %s TABLES DAMAGED WRONG WDL BOUNDED\n", argv[0]);
        return 2;
    }
    versions_and_messages_are_told();
    opening_fails_with_a_reason(argv[1]);
    options_may_be_of_another_version(argv[1]);
    options_are_heeded(argv[1]);
    tables_are_listed(argv[1], argv[4], argv[2], argv[5]);
    positions_are_those_of_the_text();
    legal_moves_need_no_tables();
    tables = open_or_exit(argv[1], NULL);
    materials_are_covered_or_not(tables);
    values_are_those_of_the_side_to_move(tables);
    moves_are_listed_best_first(tables);
    a_line_is_as_long_as_the_distance(tables);
    what_the_tables_cannot_answer_has_a_status_of_its_own(tables);
    lasca_tb_free(tables);
    damaged_tables_are_named(argv[2], argv[3]);
    tables_without_distances_tell_win_draw_or_loss(argv[4]);
    a_bounded_table_tells_how_far_it_goes(argv[5]);
    CHECK(pthread_create(&thread, NULL, loaded_tables_answer_the_same, argv) == 0);
    pthread_join(thread, NULL);
    threads_share_a_handle(argv[1]);
    return told();
}
