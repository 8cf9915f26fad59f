/*
 * Calls every function of lasca_tb.h as C and as several threads would, with what is right and with what
 * is wrong. bindings/c/tests/programs.rs compiles and runs it:
 *
 *     test TABLES DAMAGED WRONG WDL BOUNDED
 *
 * TABLES holds the tables that ship, DAMAGED a damaged table of 2-1, a folder in the place of the table of
 * 1-1, and that of 3-1 with a damaged DTW file, WRONG the table of 2-1 under the name of that of 3-1 and one
 * of 2-2 that contradicts itself, WDL the WDL file of 2-1 and both files of 3-1, BOUNDED a table of 11-11 up
 * to two columns.
 */

#include "lasca_tb.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The arguments. */
enum { TABLES, DAMAGED, WRONG, WDL, BOUNDED, FOLDERS };

static const char START[] = "b,b,b,b/b,b,b/b,b,b,b//w,w,w,w/w,w,w/w,w,w,w w";

static int failures = 0;

/* A condition that does not hold is told, and counted. */
#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: failed: %s (last error: %s)\n", __FILE__, __LINE__,           \
                    #condition, lasca_tb_last_error());                                           \
            failures++;                                                                           \
        }                                                                                         \
    } while (0)

/* The call does well. */
#define OK(call) CHECK((call) == LASCA_TB_OK)

/* The call fails with this status, and the last error has these words. */
#define FAILS(call, status, words)                                                                \
    CHECK((call) == (status) && strstr(lasca_tb_last_error(), words) != NULL)

/* The call fails if one of its pointers is NULL: those from OR_NULL(1, ...) to OR_NULL(count, ...). */
static int null_place;
#define OR_NULL(place, pointer) (null_place == (place) ? NULL : (pointer))
#define REFUSES_NULL(count, call)                                                                 \
    for (null_place = 1; null_place <= (count); null_place++)                                     \
    FAILS(call, LASCA_TB_NULL_POINTER, "found NULL")

/* Ends the program if a call fails that everything rests on. */
static void or_exit(lasca_tb_status status, const char *what)
{
    if (status == LASCA_TB_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, lasca_tb_last_error());
    exit(1);
}

static lasca_tb *open_or_exit(const char *folder, const lasca_tb_options *options)
{
    lasca_tb *tables = NULL;
    or_exit(lasca_tb_open(&folder, 1, options, &tables), folder);
    return tables;
}

/* A handle without tables, for a search. */
static lasca_tb *without_tables(int32_t rules)
{
    lasca_tb_options options = {0};
    lasca_tb *tables = NULL;
    options.rules = rules;
    or_exit(lasca_tb_open(NULL, 0, &options, &tables), "no tables");
    return tables;
}

static lasca_tb_position position_of(const char *text)
{
    lasca_tb_position position;
    or_exit(lasca_tb_position_from_text(text, &position), text);
    return position;
}

static lasca_tb_status value_of(const lasca_tb *tables, const char *text, lasca_tb_value *value)
{
    lasca_tb_position position = position_of(text);
    return lasca_tb_probe_dtw(tables, &position, value);
}

/* The move as text, until the next call. */
static const char *text_of(const lasca_tb_move *played)
{
    static char text[LASCA_TB_MOVE_TEXT_SIZE];
    OK(lasca_tb_move_to_text(played, text, sizeof text, NULL));
    return text;
}

/* Whether two moves name the same squares and lead to the same position. */
static int same_move(const lasca_tb_move *a, const lasca_tb_move *b)
{
    return memcmp(&a->squares, &b->squares, sizeof a->squares) == 0
           && memcmp(&a->after, &b->after, sizeof a->after) == 0;
}

/* Whether a value is the whole truth about a position of this side to move. */
static int is_exact(const lasca_tb_value *value, int32_t wdl, int32_t dtw, uint32_t side)
{
    int white_can = wdl == LASCA_TB_WIN ? side == LASCA_TB_WHITE
                    : wdl == LASCA_TB_LOSS && side == LASCA_TB_BLACK;
    int black_can = wdl != LASCA_TB_DRAW && !white_can;
    return value->wdl == wdl && value->dtw == dtw && value->at_most == dtw
           && value->estimate == LASCA_TB_NO_ESTIMATE
           && value->white_excluded == !white_can && value->black_excluded == !black_can;
}

/* Versions, errors and wrong pointers. */

static void a_result_may_take_the_place_of_what_was_asked(const lasca_tb *tables)
{
    union {
        lasca_tb_position position;
        lasca_tb_move moves[64];
        lasca_tb_value value;
        lasca_tb_wdl wdl;
        char text[LASCA_TB_MOVE_TEXT_SIZE];
    } memory;
    const lasca_tb_position asked = position_of("b2B d2W a7W w");
    lasca_tb_move moves[64];
    lasca_tb_value value;
    lasca_tb_wdl wdl;
    char text[LASCA_TB_MOVE_TEXT_SIZE];
    size_t count = 0, found = 0;

    strcpy(memory.text, "b2B d2W a7W w");
    OK(lasca_tb_position_from_text(memory.text, &memory.position));
    CHECK(memcmp(&memory.position, &asked, sizeof asked) == 0);
    OK(lasca_tb_position_to_text(&memory.position, memory.text, sizeof memory.text, NULL));
    CHECK(strcmp(memory.text, "b2B d2W a7W w") == 0);

    OK(lasca_tb_probe_wdl(tables, &asked, &wdl));
    memory.position = asked;
    OK(lasca_tb_probe_wdl(tables, &memory.position, &memory.wdl));
    CHECK(memory.wdl == wdl);
    OK(lasca_tb_probe_dtw(tables, &asked, &value));
    memory.position = asked;
    OK(lasca_tb_probe_dtw(tables, &memory.position, &memory.value));
    CHECK(memcmp(&memory.value, &value, sizeof value) == 0);

    OK(lasca_tb_legal_moves(0, &asked, moves, 64, &count));
    memory.position = asked;
    OK(lasca_tb_legal_moves(0, &memory.position, memory.moves, 64, &found));
    CHECK(found == count && memcmp(memory.moves, moves, count * sizeof *moves) == 0);
    OK(lasca_tb_moves(tables, &asked, moves, 64, &count));
    memory.position = asked;
    OK(lasca_tb_moves(tables, &memory.position, memory.moves, 64, &found));
    CHECK(found == count && memcmp(memory.moves, moves, count * sizeof *moves) == 0);

    OK(lasca_tb_best_line(tables, &asked, moves, 64, &count));
    memory.position = asked;
    OK(lasca_tb_best_line(tables, &memory.position, memory.moves, 64, &found));
    CHECK(found == count && memcmp(memory.moves, moves, count * sizeof *moves) == 0);

    /* A game is played in one move. */
    OK(lasca_tb_move_to_text(&moves[1], text, sizeof text, NULL));
    OK(lasca_tb_move_from_text(0, &moves[0].after, text, &moves[0]));
    CHECK(memcmp(&moves[0].after, &moves[1].after, sizeof asked) == 0);
    moves[0].value.wdl = 99;
    OK(lasca_tb_move_to_text(&moves[0], (char *)moves, sizeof text, NULL));
    CHECK(strcmp((char *)moves, text) == 0);
}

static void versions_are_told(void)
{
    CHECK(lasca_tb_abi_version() == LASCA_TB_ABI_VERSION);
    CHECK(strchr(lasca_tb_version(), '.') != NULL);
    CHECK(strcmp(lasca_tb_last_error(), "") == 0);
}

static void null_is_refused_unless_it_is_allowed(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL), *opened = NULL;
    lasca_tb_position position = position_of("b2B d2W a7W w");
    lasca_tb_limits limits = {0};
    lasca_tb_searched result;
    lasca_tb_move moves[64];
    lasca_tb_value value;
    lasca_tb_wdl wdl;
    const char *none = NULL;
    char text[4096];
    size_t count = 7;

    REFUSES_NULL(2, lasca_tb_open(OR_NULL(1, &folder), 1, NULL, OR_NULL(2, &opened)));
    FAILS(lasca_tb_open(&none, 1, NULL, &opened), LASCA_TB_NULL_POINTER, "as folder,");
    REFUSES_NULL(1, lasca_tb_covers(OR_NULL(1, tables), 2, 1, NULL, NULL));
    REFUSES_NULL(1, lasca_tb_load(OR_NULL(1, tables), NULL, NULL));
    REFUSES_NULL(2, lasca_tb_position_from_text(OR_NULL(1, "a1W g7B w"), OR_NULL(2, &position)));
    REFUSES_NULL(2, lasca_tb_position_to_text(OR_NULL(1, &position), OR_NULL(2, text), 99, NULL));
    REFUSES_NULL(3, lasca_tb_legal_moves(0, OR_NULL(1, &position), OR_NULL(2, moves), 64,
                                         OR_NULL(3, &count)));
    REFUSES_NULL(3, lasca_tb_move_from_text(0, OR_NULL(1, &position), OR_NULL(2, "a7-b6"),
                                            OR_NULL(3, moves)));
    OK(lasca_tb_move_from_text(0, &position, "a7-b6", moves));
    REFUSES_NULL(2, lasca_tb_move_to_text(OR_NULL(1, moves), OR_NULL(2, text), 99, NULL));
    REFUSES_NULL(3, lasca_tb_probe_wdl(OR_NULL(1, tables), OR_NULL(2, &position), OR_NULL(3, &wdl)));
    REFUSES_NULL(3, lasca_tb_probe_dtw(OR_NULL(1, tables), OR_NULL(2, &position),
                                       OR_NULL(3, &value)));
    REFUSES_NULL(4, lasca_tb_moves(OR_NULL(1, tables), OR_NULL(2, &position), OR_NULL(3, moves), 64,
                                   OR_NULL(4, &count)));
    REFUSES_NULL(4, lasca_tb_best_line(OR_NULL(1, tables), OR_NULL(2, &position), OR_NULL(3, moves),
                                       64, OR_NULL(4, &count)));
    REFUSES_NULL(4, lasca_tb_best_move(OR_NULL(1, tables), OR_NULL(2, &position), OR_NULL(3, &position), 1, NULL,
                                       OR_NULL(4, moves)));
    limits.find_moves = limits.find_line = 1;
    REFUSES_NULL(7, lasca_tb_solve(OR_NULL(1, tables), OR_NULL(2, &position), &limits, OR_NULL(3, &result),
                                   OR_NULL(4, moves), 64, OR_NULL(5, &count), OR_NULL(6, moves), 64,
                                   OR_NULL(7, &count)));
    CHECK(opened == NULL);
    lasca_tb_free(tables);
    lasca_tb_free(NULL);
}

/* Tables. */

static void opening_fails_with_a_reason(const char *folder)
{
    static const struct {
        lasca_tb_options options;
        const char *words;
    } wrong[] = {
        {{0, 3, 0, 0, 0}, "expected a lasca_tb_rules (0 to 2), found 3"},
        {{0, -1, 0, 0, 0}, "found -1"},
        {{0, 0, 3, 0, 0}, "expected a lasca_tb_access (0 to 2), found 3"},
    };
    lasca_tb *tables = NULL;
    const char *missing = "no/such/folder", *two[2];
    size_t i;
    FAILS(lasca_tb_open(&missing, 1, NULL, &tables), LASCA_TB_UNREADABLE, "no/such/folder");
    for (i = 0; i < LENGTH(wrong); i++)
        FAILS(lasca_tb_open(&folder, 1, &wrong[i].options, &tables), LASCA_TB_BAD_ARGUMENT,
              wrong[i].words);
    CHECK(tables == NULL);

    two[0] = two[1] = folder;
    OK(lasca_tb_open(two, 2, NULL, &tables));
    OK(lasca_tb_covers(tables, 2, 1, NULL, NULL));
    lasca_tb_free(tables);
}

static void tables_are_a_part_of_the_library(const char *damaged)
{
    lasca_tb_options options = {0};
    lasca_tb *tables = without_tables(LASCA_TB_RULES_LASCA);
    lasca_tb_loaded loaded;
    lasca_tb_value value;
    FAILS(value_of(tables, "b2B d2W a7W w", &value), LASCA_TB_NOT_COVERED, "lasca_tb_covers()");
    lasca_tb_free(tables);
    options.included = 1;
    OK(lasca_tb_open(NULL, 0, &options, &tables));
    OK(value_of(tables, "b2B d2W a7W w", &value));
    CHECK(value.wdl == LASCA_TB_WIN && value.dtw == 5);
    OK(lasca_tb_load(tables, NULL, &loaded));
    CHECK(loaded.wdl == 9);
    FAILS(value_of(tables, "a1WWWW b2BBB w", &value), LASCA_TB_NOT_COVERED, "lasca_tb_covers()");
    lasca_tb_free(tables);
    /* What a folder holds of the same tables does not count, even if it is damaged. */
    tables = open_or_exit(damaged, NULL);
    CHECK(value_of(tables, "b2B d2W a7W w", &value) == LASCA_TB_DAMAGED);
    lasca_tb_free(tables);
    tables = open_or_exit(damaged, &options);
    OK(value_of(tables, "b2B d2W a7W w", &value));
    lasca_tb_free(tables);
    options.rules = LASCA_TB_RULES_BIGNOR;
    OK(lasca_tb_open(NULL, 0, &options, &tables));
    OK(lasca_tb_load(tables, NULL, &loaded));
    CHECK(loaded.wdl == 0);
    lasca_tb_free(tables);
}

static void options_are_heeded(const char *folder)
{
    lasca_tb_options options = {0};
    lasca_tb *tables;
    lasca_tb_value value;
    options.cache_bytes = 1;
    for (options.access = LASCA_TB_AUTOMATIC; options.access <= LASCA_TB_PRIVATE; options.access++) {
        tables = open_or_exit(folder, &options);
        OK(value_of(tables, "b2B d2W a7W w", &value));
        CHECK(is_exact(&value, LASCA_TB_WIN, 5, LASCA_TB_WHITE));
        lasca_tb_free(tables);
    }
    options.access = LASCA_TB_AUTOMATIC;
    options.rules = LASCA_TB_RULES_REJUMP;
    tables = open_or_exit(folder, &options);
    FAILS(lasca_tb_covers(tables, 2, 1, NULL, NULL), LASCA_TB_OTHER_RULES, "rejump");
    FAILS(value_of(tables, "b2B d2W a7W w", &value), LASCA_TB_NOT_COVERED, "lasca_tb_covers()");
    lasca_tb_free(tables);
}

static void materials_are_covered_or_not(char **folders)
{
    static const struct {
        int folder;
        uint8_t white, black;
        lasca_tb_status status, status_with_dtw;
        uint8_t columns, has_dtw;
    } known[] = {
        {TABLES, 2, 3, LASCA_TB_OK, LASCA_TB_OK, LASCA_TB_SQUARES, 1},
        {TABLES, 6, 5, LASCA_TB_NOT_COVERED, LASCA_TB_NOT_COVERED, 99, 99},
        {TABLES, 200, 100, LASCA_TB_NOT_COVERED, LASCA_TB_NOT_COVERED, 99, 99},
        {TABLES, 3, 0, LASCA_TB_BAD_ARGUMENT, LASCA_TB_BAD_ARGUMENT, 99, 99},
        {WDL, 1, 2, LASCA_TB_OK, LASCA_TB_OK, LASCA_TB_SQUARES, 0},
        {BOUNDED, 11, 11, LASCA_TB_OK, LASCA_TB_OK, 2, 1},
        {WRONG, 3, 1, LASCA_TB_DAMAGED, LASCA_TB_DAMAGED, 99, 99},
        /* A damaged DTW file does not matter to what needs the WDL file only. */
        {DAMAGED, 1, 3, LASCA_TB_OK, LASCA_TB_DAMAGED, LASCA_TB_SQUARES, 99},
    };
    size_t i;
    for (i = 0; i < LENGTH(known); i++) {
        lasca_tb *tables = open_or_exit(folders[known[i].folder], NULL);
        uint8_t white = known[i].white, black = known[i].black, columns = 99, has_dtw = 99;
        CHECK(lasca_tb_covers(tables, white, black, NULL, &has_dtw) == known[i].status_with_dtw);
        CHECK(lasca_tb_covers(tables, white, black, &columns, NULL) == known[i].status);
        CHECK(columns == known[i].columns && has_dtw == known[i].has_dtw);
        lasca_tb_free(tables);
    }
}

static void tables_are_loaded_as_the_options_say(const char *folder, const char *damaged)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_load_options options = {0};
    lasca_tb_loaded loaded, again;
    static const uint32_t threads[] = {0, 3, UINT32_MAX};
    size_t i;
    lasca_tb_value value;
    options.with_dtw = 1;
    options.max_bytes = 1;
    OK(lasca_tb_load(tables, &options, &loaded));
    CHECK(loaded.bytes == 0 && loaded.wdl == 0 && loaded.dtw == 0 && loaded.left_out == 9);
    options.with_dtw = options.max_bytes = 0;
    options.white = 2;
    options.black = 3;
    OK(lasca_tb_load(tables, &options, &loaded));
    CHECK(loaded.bytes > 0 && loaded.wdl == 1 && loaded.dtw == 0 && loaded.left_out == 0);
    options.black = 0;
    CHECK(lasca_tb_load(tables, &options, NULL) == LASCA_TB_BAD_ARGUMENT);
    options.black = 9;
    FAILS(lasca_tb_load(tables, &options, NULL), LASCA_TB_NOT_COVERED, "9-2");
    options.black = 0;
    options.white = 0;
    options.with_dtw = 1;
    options.threads = 1;
    OK(lasca_tb_load(tables, &options, &again));
    CHECK(again.bytes > loaded.bytes && again.wdl == 9 && again.dtw == 9 && again.left_out == 0);
    OK(value_of(tables, "b2B f6W a7W b", &value));
    CHECK(is_exact(&value, LASCA_TB_LOSS, 8, LASCA_TB_BLACK));
    lasca_tb_free(tables);
    for (i = 0; i < LENGTH(threads); i++) {
        tables = open_or_exit(folder, NULL);
        options.threads = threads[i];
        OK(lasca_tb_load(tables, &options, &loaded));
        CHECK(memcmp(&loaded, &again, sizeof again) == 0);
        lasca_tb_free(tables);
    }
    tables = open_or_exit(damaged, NULL);
    CHECK(lasca_tb_load(tables, NULL, &loaded) != LASCA_TB_OK);
    /* The WDL file of 3-1 is sound. */
    CHECK(loaded.bytes > 0 && loaded.wdl == 1 && loaded.left_out == 0);
    lasca_tb_free(tables);
}

/* Positions and moves. */

static void positions_are_those_of_the_text(void)
{
    static const char TEXT[] = "a1WwB g1B b2bW g7W b";
    static const struct {
        const char *text;
        lasca_tb_status status;
    } wrong[] = {
        {"a1W b2B", LASCA_TB_NOT_A_POSITION},
        {"a1WWWWWWWWWWWW g7BBBBBBBBBBB w", LASCA_TB_NOT_A_POSITION},
        {"", LASCA_TB_NOT_A_POSITION},
        {"a1W\xff b2B w", LASCA_TB_BAD_UTF8},
    };
    lasca_tb_position position = position_of(TEXT);
    const lasca_tb_position expected = {
        .heights = {[0] = 3, [3] = 1, [4] = 2, [24] = 1},
        .side_to_move = LASCA_TB_BLACK,
        /* Of WwB, B, bW and W. */
        .black = 0x1c,
        .officers = 0x6d,
    };
    char text[LASCA_TB_POSITION_TEXT_SIZE];
    size_t needed = 0, i;
    CHECK(memcmp(&position, &expected, sizeof expected) == 0);
    OK(lasca_tb_position_to_text(&position, text, sizeof TEXT, &needed));
    CHECK(strcmp(text, TEXT) == 0 && needed == sizeof TEXT);
    strcpy(text, "untouched");
    needed = 0;
    CHECK(lasca_tb_position_to_text(&position, text, sizeof TEXT - 1, &needed)
          == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(strcmp(text, "untouched") == 0 && needed == sizeof TEXT);
    CHECK(lasca_tb_position_to_text(&position, NULL, 0, &needed) == LASCA_TB_BUFFER_TOO_SMALL);

    for (i = 0; i < LENGTH(wrong); i++)
        CHECK(lasca_tb_position_from_text(wrong[i].text, &position) == wrong[i].status);
    FAILS(lasca_tb_position_from_text("a2W b2B w", &position), LASCA_TB_NOT_A_POSITION, "at character 1");
    CHECK(memcmp(&position, &expected, sizeof expected) == 0);
}

/* The text of a capture names its squares, the column on the last one and, after each jump, the column that is left
 * where it jumped. The moving column has at least one counter, and takes one with each jump. The text is longest if it
 * has no others, and all that is left stands on one square, which is jumped again and again: it is then written after
 * each jump. */
static void the_longest_moves_fit_the_size_that_is_always_enough(void)
{
    char text[LASCA_TB_POSITION_TEXT_SIZE];
    char written[LASCA_TB_MOVE_TEXT_SIZE];
    size_t longest = 0, squares = 0, needed, count, i;
    lasca_tb_move moves[64];
    int32_t rules, taken;
    for (rules = 0; rules < 3; rules++)
        for (taken = 0; taken < LASCA_TB_MAX_COUNTERS; taken++) {
            /* At first another position, with a column that may go on to jump a third one. */
            char left[LASCA_TB_MAX_COUNTERS], all[LASCA_TB_MAX_COUNTERS];
            memset(all, 'B', sizeof all);
            memset(left, 'W', sizeof left);
            if (taken == 0)
                snprintf(text, sizeof text, "b2W c3%.20s e5B w", all);
            else
                snprintf(text, sizeof text, "a1W b2%.*s%.*s w", (int)taken, all,
                         LASCA_TB_MAX_COUNTERS - 1 - (int)taken, left);
            lasca_tb_position position = position_of(text);
            OK(lasca_tb_legal_moves(rules, &position, moves, LENGTH(moves), &count));
            CHECK(count > 0);
            for (i = 0; i < count; i++) {
                OK(lasca_tb_move_to_text(&moves[i], written, sizeof written, &needed));
                if (needed > longest)
                    longest = needed;
                if (moves[i].squares.count > squares)
                    squares = moves[i].squares.count;
            }
        }
    CHECK(longest == LASCA_TB_MOVE_TEXT_SIZE && squares == LASCA_TB_MOVE_SQUARES);
    /* Each counter on a square of its own. */
    memset(&moves[0].after, 0, sizeof moves[0].after);
    for (i = 0; i < LASCA_TB_MAX_COUNTERS; i++)
        moves[0].after.heights[i] = 1;
    OK(lasca_tb_position_to_text(&moves[0].after, text, sizeof text, &needed));
    CHECK(needed == 90);
}

static void legal_moves_need_no_tables(void)
{
    lasca_tb_position position = position_of(START);
    lasca_tb_move moves[64], read;
    size_t count = 0, i;
    char text[LASCA_TB_MOVE_TEXT_SIZE];

    FAILS(lasca_tb_legal_moves(0, &position, moves, 5, &count), LASCA_TB_BUFFER_TOO_SMALL,
          "room for 6");
    CHECK(count == 6);
    OK(lasca_tb_legal_moves(0, &position, moves, 6, &count));
    for (i = 0; i < count; i++) {
        CHECK(moves[i].squares.count == 2 && moves[i].after.side_to_move == LASCA_TB_BLACK);
        CHECK(moves[i].value.wdl == LASCA_TB_OPEN && moves[i].value.dtw == LASCA_TB_NO_DTW);
        OK(lasca_tb_move_from_text(0, &position, text_of(&moves[i]), &read));
        CHECK(same_move(&read, &moves[i]));
    }
    FAILS(lasca_tb_legal_moves(3, &position, moves, 64, &count), LASCA_TB_BAD_ARGUMENT, "found 3");

    /* Promotion, and a game that is over. */
    position = position_of("c5w e5W d6b w");
    OK(lasca_tb_move_from_text(0, &position, "c5-e7", &read));
    position = position_of("e5W e7Wb b");
    CHECK(memcmp(&read.after, &position, sizeof position) == 0);
    OK(lasca_tb_legal_moves(0, &position, moves, 64, &count));
    CHECK(count == 0);
    CHECK(lasca_tb_move_from_text(0, &position, "c3-d4", &read) == LASCA_TB_GAME_OVER);

    /* Of more than are listed, none is. */
    position = position_of("c3W b2BBBBB d2BBBBB b4BBBBB d4BBBBBB w");
    FAILS(lasca_tb_legal_moves(LASCA_TB_RULES_REJUMP, &position, moves, 64, &count), LASCA_TB_TOO_MANY_MOVES, "4096");

    /* The rule sets differ. */
    position = position_of("a1W b2BB w");
    OK(lasca_tb_legal_moves(LASCA_TB_RULES_LASCA, &position, moves, 64, &count));
    CHECK(count == 1 && moves[0].squares.count == 3);
    OK(lasca_tb_legal_moves(LASCA_TB_RULES_REJUMP, &position, moves, 64, &count));
    CHECK(count == 1 && moves[0].squares.count == 5);

    /* A capture names the squares jumped, and its text what it leaves. */
    position = position_of("b2W c3B c5BB w");
    OK(lasca_tb_move_from_text(0, &position, "b2xd4xb6", &read));
    CHECK(read.squares.count == 5 && memcmp(read.squares.at, "\4\10\14\17\22", 6) == 0);
    CHECK(strcmp(text_of(&read), "b2-c3-d4-c5B-b6WBB") == 0);
    CHECK(lasca_tb_move_to_text(&read, text, 5, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == sizeof "b2-c3-d4-c5B-b6WBB");
    FAILS(lasca_tb_move_from_text(0, &position, "b2-a3", &read), LASCA_TB_NOT_A_MOVE,
          "b2-c3-d4-c5B-b6WBB");
    CHECK(lasca_tb_move_from_text(0, &position, "\xff", &read) == LASCA_TB_BAD_UTF8);
    CHECK(lasca_tb_move_from_text(9, &position, "b2-b6", &read) == LASCA_TB_BAD_ARGUMENT);

    /* Moves that are none. */
    read.squares.at[1] = 9;
    CHECK(lasca_tb_move_to_text(&read, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    read.squares.at[1] = 255;
    CHECK(lasca_tb_move_to_text(&read, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
    read.squares.count = 255;
    CHECK(lasca_tb_move_to_text(&read, text, sizeof text, NULL) == LASCA_TB_BAD_ARGUMENT);
}

static void moves_are_made_by_their_squares(void)
{
    static const char *const TEXTS[] = {
        START, "b2W c3B c5BB w", "a1W b2BBBBBBBBBBBBBBBBBB g7WWW w", "c5w e5W d6b w", "a1wBWb c3w b"};
    lasca_tb_squares none = {{0, 1}, 2};
    lasca_tb_position position, after;
    lasca_tb_move moves[64];
    size_t count = 0, text, i;
    int32_t rules;
    for (text = 0; text < LENGTH(TEXTS); text++)
        for (rules = 0; rules < 3; rules++) {
            position = position_of(TEXTS[text]);
            OK(lasca_tb_legal_moves(rules, &position, moves, 64, &count));
            for (i = 0; i < count; i++) {
                OK(lasca_tb_play(rules, &position, &moves[i].squares, &after));
                CHECK(memcmp(&after, &moves[i].after, sizeof after) == 0);
            }
        }
    position = position_of(START);
    OK(lasca_tb_legal_moves(0, &position, moves, 64, &count));
    after = position;
    FAILS(lasca_tb_play(0, &moves[0].after, &moves[0].squares, &after), LASCA_TB_NOT_A_MOVE, "a3-b4");
    FAILS(lasca_tb_play(0, &position, &none, &after), LASCA_TB_BAD_ARGUMENT, "squares");
    none.count = 99;
    FAILS(lasca_tb_play(0, &position, &none, &after), LASCA_TB_BAD_ARGUMENT, "squares");
    FAILS(lasca_tb_play(-1, &position, &moves[0].squares, &after), LASCA_TB_BAD_ARGUMENT, "found -1");
    CHECK(memcmp(&after, &position, sizeof after) == 0);
    OK(lasca_tb_play(0, &position, &moves[0].squares, &position));
    CHECK(memcmp(&after, &position, sizeof after) != 0 && position.side_to_move == LASCA_TB_BLACK);
    REFUSES_NULL(3, lasca_tb_play(0, OR_NULL(1, &after), OR_NULL(2, &moves[0].squares), OR_NULL(3, &position)));
}

/* Looking positions up. */

/* In which folder a position has which value. */
static const struct {
    int folder;
    const char *text;
    int32_t wdl, dtw;
} VALUES[] = {
    {TABLES, "b2B d2W a7W w", LASCA_TB_WIN, 5},
    {TABLES, "b2B f6W a7W b", LASCA_TB_LOSS, 8},
    {TABLES, "d2W d4W f2B f4B b", LASCA_TB_DRAW, LASCA_TB_NO_DTW},
    {TABLES, "a1W b2B c3B w", LASCA_TB_LOSS, 0},
    {BOUNDED, "a1WWWWWWWWWWW g7BBBBBBBBBBB w", LASCA_TB_LOSS, 70},
    /* A side commands nothing, so the columns may be of any kind, and no file is needed. */
    {WDL, "a1WB w", LASCA_TB_WIN, 0},
    {WDL, "a1WB b", LASCA_TB_LOSS, 0},
    {TABLES, "a1wBWb c3w b", LASCA_TB_LOSS, 0},
    {TABLES, "a1WWWWWWWWWWWWWWWWWWWWWW w", LASCA_TB_WIN, 0},
};

static void values_are_those_of_the_side_to_move(char **folders)
{
    size_t i;
    for (i = 0; i < LENGTH(VALUES); i++) {
        lasca_tb *tables = open_or_exit(folders[VALUES[i].folder], NULL);
        lasca_tb_position position = position_of(VALUES[i].text);
        lasca_tb_wdl wdl = LASCA_TB_OPEN;
        lasca_tb_value value;
        OK(lasca_tb_probe_wdl(tables, &position, &wdl));
        OK(lasca_tb_probe_dtw(tables, &position, &value));
        CHECK((int32_t)wdl == VALUES[i].wdl);
        CHECK(is_exact(&value, VALUES[i].wdl, VALUES[i].dtw, position.side_to_move));
        lasca_tb_free(tables);
    }
}

static void what_the_tables_cannot_answer_has_a_status_of_its_own(char **folders)
{
    static const struct {
        int folder;
        const char *text;
        /* Of win, draw or loss, and of what needs distances. */
        lasca_tb_status of_wdl, of_dtw;
        const char *words;
    } refused[] = {
        {TABLES, "a1w b2B w", LASCA_TB_NOT_COVERED, LASCA_TB_NOT_COVERED, "lasca_tb_covers()"},
        {TABLES, "a1W b2BWB w", LASCA_TB_NOT_COVERED, LASCA_TB_NOT_COVERED, "lasca_tb_covers()"},
        {TABLES, "a1WWWWWWW g7BBBBBB w", LASCA_TB_NOT_COVERED, LASCA_TB_NOT_COVERED, "lasca_tb_covers()"},
        {DAMAGED, "b2B d2W a7W w", LASCA_TB_DAMAGED, LASCA_TB_DAMAGED, "lasca-2-1.ltbw"},
        {DAMAGED, "a1W g7B w", LASCA_TB_UNREADABLE, LASCA_TB_UNREADABLE, "lasca-1-1.ltbw"},
        {DAMAGED, "a1W c1W e1W g7B w", LASCA_TB_OK, LASCA_TB_DAMAGED, "lasca-3-1.ltbd"},
        {WDL, "b2B d2W a7W w", LASCA_TB_OK, LASCA_TB_NO_DISTANCES, "lasca-2-1.ltbd: the file with the distances is missing"},
        {BOUNDED, "a1WWWWWWWWWWW c1BBBBB g7BBBBBB w", LASCA_TB_NOT_COVERED,
         LASCA_TB_NOT_COVERED, "at most 2 columns"},
    };
    size_t i, count = 7;
    lasca_tb_value value = {7, 7, 7, 7, 7, 7};
    lasca_tb_position position;
    lasca_tb_move moves[64];
    lasca_tb_wdl wdl;
    lasca_tb_options bignor = {0};
    lasca_tb *tables;
    bignor.rules = LASCA_TB_RULES_BIGNOR;
    for (i = 0; i < LENGTH(refused); i++) {
        tables = open_or_exit(folders[refused[i].folder], NULL);
        position = position_of(refused[i].text);
        CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == refused[i].of_wdl);
        FAILS(lasca_tb_probe_dtw(tables, &position, &value), refused[i].of_dtw, refused[i].words);
        CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == refused[i].of_dtw);
        CHECK(lasca_tb_best_line(tables, &position, moves, 64, &count) == refused[i].of_dtw);
        lasca_tb_free(tables);
    }
    tables = open_or_exit(folders[WRONG], &bignor);
    position = position_of("a1W c1W f2BB w");
    FAILS(lasca_tb_best_line(tables, &position, moves, 64, &count), LASCA_TB_INCONSISTENT,
          "the tables contradict themselves at");
    lasca_tb_free(tables);
    tables = open_or_exit(folders[TABLES], NULL);
    position = position_of("a1W g7B w");
    position.black = 4;
    FAILS(lasca_tb_probe_dtw(tables, &position, &value), LASCA_TB_NOT_A_POSITION, "from bit 2 on");
    FAILS(lasca_tb_moves(tables, &position, moves, 64, &count), LASCA_TB_NOT_A_POSITION, "bit 2");
    position.side_to_move = 2;
    wdl = LASCA_TB_OPEN;
    FAILS(lasca_tb_probe_wdl(tables, &position, &wdl), LASCA_TB_BAD_ARGUMENT, "side_to_move");
    FAILS(lasca_tb_probe_dtw(tables, &position, &value), LASCA_TB_BAD_ARGUMENT, "found 2");
    CHECK(wdl == LASCA_TB_OPEN && count == 7 && value.wdl == 7 && value.estimate == 7);
    /* Blocked: the game is over, which the rules alone tell. */
    position = position_of("a5w b6b c7b w");
    CHECK(lasca_tb_probe_wdl(tables, &position, &wdl) == LASCA_TB_OK && wdl == LASCA_TB_LOSS);
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_OK);
    CHECK(value.wdl == LASCA_TB_LOSS && value.dtw == 0);
    CHECK(lasca_tb_moves(tables, &position, moves, 64, &count) == LASCA_TB_OK && count == 0);
    lasca_tb_free(tables);
}

/* Several threads call this with the same tables. */
static void moves_are_listed_best_first(const lasca_tb *tables)
{
    lasca_tb_position position = position_of("d2W d4W f2B f4B b");
    lasca_tb_move moves[64], legal[64], best;
    lasca_tb_value value;
    size_t count = 0, legal_count = 0, i, j, known;

    OK(lasca_tb_moves(tables, &position, moves, 64, &count));
    OK(lasca_tb_legal_moves(0, &position, legal, 64, &legal_count));
    OK(lasca_tb_move_from_text(0, &position, "f2-g3", &best));
    CHECK(count == 8 && legal_count == 8 && same_move(&moves[0], &best));
    for (i = 0; i < count; i++) {
        for (j = known = 0; j < legal_count; j++)
            known += same_move(&moves[i], &legal[j]);
        CHECK(known == 1);
        OK(lasca_tb_probe_dtw(tables, &moves[i].after, &value));
        CHECK(is_exact(&moves[i].value, -value.wdl, value.dtw + (value.wdl != LASCA_TB_DRAW),
                       LASCA_TB_BLACK));
        CHECK(i == 0 || moves[i].value.wdl <= moves[i - 1].value.wdl);
    }
    count = 0;
    moves[0].squares.count = 99;
    CHECK(lasca_tb_moves(tables, &position, moves, 7, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 8 && moves[0].squares.count == 99);
    CHECK(lasca_tb_moves(tables, &position, NULL, 0, &count) == LASCA_TB_BUFFER_TOO_SMALL);

    /* A game that is over, with columns of any kind. */
    position = position_of("a1wBWb c3w b");
    OK(lasca_tb_moves(tables, &position, NULL, 0, &count));
    CHECK(count == 0);
}

/* What a thread does with a handle that others use too: it looks up, and fails in a way of its own. */
struct visit {
    const lasca_tb *tables;
    uint8_t white;
    const char *words;
};

static void *visit_tables(void *user)
{
    struct visit *visit = user;
    int i;
    CHECK(strcmp(lasca_tb_last_error(), "") == 0);
    moves_are_listed_best_first(visit->tables);
    for (i = 0; i < 1000; i++)
        FAILS(lasca_tb_covers(visit->tables, visit->white, 5, NULL, NULL), LASCA_TB_NOT_COVERED,
              visit->words);
    return NULL;
}

static void threads_share_a_handle_and_each_has_a_last_error(const char *folder)
{
    lasca_tb *shared = open_or_exit(folder, NULL);
    struct visit visits[] = {
        {shared, 6, "of 6-5"}, {shared, 7, "of 7-5"}, {shared, 8, "of 8-5"}, {shared, 9, "of 9-5"}};
    pthread_t threads[LENGTH(visits)];
    size_t i;
    CHECK(lasca_tb_covers(shared, 10, 5, NULL, NULL) == LASCA_TB_NOT_COVERED);
    for (i = 0; i < LENGTH(visits); i++)
        CHECK(pthread_create(&threads[i], NULL, visit_tables, &visits[i]) == 0);
    for (i = 0; i < LENGTH(visits); i++)
        pthread_join(threads[i], NULL);
    CHECK(strstr(lasca_tb_last_error(), "of 10-5") != NULL);
    lasca_tb_free(shared);
}

/* How many moves the line of a position has. */
static size_t line_of(const lasca_tb *tables, const char *text, lasca_tb_move *line)
{
    lasca_tb_position position = position_of(text);
    size_t count = 0;
    OK(lasca_tb_best_line(tables, &position, line, 64, &count));
    return count;
}

static void a_line_is_as_long_as_the_distance(const lasca_tb *tables)
{
    lasca_tb_position position = position_of("b2B d2W a7W w");
    lasca_tb_move line[64];
    size_t count = line_of(tables, "b2B d2W a7W w", line), i, repeated;
    CHECK(count == 5);
    for (i = 0; i < count; i++)
        CHECK(is_exact(&line[i].value, i % 2 == 0 ? LASCA_TB_WIN : LASCA_TB_LOSS, (int32_t)(5 - i),
                       i % 2));
    CHECK(lasca_tb_best_line(tables, &position, line, 4, &count) == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 5);
    /* A draw ends with a repetition. */
    position = position_of("d2W d4W f2B f4B b");
    count = line_of(tables, "d2W d4W f2B f4B b", line);
    CHECK(count > 0);
    repeated = memcmp(&position, &line[count - 1].after, sizeof position) == 0;
    for (i = 0; i + 1 < count; i++)
        repeated += memcmp(&line[i].after, &line[count - 1].after, sizeof position) == 0;
    CHECK(repeated == 1);
    CHECK(line_of(tables, "a1wBWb c3w b", line) == 0 && line_of(tables, "a1W b2B c3B w", line) == 0);
}

/* Searching. */

/* What a search of a position finds. */
struct found {
    lasca_tb_searched result;
    lasca_tb_move moves[64], line[64];
    size_t count, plies;
};

/* Without tables if they are NULL. */
static struct found found_of(const lasca_tb *tables, const char *text, int32_t rules,
                             const lasca_tb_limits *limits)
{
    lasca_tb *none = without_tables(rules);
    lasca_tb_position position = position_of(text);
    struct found found;
    memset(&found, 0, sizeof found);
    or_exit(lasca_tb_solve(tables ? tables : none, &position, limits, &found.result, found.moves, 64, &found.count,
                           found.line, 64, &found.plies), text);
    lasca_tb_free(none);
    return found;
}

/* What a search is to find, as sums. */
enum { DTW = 1, MOVES = 2, LINE = 4 };

/* Searches until nothing is left to find out; one thread, so that each search finds the same. */
static struct found solve(const lasca_tb *tables, const char *text, int32_t rules, int finds)
{
    lasca_tb_limits limits = {0};
    struct found found;
    limits.threads = 1;
    limits.find_dtw = (finds & DTW) != 0;
    limits.find_moves = (finds & MOVES) != 0;
    limits.find_line = (finds & LINE) != 0;
    found = found_of(tables, text, rules, &limits);
    CHECK(found.result.stop == LASCA_TB_FINISHED);
    return found;
}

/* Solves a position, its distance and its moves, and compares all that is told of them. */
static void check_solved(const lasca_tb *tables, const char *text, int32_t rules, int32_t wdl,
                         int32_t dtw)
{
    uint32_t side = position_of(text).side_to_move;
    struct found found = solve(tables, text, rules, 0), next;
    lasca_tb_value value = found.result.value;
    char after[LASCA_TB_POSITION_TEXT_SIZE];
    size_t i;

    CHECK(value.wdl == wdl && value.at_most >= dtw);
    CHECK(value.dtw == LASCA_TB_NO_DTW || value.dtw == dtw);
    /* What is not asked for is not told. */
    CHECK(found.count == 0 && found.plies == 0 && found.result.reserved == 0);
    CHECK(found.result.positions > 0);
    found = solve(tables, text, rules, DTW + MOVES + LINE);
    CHECK(is_exact(&found.result.value, wdl, dtw, side));

    /* The best line leads to the end of the game, and the line of the next position is as long as the rest of it. */
    CHECK(wdl == LASCA_TB_DRAW || found.plies == (size_t)dtw);
    if (found.plies > 0) {
        CHECK(found.line[0].value.wdl == wdl);
        OK(lasca_tb_position_to_text(&found.line[0].after, after, sizeof after, NULL));
        next = solve(tables, after, rules, DTW + LINE);
        CHECK(wdl == LASCA_TB_DRAW || next.plies == found.plies - 1);
    }
    /* The best move comes first, and is worth what the position is. */
    CHECK((found.count == 0) == (dtw == 0));
    for (i = 0; i < found.count; i++) {
        value = found.moves[i].value;
        CHECK(value.wdl != LASCA_TB_OPEN && value.wdl <= wdl && value.estimate == LASCA_TB_NO_ESTIMATE);
        CHECK((value.white_excluded && value.black_excluded) == (value.wdl == LASCA_TB_DRAW));
        CHECK(i > 0 || (value.wdl == wdl && value.at_most == dtw));
    }
}

static void what_is_proved_is_told(char **folders)
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
        {"a1W b2BB w", LASCA_TB_RULES_BIGNOR, LASCA_TB_LOSS, 2},
        {"a1W b2BB w", LASCA_TB_RULES_REJUMP, LASCA_TB_WIN, 1},
    };
    lasca_tb *tables = open_or_exit(folders[TABLES], NULL);
    struct found found;
    size_t i;
    for (i = 0; i < LENGTH(known); i++) {
        check_solved(NULL, known[i].text, known[i].rules, known[i].wdl, known[i].dtw);
        if (known[i].rules == LASCA_TB_RULES_LASCA)
            check_solved(tables, known[i].text, known[i].rules, known[i].wdl, known[i].dtw);
    }
    CHECK(solve(tables, "a3w c3w e7B w", LASCA_TB_RULES_LASCA, DTW).result.value.wdl == LASCA_TB_WIN);
    lasca_tb_free(tables);
    /* Tables without distances tell who wins, but no line. */
    tables = open_or_exit(folders[WDL], NULL);
    found = solve(tables, "b2B d2W a7W w", LASCA_TB_RULES_LASCA, LINE);
    CHECK(found.result.value.wdl == LASCA_TB_WIN && found.result.value.at_most == LASCA_TB_NO_DTW && found.plies == 0);
    lasca_tb_free(tables);
}

/* Stops after some calls. */
static int32_t count_down(void *user, uint64_t positions, uint64_t bytes)
{
    int *left = user;
    CHECK(positions > 0 && bytes > 0 && bytes <= 64 << 20);
    return --*left > 0;
}

static void at_a_limit_the_position_is_open(void)
{
    lasca_tb *none = without_tables(LASCA_TB_RULES_LASCA);
    lasca_tb_limits limits = {0}, little = {0};
    lasca_tb_position position = position_of(START);
    lasca_tb_searched result;
    struct found found;
    size_t count = 0, i;
    int left = 8;

    limits.find_dtw = limits.find_moves = limits.find_line = 1;
    limits.milliseconds = 20;
    limits.memory_bytes = 64 << 20;
    found = found_of(NULL, START, LASCA_TB_RULES_LASCA, &limits);
    CHECK(found.result.stop == LASCA_TB_TIME_OVER && found.result.value.wdl == LASCA_TB_OPEN);
    CHECK(found.result.value.dtw == LASCA_TB_NO_DTW && found.result.value.at_most == LASCA_TB_NO_DTW);
    CHECK(!found.result.value.white_excluded && !found.result.value.black_excluded);
    CHECK(found.result.value.estimate == LASCA_TB_NO_ESTIMATE);
    CHECK(found.plies == 0);
    /* What the moves look worth is told, best first. */
    CHECK(found.count == 6);
    for (i = 0; i < found.count; i++) {
        lasca_tb_value value = found.moves[i].value;
        CHECK(value.wdl == LASCA_TB_OPEN && value.at_most == LASCA_TB_NO_DTW);
        CHECK(value.estimate >= -100 && value.estimate <= 100);
        CHECK(i == 0 || value.estimate <= found.moves[i - 1].value.estimate);
    }

    limits.milliseconds = 0;
    limits.threads = 2;
    limits.progress = count_down;
    limits.user = &left;
    found = found_of(NULL, START, LASCA_TB_RULES_LASCA, &limits);
    CHECK(found.result.stop == LASCA_TB_CANCELLED && left <= 0 && found.count == 6);
    /* A buffer that is too small for the moves is told of before anything is searched. */
    left = 8;
    CHECK(lasca_tb_solve(none, &position, &limits, &result, found.moves, 5, &count, NULL, 0, &i)
          == LASCA_TB_BUFFER_TOO_SMALL);
    CHECK(count == 6 && left == 8);
    little.memory_bytes = 4 << 20;
    found = found_of(NULL, START, LASCA_TB_RULES_LASCA, &little);
    CHECK(found.result.stop == LASCA_TB_MEMORY_FULL && found.result.value.wdl == LASCA_TB_OPEN);
    lasca_tb_free(none);
}

static void the_first_moves_of_a_longer_line_are_written(void)
{
    lasca_tb *none = without_tables(LASCA_TB_RULES_LASCA);
    lasca_tb_limits limits = {0};
    lasca_tb_position position = position_of("c5w e5W d2b w");
    lasca_tb_searched result;
    lasca_tb_move line[3];
    size_t plies = 0;
    limits.find_line = 1;
    memset(line, 0, sizeof line);
    OK(lasca_tb_solve(none, &position, &limits, &result, NULL, 0, NULL, line, 2, &plies));
    CHECK(plies >= 5 && result.value.wdl == LASCA_TB_WIN);
    CHECK(line[1].squares.count > 0 && line[2].squares.count == 0);
    OK(lasca_tb_solve(none, &position, &limits, &result, NULL, 0, NULL, NULL, 0, &plies));
    CHECK(plies >= 5);
    lasca_tb_free(none);
}

/* Tells a search in another thread to stop. */
struct flag {
    pthread_mutex_t mutex;
    int is_set;
};

static int32_t go_on_until_set(void *user, uint64_t positions, uint64_t bytes)
{
    struct flag *flag = user;
    int goes_on;
    (void)positions;
    (void)bytes;
    pthread_mutex_lock(&flag->mutex);
    goes_on = !flag->is_set;
    pthread_mutex_unlock(&flag->mutex);
    return goes_on;
}

static void *set_flag(void *user)
{
    struct flag *flag = user;
    pthread_mutex_lock(&flag->mutex);
    flag->is_set = 1;
    pthread_mutex_unlock(&flag->mutex);
    /* The last error of a thread is freed with it. */
    FAILS(lasca_tb_position_from_text(NULL, NULL), LASCA_TB_NULL_POINTER, "text");
    return NULL;
}

static void a_search_is_stopped_by_a_flag_of_another_thread(void)
{
    lasca_tb_limits limits = {0};
    struct flag flag = {PTHREAD_MUTEX_INITIALIZER, 0};
    pthread_t thread;
    limits.memory_bytes = 1 << 30;
    limits.progress = go_on_until_set;
    limits.user = &flag;
    CHECK(pthread_create(&thread, NULL, set_flag, &flag) == 0);
    CHECK(found_of(NULL, START, LASCA_TB_RULES_LASCA, &limits).result.stop == LASCA_TB_CANCELLED);
    pthread_join(thread, NULL);
    /* Before it begins. */
    CHECK(found_of(NULL, START, LASCA_TB_RULES_LASCA, &limits).result.stop == LASCA_TB_CANCELLED);
}

static void the_best_move_is_proved_or_looks_best(const lasca_tb *tables)
{
    lasca_tb *none = without_tables(LASCA_TB_RULES_LASCA);
    lasca_tb_limits limits = {0};
    lasca_tb_position position = position_of("b2B d2W a7W w");
    lasca_tb_move best, read;

    OK(lasca_tb_best_move(tables, &position, NULL, 0, NULL, &best));
    OK(lasca_tb_move_from_text(0, &position, "a7-b6", &read));
    CHECK(memcmp(&best.after, &read.after, sizeof best.after) == 0);
    CHECK(best.value.wdl == LASCA_TB_WIN && best.value.dtw == 5);
    position = position_of("c5w e5W d2b w");
    OK(lasca_tb_best_move(none, &position, NULL, 0, NULL, &best));
    CHECK(best.value.wdl == LASCA_TB_WIN && best.value.dtw == 5);
    /* Of the moves that draw, one that does not lead back. */
    position = position_of("a1W c1W g7B e7B w");
    OK(lasca_tb_best_move(tables, &position, NULL, 0, NULL, &best));
    read = best;
    OK(lasca_tb_best_move(tables, &position, &read.after, 1, NULL, &best));
    CHECK(best.value.wdl == LASCA_TB_DRAW && memcmp(&best.after, &read.after, sizeof best.after) != 0);
    read.after.heights[0] = 99;
    CHECK(lasca_tb_best_move(tables, &position, &read.after, 1, NULL, &best) != LASCA_TB_OK);
    /* Nothing is proved. */
    position = position_of("start");
    limits.milliseconds = 50;
    OK(lasca_tb_best_move(tables, &position, NULL, 0, &limits, &best));
    CHECK(best.value.wdl == LASCA_TB_OPEN && best.squares.count == 2);
    CHECK(best.value.estimate >= -100 && best.value.estimate <= 100);
    position = position_of("a1W b2B c3B w");
    FAILS(lasca_tb_best_move(tables, &position, NULL, 0, &limits, &best), LASCA_TB_GAME_OVER, "over");
    lasca_tb_free(none);
}

/* Making tables. */

/* Four officers against four on three columns; the mover wins in 39 plies. */
static const char FEW_COLUMNS[] = "c3WW e3WW d6BBBB w";

static lasca_tb_make_plan plan_of(const lasca_tb *tables, const char *text)
{
    lasca_tb_make_plan plan = {0};
    lasca_tb_position position = position_of(text);
    OK(lasca_tb_plan(tables, &position, NULL, &plan));
    CHECK(memcmp(plan.reserved, "\0\0\0\0\0", sizeof plan.reserved) == 0);
    return plan;
}

/* Whether a plan says that there is nothing to make. */
static int is_of_nothing(lasca_tb_make_plan plan)
{
    return plan.white == 0 && plan.black == 0 && plan.max_columns == 0 && plan.positions == 0
           && plan.memory_bytes == 0 && plan.milliseconds == 0;
}

/* Counts down from a number that is not 0, and then stops the work. */
static int32_t stop_making(void *user, uint64_t positions, uint64_t bytes)
{
    int *left = user;
    (void)positions;
    CHECK(bytes == 0);
    return --*left != 0;
}

/* Counts the calls. */
static int32_t stop_at_once(void *user, uint64_t positions, uint64_t bytes)
{
    int *calls = user;
    (void)positions;
    (void)bytes;
    ++*calls;
    return 0;
}

static void tables_are_planned_and_made(const char *folder, const char *damaged_folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL), *damaged = open_or_exit(damaged_folder, NULL);
    lasca_tb_make_plan plan = plan_of(tables, FEW_COLUMNS);
    lasca_tb_limits limits = {0};
    lasca_tb_position position = position_of(FEW_COLUMNS);
    lasca_tb_value value;
    lasca_tb_wdl wdl;
    uint8_t columns = 0, has_dtw = 0;
    int left = -1;

    CHECK(plan.white == 4 && plan.black == 4 && plan.max_columns == 3 && plan.positions == 117520);
    CHECK(plan.memory_bytes > plan.positions && plan.milliseconds > 0);
    /* Soldiers do not matter, nor does which colour has more counters. */
    CHECK(plan_of(tables, "c3wWb e3WW d6BBB w").positions == plan.positions);
    CHECK(plan_of(tables, "a1BBBBBBB g7W w").white == 7);
    /* A table is there, is damaged, or there can be none. */
    CHECK(is_of_nothing(plan_of(tables, "b2B d2W a7W w")));
    CHECK(is_of_nothing(plan_of(damaged, "b2B d2W a7W w")));
    CHECK(is_of_nothing(plan_of(tables, "a1WWWWWWW w")));
    lasca_tb_free(damaged);

    FAILS(lasca_tb_probe_wdl(tables, &position, &wdl), LASCA_TB_NOT_COVERED, "lasca_tb_covers()");
    limits.threads = 2;
    limits.progress = stop_making;
    limits.user = &left;
    OK(lasca_tb_make(tables, &position, &limits));
    CHECK(left < -1);
    OK(lasca_tb_probe_wdl(tables, &position, &wdl));
    OK(lasca_tb_probe_dtw(tables, &position, &value));
    CHECK(wdl == LASCA_TB_WIN && is_exact(&value, LASCA_TB_WIN, 39, LASCA_TB_WHITE));
    OK(lasca_tb_covers(tables, 4, 4, &columns, &has_dtw));
    CHECK(columns == 3 && has_dtw == 1);
    CHECK(is_of_nothing(plan_of(tables, FEW_COLUMNS)));
    OK(lasca_tb_make(tables, &position, NULL));
    lasca_tb_free(tables);
}

static void making_is_stopped_or_refused(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_limits limits = {0};
    lasca_tb_make_plan plan = {0};
    lasca_tb_position position = position_of("a1WWWWWWWWWWW c3BBBBB d6BBBBBB w");
    lasca_tb_value value;
    int left = 1;

    REFUSES_NULL(3, lasca_tb_plan(OR_NULL(1, tables), OR_NULL(2, &position), NULL, OR_NULL(3, &plan)));
    REFUSES_NULL(2, lasca_tb_make(OR_NULL(1, tables), OR_NULL(2, &position), NULL));
    limits.make_milliseconds = 3600000;
    limits.progress = stop_making;
    limits.user = &left;
    OK(lasca_tb_make(tables, &position, &limits));
    CHECK(left <= 0);
    CHECK(lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_NOT_COVERED);
    CHECK(plan_of(tables, "a1WWWWWWWWWWW c3BBBBB d6BBBBBB w").positions == 7025260);

    limits.progress = NULL;
    limits.memory_bytes = 1 << 20;
    FAILS(lasca_tb_make(tables, &position, &limits), LASCA_TB_TOO_LARGE,
          "and 1048576 bytes of memory, found that 11-11 with up to 3 columns takes about");
    limits.memory_bytes = 0;
    limits.make_milliseconds = 1;
    FAILS(lasca_tb_make(tables, &position, &limits), LASCA_TB_TOO_LARGE, "at most 1ms");
    position.side_to_move = 2;
    FAILS(lasca_tb_make(tables, &position, NULL), LASCA_TB_BAD_ARGUMENT, "side_to_move");
    lasca_tb_free(tables);
}

static void the_best_move_comes_from_a_table_that_is_made(const char *folder)
{
    lasca_tb *tables = open_or_exit(folder, NULL);
    lasca_tb_limits limits = {0};
    lasca_tb_position position = position_of(FEW_COLUMNS);
    lasca_tb_value value;
    lasca_tb_move best;
    int left = -1;

    limits.milliseconds = 20;
    limits.make_milliseconds = 10000;
    limits.progress = stop_making;
    limits.user = &left;
    OK(lasca_tb_best_move(tables, &position, NULL, 0, &limits, &best));
    CHECK(is_exact(&best.value, LASCA_TB_WIN, 39, LASCA_TB_WHITE) && left < -1);
    CHECK(is_of_nothing(plan_of(tables, FEW_COLUMNS)));
    limits.progress = NULL;
    /* If it takes too long, or is stopped, the move is found without it. */
    position = position_of("a1WWWWWWWWWWW c3BBBBB d6BBBBBB w");
    limits.make_milliseconds = 1;
    OK(lasca_tb_best_move(tables, &position, NULL, 0, &limits, &best));
    left = 0;
    limits.make_milliseconds = 3600000;
    limits.progress = stop_at_once;
    OK(lasca_tb_best_move(tables, &position, NULL, 0, &limits, &best));
    CHECK(left > 0);
    CHECK(!is_of_nothing(plan_of(tables, "a1WWWWWWWWWWW c3BBBBB d6BBBBBB w")));
    lasca_tb_free(tables);
    /* So does what a search proves. */
    tables = open_or_exit(folder, NULL);
    left = -1;
    limits.make_milliseconds = 10000;
    limits.progress = stop_making;
    limits.find_dtw = 1;
    value = found_of(tables, FEW_COLUMNS, LASCA_TB_RULES_LASCA, &limits).result.value;
    CHECK(is_exact(&value, LASCA_TB_WIN, 39, LASCA_TB_WHITE));
    CHECK(is_of_nothing(plan_of(tables, FEW_COLUMNS)));
    lasca_tb_free(tables);
}

static void wrong_limits_of_a_search_are_refused(const lasca_tb *tables, const char *damaged_folder)
{
    lasca_tb *damaged = open_or_exit(damaged_folder, NULL);
    lasca_tb_limits limits = {0};
    lasca_tb_position position = position_of("c5w e5W d2b w");
    lasca_tb_searched result;

    limits.memory_bytes = 100;
    CHECK(lasca_tb_solve(tables, &position, &limits, &result, NULL, 0, NULL, NULL, 0, NULL) == LASCA_TB_NO_MEMORY);
    position.side_to_move = 2;
    CHECK(lasca_tb_solve(tables, &position, NULL, &result, NULL, 0, NULL, NULL, 0, NULL) == LASCA_TB_BAD_ARGUMENT);
    /* A damaged table is not searched around. */
    position = position_of("b2B d2W a7W w");
    FAILS(lasca_tb_solve(damaged, &position, NULL, &result, NULL, 0, NULL, NULL, 0, NULL), LASCA_TB_DAMAGED, "2-1");
    lasca_tb_free(damaged);
}

static void *check_all(void *user)
{
    char **folders = user;
    const char *shipped = folders[TABLES], *damaged = folders[DAMAGED];
    lasca_tb *tables = open_or_exit(shipped, NULL);
    versions_are_told();
    null_is_refused_unless_it_is_allowed(shipped);
    a_result_may_take_the_place_of_what_was_asked(tables);
    opening_fails_with_a_reason(shipped);
    tables_are_a_part_of_the_library(damaged);
    options_are_heeded(shipped);
    materials_are_covered_or_not(folders);
    tables_are_loaded_as_the_options_say(shipped, damaged);
    positions_are_those_of_the_text();
    the_longest_moves_fit_the_size_that_is_always_enough();
    legal_moves_need_no_tables();
    moves_are_made_by_their_squares();
    values_are_those_of_the_side_to_move(folders);
    threads_share_a_handle_and_each_has_a_last_error(shipped);
    a_line_is_as_long_as_the_distance(tables);
    what_the_tables_cannot_answer_has_a_status_of_its_own(folders);
    what_is_proved_is_told(folders);
    at_a_limit_the_position_is_open();
    the_first_moves_of_a_longer_line_are_written();
    a_search_is_stopped_by_a_flag_of_another_thread();
    the_best_move_is_proved_or_looks_best(tables);
    tables_are_planned_and_made(shipped, damaged);
    making_is_stopped_or_refused(shipped);
    the_best_move_comes_from_a_table_that_is_made(shipped);
    wrong_limits_of_a_search_are_refused(tables, damaged);
    lasca_tb_free(tables);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 1 + FOLDERS) {
        fprintf(stderr, "usage: %s TABLES DAMAGED WRONG WDL BOUNDED\n", argv[0]);
        return 2;
    }
    /* What Rust keeps of a thread that starts others is freed when it ends, but valgrind counts it as
     * possibly lost if that is the main thread. */
    CHECK(pthread_create(&thread, NULL, check_all, argv + 1) == 0);
    pthread_join(thread, NULL);
    if (failures > 0)
        fprintf(stderr, "%d checks failed\n", failures);
    else
        printf("all checks passed\n");
    return failures > 0;
}
