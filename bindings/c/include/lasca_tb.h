/**
 * \file lasca_tb.h
 *
 * Endgame tablebases for Lasca, for C and other languages that can call C.
 *
 * This file is generated from bindings/c/src by cbindgen; do not edit it. bindings/c/README.md
 * shows how to install and link the library.
 *
 *     lasca_tb *tables = NULL;
 *     const char *folders[] = {"tables"};
 *     lasca_tb_value value;
 *     if (lasca_tb_open(folders, 1, NULL, &tables) == LASCA_TB_OK &&
 *         lasca_tb_probe_dtw_text(tables, "a1WWW b2BBB w", &value) == LASCA_TB_OK)
 *         printf("%d in %d plies\n", (int)value.wdl, (int)value.dtw);
 *     else
 *         fprintf(stderr, "%s\n", lasca_tb_last_error());
 *     lasca_tb_free(tables);
 *
 * Values are those of the side to move. Distances (dtw) are in plies; a ply is one move by one
 * side.
 *
 * Files. A table has a WDL file (.ltbw) with win, draw or loss, and a DTW file (.ltbd) in the same
 * folder with the distances. The DTW file may be missing. lasca_tb_probe_wdl() and
 * lasca_tb_covers() do not need it. The functions that need distances fail with
 * LASCA_TB_MISSING_DTW: lasca_tb_probe_dtw(), lasca_tb_moves(), lasca_tb_best_move(),
 * lasca_tb_best_line() and lasca_tb_covers_dtw(). lasca_tb_table_count() and lasca_tb_table_at() list
 * the tables.
 *
 * Loading. lasca_tb_load() decodes tables into memory, where a probe only has to look up the value.
 * The answers stay the same.
 *
 * Searches. The tables know only positions of officers. lasca_tb_search_new() prepares the search of
 * any position, with soldiers and up to 22 counters, with or without tables. lasca_tb_search_run()
 * searches it within limits, and lasca_tb_search_result() tells what is proved: win, draw or loss, or
 * LASCA_TB_OPEN.
 *
 * Options. Structs of options begin with their size. A function whose name ends in _init fills such
 * a struct with the defaults, and the program changes what it wants:
 *
 *     lasca_tb_options options;
 *     lasca_tb_options_init(&options, sizeof options);
 *     options.rules = LASCA_TB_RULES_BIGNOR;
 *
 * Later versions of the library may append fields to these structs and to lasca_tb_table. A program
 * and a library that know different fields work together: what the program does not know has its
 * default, and what the library does not know must be 0. Otherwise, and if the size was never set,
 * the call that uses the options fails with LASCA_TB_BAD_ARGUMENT.
 *
 * Ownership. A handle belongs to the caller. The caller must pass the handle from lasca_tb_open() to
 * lasca_tb_free(), and the handle of a search to lasca_tb_search_free(). The library uses the
 * caller's memory only during a call, and never keeps or frees it. Texts that functions return belong
 * to the library; do not free them.
 *
 * Pointers. NULL is an error (LASCA_TB_NULL_POINTER) unless the comment of the function allows it.
 * Every other pointer must be aligned and point to a value of its type. No other thread may use
 * memory that a call writes to. Texts must end with NUL, and buffers must be as large as their
 * size says. A handle must come from lasca_tb_open(), or that of a search from
 * lasca_tb_search_new() or lasca_tb_search_new_text(), and must not have been freed. A call that fails
 * writes no results, except for the size that a buffer needs, and what its comment names.
 *
 * Threads. Any number of threads can use a handle at once. Only lasca_tb_free() and
 * lasca_tb_search_free() need it alone. Of the calls with one search, all but
 * lasca_tb_search_cancel() wait for each other. Each thread has its own last error.
 *
 * Errors. Functions return a lasca_tb_status. A Rust panic never leaves a function; it becomes
 * LASCA_TB_INTERNAL_ERROR. The library prints nothing, except that Rust itself writes a message to
 * standard error if there is a panic.
 */

#ifndef LASCA_TB_H
#define LASCA_TB_H

#include <stddef.h>
#include <stdint.h>

/** \defgroup general Versions and errors */
/** \defgroup tables Opening, listing and loading tables */
/** \defgroup positions Positions and moves as structs and as text */
/** \defgroup probing Looking positions up in tables */
/** \defgroup searching Searching positions that no table covers */

/**
 * The version of the interface in this header. It grows with every change after which programs must
 * be compiled again. lasca_tb_abi_version() returns the version that the library has.
 * bindings/c/README.md tells what each version changed.
 *
 * \ingroup general
 */
#define LASCA_TB_ABI_VERSION 3

/**
 * The number of squares on the board.
 *
 * \ingroup positions
 */
#define LASCA_TB_SQUARES 25

/**
 * The greatest number of counters on the board, both sides together. A material has no more.
 *
 * \ingroup positions
 */
#define LASCA_TB_MAX_COUNTERS 22

/**
 * The greatest number of squares in a move: 22 counters allow at most 21 jumps.
 *
 * \ingroup positions
 */
#define LASCA_TB_MOVE_SQUARES 43

/**
 * A buffer of this many bytes holds any position as text, with the NUL at the end.
 *
 * \ingroup positions
 */
#define LASCA_TB_POSITION_TEXT_SIZE 96

/**
 * A buffer of this many bytes holds any move as text, with the NUL at the end.
 *
 * \ingroup positions
 */
#define LASCA_TB_MOVE_TEXT_SIZE 160

/**
 * The dtw of a draw.
 *
 * \ingroup probing
 */
#define LASCA_TB_NO_DTW -1

/**
 * The wdl of a position or a move of which a search has not proved who wins.
 *
 * \ingroup searching
 */
#define LASCA_TB_OPEN -2

/**
 * The result of a call. Every function that can fail returns one of these, and
 * lasca_tb_last_error() then describes the error.
 *
 * \ingroup general
 */
enum lasca_tb_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The call succeeded, and all results are written.
     */
    LASCA_TB_OK = 0,
    /**
     * A pointer is NULL but must not be.
     */
    LASCA_TB_NULL_POINTER = 1,
    /**
     * A text is not UTF-8.
     */
    LASCA_TB_BAD_UTF8 = 2,
    /**
     * An argument is not one of the allowed values: a rule set, a way of access, a colour or a
     * square. Or there is no folder, or the squares are not those of a move.
     */
    LASCA_TB_BAD_ARGUMENT = 3,
    /**
     * The buffer is too small. The size that is needed is written.
     */
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    /**
     * The text is not a position.
     */
    LASCA_TB_BAD_TEXT = 5,
    /**
     * The columns are not a position: a column has prisoners but no commander, or bits above its
     * height, or the board has no counters or more than 22.
     */
    LASCA_TB_BAD_POSITION = 6,
    /**
     * There is a soldier on the board. The tables cover only officers.
     */
    LASCA_TB_SOLDIER = 7,
    /**
     * A column cannot arise when only officers play, so no table covers it. Columns of officers
     * always are some counters of the owner over some counters of the other side.
     */
    LASCA_TB_UNREACHABLE_COLUMN = 8,
    /**
     * There are more counters on the board than any table covers.
     */
    LASCA_TB_TOO_MANY_COUNTERS = 9,
    /**
     * The table for these counters is in none of the folders: its WDL file is missing.
     */
    LASCA_TB_MISSING_TABLE = 10,
    /**
     * There is a table for these counters, but only for other rules.
     */
    LASCA_TB_OTHER_RULES = 11,
    /**
     * A file holds another table than its name says.
     */
    LASCA_TB_WRONG_TABLE = 12,
    /**
     * A file of a table is damaged.
     */
    LASCA_TB_DAMAGED_TABLE = 13,
    /**
     * A folder, or a file of a table, cannot be read.
     */
    LASCA_TB_UNREADABLE = 14,
    /**
     * The tables contradict themselves.
     */
    LASCA_TB_INCONSISTENT_TABLES = 15,
    /**
     * The game is over, so there is no move.
     */
    LASCA_TB_GAME_OVER = 16,
    /**
     * There is a bug in the library. The call did nothing, and the handle can still be used.
     */
    LASCA_TB_INTERNAL_ERROR = 17,
    /**
     * The DTW file of the table is missing. Win, draw or loss is known, but no distance.
     */
    LASCA_TB_MISSING_DTW = 18,
    /**
     * A search needs more memory than it may use, or there is too little memory for a table. Every
     * function that can fail with LASCA_TB_UNREADABLE because of a table can fail with this too.
     */
    LASCA_TB_NO_MEMORY = 19,
    /**
     * The search has not proved who wins.
     */
    LASCA_TB_NOT_SOLVED = 20,
    /**
     * The table for these counters is bounded, and the position has more columns than it covers.
     * lasca_tb_max_columns() tells the bound.
     */
    LASCA_TB_BEYOND_COLUMNS = 21,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_status lasca_tb_status;
#else
typedef int32_t lasca_tb_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Win, draw or loss for the side to move. Negated, it is the result for the other side.
 *
 * \ingroup probing
 */
enum lasca_tb_wdl
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The side to move loses.
     */
    LASCA_TB_LOSS = -1,
    /**
     * Neither side can force a win.
     */
    LASCA_TB_DRAW = 0,
    /**
     * The side to move wins.
     */
    LASCA_TB_WIN = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_wdl lasca_tb_wdl;
#else
typedef int32_t lasca_tb_wdl;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How a line ends.
 *
 * \ingroup positions
 */
enum lasca_tb_line_end
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The game could go on.
     */
    LASCA_TB_LINE_OPEN = 0,
    /**
     * The game is over, and White has won.
     */
    LASCA_TB_WHITE_WINS = 1,
    /**
     * The game is over, and Black has won.
     */
    LASCA_TB_BLACK_WINS = 2,
    /**
     * The last move repeats an earlier position of the line. The game is a draw.
     */
    LASCA_TB_REPETITION = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_line_end lasca_tb_line_end;
#else
typedef int32_t lasca_tb_line_end;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Why a search has stopped.
 *
 * \ingroup searching
 */
enum lasca_tb_stop
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * All that the call asks for is found.
     */
    LASCA_TB_FINISHED = 0,
    /**
     * The time is over.
     */
    LASCA_TB_TIME_OVER = 1,
    /**
     * There is no room for more positions.
     */
    LASCA_TB_MEMORY_FULL = 2,
    /**
     * It was cancelled, by lasca_tb_search_cancel() or by progress.
     */
    LASCA_TB_CANCELLED = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_stop lasca_tb_stop;
#else
typedef int32_t lasca_tb_stop;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A rule set. The rule sets differ in how a capture goes on.
 *
 * \ingroup tables
 */
enum lasca_tb_rules
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A capture goes on as long as possible, but jumps no square twice (Lasker, 1911).
     */
    LASCA_TB_RULES_LASCA = 0,
    /**
     * A capture is a single jump (Bignor Ludus).
     */
    LASCA_TB_RULES_BIGNOR = 1,
    /**
     * A capture goes on as long as possible, and may jump a square again (Ludii).
     */
    LASCA_TB_RULES_REJUMP = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_rules lasca_tb_rules;
#else
typedef int32_t lasca_tb_rules;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How files of tables are read.
 *
 * \ingroup tables
 */
enum lasca_tb_access
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Files are mapped into memory. Programs share the memory, and the system can take it back. The
     * files must not be overwritten or cut short while they are open: a signal may end the process, and
     * changed bytes may be believed. Replacing a file by another of the same name does no harm.
     */
    LASCA_TB_MAPPED = 0,
    /**
     * Each page of 64 KiB is read into the program's own memory when it is first needed, and stays
     * there. If a file is overwritten or cut short while it is open, a page that was read before stays
     * right, and any other is LASCA_TB_DAMAGED_TABLE unless it is as it was. A new handle reads the new
     * file.
     */
    LASCA_TB_PRIVATE = 1,
    /**
     * The default: files of up to 256 MiB are private, and larger ones are mapped.
     */
    LASCA_TB_AUTOMATIC = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_access lasca_tb_access;
#else
typedef int32_t lasca_tb_access;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * One of the two sides.
 *
 * \ingroup positions
 */
enum lasca_tb_color
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The side that starts, and moves up the board.
     */
    LASCA_TB_WHITE = 0,
    /**
     * The side that moves down the board.
     */
    LASCA_TB_BLACK = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_color lasca_tb_color;
#else
typedef int32_t lasca_tb_color;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * One of the two files of a table.
 *
 * \ingroup tables
 */
enum lasca_tb_file
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Win, draw or loss (.ltbw).
     */
    LASCA_TB_WDL_FILE = 0,
    /**
     * Distances (.ltbd).
     */
    LASCA_TB_DTW_FILE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_file lasca_tb_file;
#else
typedef int32_t lasca_tb_file;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The open tables of one or more folders, for one rule set. Programs see only pointers to it.
 *
 * \ingroup tables
 */
typedef struct lasca_tb lasca_tb;

/**
 * The search of one position, with all that it has found out. Programs see only pointers to it.
 *
 * \ingroup searching
 */
typedef struct lasca_tb_search lasca_tb_search;

/**
 * The column on one square, of soldiers and officers in any order. Bit i of the masks is the counter
 * i places below the top; the bits from height on are 0. The counter at the top commands. On an empty
 * square all fields are 0. 12 bytes: height is at 0, black at 4, officers at 8.
 *
 * \ingroup positions
 */
typedef struct lasca_tb_board_column {
    /**
     * How many counters there are.
     */
    uint32_t height;
    /**
     * Which of them are black.
     */
    uint32_t black;
    /**
     * Which of them are officers.
     */
    uint32_t officers;
} lasca_tb_board_column;

/**
 * A position of soldiers and officers, up to 22 counters. The squares are numbered as in
 * lasca_tb_position. 304 bytes: columns is at 0, side_to_move at 300.
 *
 * \ingroup positions
 */
typedef struct lasca_tb_board {
    /**
     * The column on each square.
     */
    struct lasca_tb_board_column columns[LASCA_TB_SQUARES];
    /**
     * The side to move: a lasca_tb_color.
     */
    uint32_t side_to_move;
} lasca_tb_board;

/**
 * A legal move in a position that may have soldiers. 348 bytes: squares is at 0, square_count at 43,
 * after at 44.
 *
 * \ingroup positions
 */
typedef struct lasca_tb_board_move {
    /**
     * The squares of the move, as in lasca_tb_move.
     */
    uint8_t squares[LASCA_TB_MOVE_SQUARES];
    /**
     * How many squares there are. The rest of squares is 0.
     */
    uint8_t square_count;
    /**
     * The position after the move.
     */
    struct lasca_tb_board after;
} lasca_tb_board_move;

/**
 * How tables are opened; filled by lasca_tb_options_init(). 24 bytes: size is at 0, rules at 4,
 * cache_bytes at 8, access at 16, reserved at 20.
 *
 * \ingroup tables
 */
typedef struct lasca_tb_options {
    /**
     * The size of this struct in bytes.
     */
    uint32_t size;
    /**
     * The rule set: a lasca_tb_rules.
     */
    int32_t rules;
    /**
     * The size limit of the cache of decoded blocks in bytes, for all threads together.
     */
    uint64_t cache_bytes;
    /**
     * How files are read: a lasca_tb_access.
     */
    int32_t access;
    /**
     * Must be 0.
     */
    uint32_t reserved;
} lasca_tb_options;

/**
 * The column on one square: officers of the commander's colour over officers of the other colour. On
 * an empty square both counts are 0, and the commander does not matter. 3 bytes: own is at 0,
 * prisoners at 1, commander at 2.
 *
 * \ingroup positions
 */
typedef struct lasca_tb_column {
    /**
     * How many counters have the commander's colour, the commander included.
     */
    uint8_t own;
    /**
     * How many counters of the other colour are beneath them.
     */
    uint8_t prisoners;
    /**
     * The commander's colour: a lasca_tb_color.
     */
    uint8_t commander;
} lasca_tb_column;

/**
 * A position of officers. Square i (0 to 24) has the number i + 1 in Lasker's numbering:
 *
 *     7   21    22    23    24        a7    c7    e7    g7
 *     6      18    19    20              b6    d6    f6
 *     5   14    15    16    17        a5    c5    e5    g5
 *     4      11    12    13              b4    d4    f4
 *     3    7     8     9    10        a3    c3    e3    g3
 *     2       4     5     6              b2    d2    f2
 *     1    0     1     2     3        a1    c1    e1    g1
 *
 * On file x (a = 0) and rank y (rank 1 = 0), i = (7 * y + x) / 2.
 *
 * 76 bytes: columns is at 0, side_to_move at 75.
 *
 * \ingroup positions
 */
typedef struct lasca_tb_position {
    /**
     * The column on each square.
     */
    struct lasca_tb_column columns[LASCA_TB_SQUARES];
    /**
     * The side to move: a lasca_tb_color.
     */
    uint8_t side_to_move;
} lasca_tb_position;

/**
 * A value with its distance, for the side to move. 8 bytes: wdl is at 0, dtw at 4.
 *
 * \ingroup probing
 */
typedef struct lasca_tb_value {
    /**
     * Win, draw or loss: a lasca_tb_wdl.
     */
    int32_t wdl;
    /**
     * The number of plies until the loser cannot move, if the winner takes the shortest way and the
     * loser the longest; LASCA_TB_NO_DTW for a draw.
     */
    int32_t dtw;
} lasca_tb_value;

/**
 * A legal move with its value. 128 bytes: squares is at 0, square_count at 43, after at 44, value at
 * 120.
 *
 * \ingroup probing
 */
typedef struct lasca_tb_move {
    /**
     * The squares of the move. A quiet move has the squares from and to. A capture has the square
     * from, and then for each jump the square that is jumped and the square of landing.
     */
    uint8_t squares[LASCA_TB_MOVE_SQUARES];
    /**
     * How many squares there are: 2 for a quiet move, and an odd number from 3 on for a capture. The
     * rest of squares is 0.
     */
    uint8_t square_count;
    /**
     * The position after the move.
     */
    struct lasca_tb_position after;
    /**
     * The value for the side that makes the move. The distance counts from the position before it.
     */
    struct lasca_tb_value value;
} lasca_tb_move;

/**
 * A table, as lasca_tb_table_at() tells of it. 32 bytes: size is at 0, rules at 4, positions at 8,
 * bytes at 16, max_dtw at 24, white at 28, black at 29, max_columns at 30, has_dtw at 31.
 *
 * \ingroup tables
 */
typedef struct lasca_tb_table {
    /**
     * The size of this struct in bytes.
     */
    uint32_t size;
    /**
     * The rule set: a lasca_tb_rules.
     */
    int32_t rules;
    /**
     * How many positions it has; 0 if lasca_tb_table_at() fails. Positions that differ only by a
     * symmetry of the board count once.
     */
    uint64_t positions;
    /**
     * The length of its files in bytes.
     */
    uint64_t bytes;
    /**
     * The plies of its longest win or loss; LASCA_TB_NO_DTW if the DTW file is missing.
     */
    int32_t max_dtw;
    /**
     * The number of White's counters. The table also serves the material with the colours exchanged.
     */
    uint8_t white;
    /**
     * The number of Black's counters.
     */
    uint8_t black;
    /**
     * Its column bound, as lasca_tb_max_columns() tells it; 0 if it covers all positions.
     */
    uint8_t max_columns;
    /**
     * 1 if the DTW file is there, otherwise 0; also 0 if lasca_tb_table_at() fails. The WDL file is
     * always there.
     */
    uint8_t has_dtw;
} lasca_tb_table;

/**
 * Which values are loaded; filled by lasca_tb_load_options_init(). 16 bytes: size is at 0, with_dtw at
 * 4, max_bytes at 8.
 *
 * \ingroup tables
 */
typedef struct lasca_tb_load_options {
    /**
     * The size of this struct in bytes.
     */
    uint32_t size;
    /**
     * 0 to load win, draw or loss alone, and any other number to load distances as well.
     */
    int32_t with_dtw;
    /**
     * How many bytes all loaded values of the handle may take, those from earlier calls included;
     * UINT64_MAX for no limit.
     */
    uint64_t max_bytes;
} lasca_tb_load_options;

/**
 * What is loaded of the tables of a handle. 32 bytes: bytes is at 0, wdl at 8, dtw at 16, left_out at
 * 24.
 *
 * \ingroup tables
 */
typedef struct lasca_tb_loaded {
    /**
     * How many bytes of memory all loaded values of the handle take.
     */
    uint64_t bytes;
    /**
     * The number of the requested tables with win, draw or loss in memory.
     */
    uint64_t wdl;
    /**
     * The number of the requested tables with distances in memory.
     */
    uint64_t dtw;
    /**
     * The number of the requested tables that do not fit, or not with their distances.
     */
    uint64_t left_out;
} lasca_tb_loaded;

/**
 * How a position is searched; filled by lasca_tb_search_options_init(). 16 bytes: size is at 0, rules at
 * 4, memory_bytes at 8.
 *
 * \ingroup searching
 */
typedef struct lasca_tb_search_options {
    /**
     * The size of this struct in bytes.
     */
    uint32_t size;
    /**
     * The rule set: a lasca_tb_rules. With tables, it must be theirs.
     */
    int32_t rules;
    /**
     * The most memory that the search may hold, in bytes. A position takes about 64 bytes.
     */
    uint64_t memory_bytes;
} lasca_tb_search_options;

/**
 * How far a search is. 24 bytes: positions is at 0, expanded at 8, bytes at 16.
 *
 * \ingroup searching
 */
typedef struct lasca_tb_search_status {
    /**
     * How many positions have been met.
     */
    uint64_t positions;
    /**
     * Of how many of them the moves have been looked at.
     */
    uint64_t expanded;
    /**
     * The memory that the search holds, in bytes.
     */
    uint64_t bytes;
} lasca_tb_search_status;

/**
 * A function of the program that a search calls again and again, in the thread that called the search:
 * every few milliseconds at first, and after some seconds several times a second. It is not called
 * during a pass over all positions, which can take a second for each few million positions. user is
 * what the limits name; status lives during the call. The function returns 0 to stop the search, and
 * any other number to go on. It must return: an exception or a longjmp out of it is not allowed. The
 * only function of this library that it may call with the same search is lasca_tb_search_cancel().
 *
 * \ingroup searching
 */
typedef int32_t (*lasca_tb_progress)(void *user,
                                     const struct lasca_tb_search_status *status);

/**
 * What one call of a search may use; filled by lasca_tb_search_limits_init(). With pointers of 64 bits
 * 32 bytes: size is at 0, threads at 4, milliseconds at 8, progress at 16, user at 24.
 *
 * \ingroup searching
 */
typedef struct lasca_tb_search_limits {
    /**
     * The size of this struct in bytes.
     */
    uint32_t size;
    /**
     * How many threads search; 0 for one per processor. More than 8 count as 8.
     */
    uint32_t threads;
    /**
     * The longest time from the call on; any negative number for as long as it takes.
     */
    int64_t milliseconds;
    /**
     * Is told how far the search is, and can stop it; may be NULL.
     */
    lasca_tb_progress progress;
    /**
     * Is handed to progress.
     */
    void *user;
} lasca_tb_search_limits;

/**
 * What a search has proved of its position so far. 40 bytes: wdl is at 0, dtw at 4, at_most at 8,
 * white_excluded at 12, black_excluded at 13, status at 16.
 *
 * \ingroup searching
 */
typedef struct lasca_tb_searched {
    /**
     * Win, draw or loss for the side to move: a lasca_tb_wdl, or LASCA_TB_OPEN.
     */
    int32_t wdl;
    /**
     * The exact distance in plies, once lasca_tb_search_exact() has found it; otherwise
     * LASCA_TB_NO_DTW.
     */
    int32_t dtw;
    /**
     * The plies that the proof of a win or loss needs at most; otherwise LASCA_TB_NO_DTW.
     */
    int32_t at_most;
    /**
     * 1 if it is proved that White cannot win, otherwise 0.
     */
    uint8_t white_excluded;
    /**
     * 1 if it is proved that Black cannot win, otherwise 0.
     */
    uint8_t black_excluded;
    /**
     * How far the search is.
     */
    struct lasca_tb_search_status status;
} lasca_tb_searched;

/**
 * A legal move, and what a search has proved of it. 360 bytes: played is at 0, wdl at 348, at_most at
 * 352, white_excluded at 356, black_excluded at 357.
 *
 * \ingroup searching
 */
typedef struct lasca_tb_searched_move {
    /**
     * The move.
     */
    struct lasca_tb_board_move played;
    /**
     * What it is worth to the side that makes it: a lasca_tb_wdl, or LASCA_TB_OPEN.
     */
    int32_t wdl;
    /**
     * The plies that the proof of a win or loss needs at most, counted from before the move; otherwise
     * LASCA_TB_NO_DTW.
     */
    int32_t at_most;
    /**
     * 1 if it is proved that White cannot win after the move, otherwise 0.
     */
    uint8_t white_excluded;
    /**
     * 1 if it is proved that Black cannot win after the move, otherwise 0.
     */
    uint8_t black_excluded;
} lasca_tb_searched_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Reads a position with soldiers and officers from text, as lasca_tb_position_from_text() does.
 *
 * \param text The position as text that ends with NUL.
 * \param board Receives the position.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, LASCA_TB_BAD_UTF8 or LASCA_TB_BAD_TEXT.
 * board is written only if the call succeeds.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_board_from_text(const char *text,
                                         struct lasca_tb_board *board);

/**
 * Writes a position with soldiers and officers as text that ends with NUL.
 * LASCA_TB_POSITION_TEXT_SIZE bytes are always enough.
 *
 * \param board The position.
 * \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
 * \param size The size of the buffer in bytes.
 * \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_position_to_text() does.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_board_to_text(const struct lasca_tb_board *board,
                                       char *buffer,
                                       size_t size,
                                       size_t *needed);

/**
 * Writes a move as text that ends with NUL, such as "c3-d4" or "a1-b2Bb-c3wWB".
 * LASCA_TB_MOVE_TEXT_SIZE bytes are always enough.
 *
 * \param played The move.
 * \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
 * \param size The size of the buffer in bytes.
 * \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_move_to_text() does.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_board_move_to_text(const struct lasca_tb_board_move *played,
                                            char *buffer,
                                            size_t size,
                                            size_t *needed);

/**
 * Writes the moves of a line as text that ends with NUL, as lasca_tb_line_to_text() does.
 *
 * \param moves The moves; it may be NULL if count is 0.
 * \param count How many moves there are.
 * \param end How the line ends: a lasca_tb_line_end.
 * \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
 * \param size The size of the buffer in bytes.
 * \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_line_to_text() does.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_board_line_to_text(const struct lasca_tb_board_move *moves,
                                            size_t count,
                                            int32_t end,
                                            char *buffer,
                                            size_t size,
                                            size_t *needed);

/**
 * Returns the version of the library's interface. A program should compare it with the
 * LASCA_TB_ABI_VERSION that it was compiled with.
 *
 * \return The LASCA_TB_ABI_VERSION of the library.
 *
 * \ingroup general
 */
uint32_t lasca_tb_abi_version(void);

/**
 * Returns the version of the library as text, such as "1.2.3". The text lives as long as the
 * library.
 *
 * \return The version.
 *
 * \ingroup general
 */
const char *lasca_tb_version(void);

/**
 * Returns a short description of a lasca_tb_status, or "an unknown status" for any other number.
 * The text lives as long as the library.
 *
 * \param status A lasca_tb_status, or any other number.
 * \return The description.
 *
 * \ingroup general
 */
const char *lasca_tb_status_message(int32_t status);

/**
 * Returns the error of the last call that failed in this thread: what was expected, what was
 * found, and where. The text is empty if no call has failed. Calls that succeed do not change it.
 * It is UTF-8, and the pointer is never NULL.
 *
 * The text belongs to the library. It lives until another call fails in this thread, or until the
 * thread ends.
 *
 * \return The error.
 *
 * \ingroup general
 */
const char *lasca_tb_last_error(void);

/**
 * Opens the tables in one or more folders. If several folders hold the same table, one with
 * distances is used rather than one without. Of several such tables, the one that covers the most
 * columns is used, or the first of these. The files of a table are opened when it is first needed.
 *
 * \param folders The paths, as the system writes them (UTF-8 on Windows). They are copied.
 * \param folder_count How many paths there are, at least one.
 * \param options NULL means the default options.
 * \param opened Receives the handle. It belongs to the caller, who must pass it to lasca_tb_free()
 * in the end.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if there is no folder or an option is not
 * one of the allowed values, and with LASCA_TB_UNREADABLE if a folder cannot be read.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_open(const char *const *folders,
                              size_t folder_count,
                              const struct lasca_tb_options *options,
                              struct lasca_tb **opened);

/**
 * Closes tables and frees their memory. No other thread may use them any more. If tables is NULL,
 * nothing happens.
 *
 * \param tables The tables, or NULL.
 *
 * \ingroup tables
 */
void lasca_tb_free(struct lasca_tb *tables);

/**
 * Checks whether win, draw or loss is known for positions with this many white and black counters,
 * prisoners included. Returns LASCA_TB_OK if the WDL file of their table is there and can be
 * opened. The DTW file does not matter; lasca_tb_covers_dtw() checks whether distances are known
 * as well. An engine can call this once for each material, and then probe only what is there. The
 * table may be bounded: lasca_tb_max_columns() tells how many columns a position may have.
 *
 * \param tables The open tables.
 * \param white The number of White's counters.
 * \param black The number of Black's counters.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if a side has
 * no counters; with LASCA_TB_TOO_MANY_COUNTERS if both sides together have more than 22; with
 * LASCA_TB_MISSING_TABLE if no folder has the table; with LASCA_TB_OTHER_RULES if a folder has it,
 * but only for other rules; and with LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or
 * LASCA_TB_UNREADABLE if the WDL file holds another table than its name says, is damaged, or
 * cannot be read.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_covers(const struct lasca_tb *tables,
                                uint8_t white,
                                uint8_t black);

/**
 * Writes the column bound of the table for this many white and black counters: the greatest number
 * of columns, both sides together, of the positions that it covers. Writes 0 if it covers all
 * positions with these counters. No move makes the number of columns greater.
 *
 * \param tables The open tables.
 * \param white The number of White's counters.
 * \param black The number of Black's counters.
 * \param max_columns Receives the column bound, or 0.
 * \return LASCA_TB_OK. Fails as lasca_tb_covers() does, and with LASCA_TB_NULL_POINTER.
 * max_columns is written only if the call succeeds.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_max_columns(const struct lasca_tb *tables,
                                     uint8_t white,
                                     uint8_t black,
                                     uint8_t *max_columns);

/**
 * Checks whether distances and best moves are known for positions with this many white and black
 * counters, prisoners included. Returns LASCA_TB_OK if both files of their table are there and can
 * be opened.
 *
 * \param tables The open tables.
 * \param white The number of White's counters.
 * \param black The number of Black's counters.
 * \return LASCA_TB_OK. Fails as lasca_tb_covers() does, for either file; and with
 * LASCA_TB_MISSING_DTW if the DTW file is missing.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_covers_dtw(const struct lasca_tb *tables,
                                    uint8_t white,
                                    uint8_t black);

/**
 * Looks up win, draw or loss of a position, for the side to move. This needs only the WDL file of
 * the table. A position in which a side commands no column is over, and the other side has won. It
 * needs no table, and may have up to 22 counters.
 *
 * \param tables The open tables.
 * \param position The position.
 * \param wdl Receives win, draw or loss.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if
 * side_to_move or a commander is not a lasca_tb_color; with LASCA_TB_BAD_POSITION if the columns
 * are not a position; and with LASCA_TB_TOO_MANY_COUNTERS, LASCA_TB_MISSING_TABLE,
 * LASCA_TB_OTHER_RULES, LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE as
 * lasca_tb_covers() does; and with LASCA_TB_BEYOND_COLUMNS if the table is bounded and the
 * position has more columns. wdl is written only if the call succeeds.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_probe_wdl(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   lasca_tb_wdl *wdl);

/**
 * Looks up the value of a position with its distance, for the side to move. This needs both files
 * of the table, WDL and DTW, unless a side commands no column.
 *
 * \param tables The open tables.
 * \param position The position.
 * \param value Receives the value.
 * \return LASCA_TB_OK. Fails as lasca_tb_probe_wdl() does; with LASCA_TB_MISSING_DTW if the DTW
 * file is missing; and with LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if it is damaged or
 * cannot be read. value is written only if the call succeeds.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_probe_dtw(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_value *value);

/**
 * Lists all legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
 * quick losses. Moves of equal value are in the order of their squares. The list is empty if the
 * game is over. Otherwise this needs both files of the table, WDL and DTW.
 *
 * If there are more than capacity, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and writes only
 * count. The number of moves has no useful limit: call with a buffer for 64 moves, for example,
 * and again with a larger one if that was too small.
 *
 * \param tables The open tables.
 * \param position The position.
 * \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
 * \param capacity How many moves the buffer has room for.
 * \param count Receives the number of moves.
 * \return LASCA_TB_OK. Otherwise fails as lasca_tb_probe_dtw() does.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_moves(const struct lasca_tb *tables,
                               const struct lasca_tb_position *position,
                               struct lasca_tb_move *moves,
                               size_t capacity,
                               size_t *count);

/**
 * Finds the best move: it wins soonest, or draws, or loses latest. It is the first move that
 * lasca_tb_moves() lists. This needs both files of the table, WDL and DTW.
 *
 * \param tables The open tables.
 * \param position The position.
 * \param best Receives the best move.
 * \return LASCA_TB_OK. Fails with LASCA_TB_GAME_OVER if there is no move, and otherwise as
 * lasca_tb_probe_dtw() does. best is written only if the call succeeds.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_best_move(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *best);

/**
 * Lists the moves of best play: to the end of the game if a side wins, and to the first repetition
 * if the position is drawn. The distance of each move counts from the position before that move.
 * The list is empty if the game is over. This needs both files of the table, WDL and DTW, unless a
 * side commands no column.
 *
 * If a side wins, the number of moves is the dtw of the position.
 *
 * \param tables The open tables.
 * \param position The position.
 * \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
 * \param capacity How many moves the buffer has room for.
 * \param count Receives the number of moves.
 * \param end Receives how the line ends; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_moves() does, and with LASCA_TB_INCONSISTENT_TABLES if
 * the winning side makes no progress.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_best_line(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *moves,
                                   size_t capacity,
                                   size_t *count,
                                   lasca_tb_line_end *end);

/**
 * Does the same as lasca_tb_probe_wdl(), for a position as text, such as "a1WWW b2BBB w".
 *
 * If the game is over because a side commands no column, the columns may be of any kind. They may
 * have soldiers, and they may be columns that officers cannot build.
 *
 * \param tables The open tables.
 * \param text The position as text that ends with NUL.
 * \param wdl Receives win, draw or loss.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_UTF8 or
 * LASCA_TB_BAD_TEXT if the text is not a position; with LASCA_TB_SOLDIER or
 * LASCA_TB_UNREACHABLE_COLUMN if no table covers it; and with LASCA_TB_TOO_MANY_COUNTERS,
 * LASCA_TB_MISSING_TABLE, LASCA_TB_BEYOND_COLUMNS, LASCA_TB_OTHER_RULES, LASCA_TB_WRONG_TABLE,
 * LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE as lasca_tb_probe_wdl() does.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_probe_wdl_text(const struct lasca_tb *tables,
                                        const char *text,
                                        lasca_tb_wdl *wdl);

/**
 * Does the same as lasca_tb_probe_dtw(), for a position as text.
 *
 * \param tables The open tables.
 * \param text The position as text that ends with NUL.
 * \param value Receives the value.
 * \return LASCA_TB_OK. Fails as lasca_tb_probe_wdl_text() does, and with LASCA_TB_MISSING_DTW if
 * the DTW file of the table is missing.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_probe_dtw_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_value *value);

/**
 * Does the same as lasca_tb_moves(), for a position as text. If the game is over because a side
 * commands no column, the list is empty, and the columns may be of any kind.
 *
 * \param tables The open tables.
 * \param text The position as text that ends with NUL.
 * \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
 * \param capacity How many moves the buffer has room for.
 * \param count Receives the number of moves.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, and
 * otherwise as lasca_tb_probe_dtw_text() does.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_moves_text(const struct lasca_tb *tables,
                                    const char *text,
                                    struct lasca_tb_move *moves,
                                    size_t capacity,
                                    size_t *count);

/**
 * Does the same as lasca_tb_best_move(), for a position as text.
 *
 * \param tables The open tables.
 * \param text The position as text that ends with NUL.
 * \param best Receives the best move.
 * \return LASCA_TB_OK. Fails with LASCA_TB_GAME_OVER if there is no move, and otherwise as
 * lasca_tb_probe_dtw_text() does.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_best_move_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_move *best);

/**
 * Does the same as lasca_tb_best_line(), for a position as text. lasca_tb_line_to_text() then
 * writes the line as text. If the game is over because a side commands no column, the line is
 * empty, and the columns may be of any kind.
 *
 * \param tables The open tables.
 * \param text The position as text that ends with NUL.
 * \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
 * \param capacity How many moves the buffer has room for.
 * \param count Receives the number of moves.
 * \param end Receives how the line ends; it may be NULL.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, and
 * otherwise as lasca_tb_probe_dtw_text() does.
 *
 * \ingroup probing
 */
lasca_tb_status lasca_tb_best_line_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_move *moves,
                                        size_t capacity,
                                        size_t *count,
                                        lasca_tb_line_end *end);

/**
 * Reads a position of officers from text. The text has the columns and then the side to move, as
 * in "a1WWW b2BBB w", or the squares row by row from row 7 down. This needs no tables.
 *
 * \param text The position as text that ends with NUL.
 * \param position Receives the position.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, LASCA_TB_BAD_UTF8, LASCA_TB_BAD_TEXT,
 * LASCA_TB_SOLDIER or LASCA_TB_UNREACHABLE_COLUMN. position is written only if the call succeeds.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_position_from_text(const char *text,
                                            struct lasca_tb_position *position);

/**
 * Writes a position as text that ends with NUL. LASCA_TB_POSITION_TEXT_SIZE bytes are always
 * enough.
 *
 * If the text needs more than size bytes, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and
 * writes only needed.
 *
 * \param position The position.
 * \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
 * \param size The size of the buffer in bytes.
 * \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
 * \return LASCA_TB_OK. Otherwise fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if
 * side_to_move or a commander is not a lasca_tb_color; or with LASCA_TB_BAD_POSITION if the
 * columns are not a position.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_position_to_text(const struct lasca_tb_position *position,
                                          char *buffer,
                                          size_t size,
                                          size_t *needed);

/**
 * Writes a move as text that ends with NUL, such as "c3-d4" or "a1-b2BB-c3WWWB".
 * LASCA_TB_MOVE_TEXT_SIZE bytes are always enough. The function reads the fields squares,
 * square_count and after, but not value.
 *
 * \param played The move.
 * \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
 * \param size The size of the buffer in bytes.
 * \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the squares are not those of a move,
 * and otherwise as lasca_tb_position_to_text() does for the position after the move.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_move_to_text(const struct lasca_tb_move *played,
                                      char *buffer,
                                      size_t size,
                                      size_t *needed);

/**
 * Writes the moves of a line as text that ends with NUL, with the numbers of the moves and how the
 * line ends: "1. b2-c3 d4-e5 2. c3-d4 1-0". The first move is number 1, and Black's if it is "1...
 * d4-e5". At the end stands "1-0" if White wins, "0-1" if Black wins, "1/2" for a repetition, and
 * nothing for LASCA_TB_LINE_OPEN. There is no limit of the size: call with size 0 to learn it.
 *
 * \param moves The moves; it may be NULL if count is 0.
 * \param count How many moves there are.
 * \param end How the line ends: a lasca_tb_line_end.
 * \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
 * \param size The size of the buffer in bytes.
 * \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_position_to_text() does;
 * with LASCA_TB_BAD_ARGUMENT if end is not a lasca_tb_line_end; and as lasca_tb_move_to_text()
 * does for each move.
 *
 * \ingroup positions
 */
lasca_tb_status lasca_tb_line_to_text(const struct lasca_tb_move *moves,
                                      size_t count,
                                      int32_t end,
                                      char *buffer,
                                      size_t size,
                                      size_t *needed);

/**
 * Counts the tables in the folders of a handle, those for other rules included. Of a table that is
 * in several folders, the one that lasca_tb_open() chooses is counted.
 *
 * \param tables The open tables.
 * \param count Receives the number of tables.
 * \return LASCA_TB_OK, or LASCA_TB_NULL_POINTER.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_table_count(const struct lasca_tb *tables,
                                     size_t *count);

/**
 * Tells what a table holds. The tables are sorted by their rules, then by their number of
 * counters. This reads the headers of the files as they are now.
 *
 * If one of the files cannot be used, the call fails, but writes white, black, rules and bytes all
 * the same; the other fields are then 0, and max_dtw is LASCA_TB_NO_DTW. Win, draw or loss is known
 * all the same if only the DTW file cannot be used: lasca_tb_covers() tells.
 *
 * \param tables The open tables.
 * \param index The number of the table, from 0 to one less than lasca_tb_table_count() tells.
 * \param table Receives what the table holds.
 * \param table_size The size of the struct, as sizeof tells it.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if there is no table of this index, or
 * table_size is not the size of a lasca_tb_table; and with LASCA_TB_WRONG_TABLE,
 * LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if the files cannot be used.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_table_at(const struct lasca_tb *tables,
                                  size_t index,
                                  struct lasca_tb_table *table,
                                  size_t table_size);

/**
 * Writes the path of a file of a table, as the system writes it (UTF-8 on Windows), with a NUL at
 * the end. The DTW file need not be there; has_dtw of lasca_tb_table tells.
 *
 * \param tables The open tables.
 * \param index The number of the table, from 0 to one less than lasca_tb_table_count() tells.
 * \param file Which of its files: a lasca_tb_file.
 * \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
 * \param size The size of the buffer in bytes.
 * \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if there is no table of this index, or
 * file is not a lasca_tb_file; and with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_position_to_text()
 * does.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_table_path(const struct lasca_tb *tables,
                                    size_t index,
                                    int32_t file,
                                    char *buffer,
                                    size_t size,
                                    size_t *needed);

/**
 * Decodes all tables for the rules of the handle, and keeps the values of all their positions in
 * memory. Every answer stays the same, but it comes several times as fast. This is worth its time
 * and memory for a program that asks for many thousands of positions, such as an engine.
 *
 * Win, draw or loss takes two bits for each position, up to the symmetries of the board: 87 MB for
 * all tables of up to eight counters. Distances take a byte more for each position: 348 MB for the
 * same tables. Loading these takes some ten seconds of processor time, and forty with distances.
 * It uses all processors.
 *
 * If there is a limit, the tables with the fewest positions come first, and of each table win,
 * draw or loss before distances. What does not fit is left out, and answered from the files as
 * before.
 *
 * While a table is loaded, each byte of its file is checked against the file's checksums. Other
 * threads can use the handle meanwhile. The memory is freed with the handle. Tables that are
 * loaded already are not loaded again.
 *
 * \param tables The open tables.
 * \param options NULL means the default options.
 * \param loaded Receives what is loaded, also if a table cannot be loaded; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_covers() does, with LASCA_TB_MISSING_DTW if distances are
 * wanted and a DTW file is missing, with LASCA_TB_NO_MEMORY, and with
 * LASCA_TB_INCONSISTENT_TABLES, if any table cannot be loaded, or only its win, draw or loss. What
 * is not loaded is answered from the files as before, and all other tables are loaded.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_load(const struct lasca_tb *tables,
                              const struct lasca_tb_load_options *options,
                              struct lasca_tb_loaded *loaded);

/**
 * Does the same as lasca_tb_load(), for the table of this many white and black counters alone,
 * prisoners included.
 *
 * \param tables The open tables.
 * \param white The number of White's counters.
 * \param black The number of Black's counters.
 * \param options NULL means the default options.
 * \param loaded Receives what is loaded, also if a table cannot be loaded; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_load() does.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_load_material(const struct lasca_tb *tables,
                                       uint8_t white,
                                       uint8_t black,
                                       const struct lasca_tb_load_options *options,
                                       struct lasca_tb_loaded *loaded);

/**
 * Fills a struct with the default options of lasca_tb_open(): a cache of 64 MiB, the rules of
 * Lasker, and LASCA_TB_AUTOMATIC access to files.
 *
 * \param options Receives the options.
 * \param size The size of the struct, as sizeof tells it.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
 * not the size of such a struct.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_options_init(struct lasca_tb_options *options,
                                      size_t size);

/**
 * Fills a struct with the default options of lasca_tb_load(): win, draw or loss alone, and no
 * limit of memory.
 *
 * \param options Receives the options.
 * \param size The size of the struct, as sizeof tells it.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
 * not the size of such a struct.
 *
 * \ingroup tables
 */
lasca_tb_status lasca_tb_load_options_init(struct lasca_tb_load_options *options,
                                           size_t size);

/**
 * Fills a struct with the default options of lasca_tb_search_new(): 256 MiB, and the rules of
 * Lasker.
 *
 * \param options Receives the options.
 * \param size The size of the struct, as sizeof tells it.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
 * not the size of such a struct.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_options_init(struct lasca_tb_search_options *options,
                                             size_t size);

/**
 * Fills a struct with the default limits of lasca_tb_search_run(): as long as it takes, one
 * thread, and no progress.
 *
 * \param limits Receives the limits.
 * \param size The size of the struct, as sizeof tells it.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
 * not the size of such a struct.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_limits_init(struct lasca_tb_search_limits *limits,
                                            size_t size);

/**
 * Prepares the search of a position, which may have soldiers and up to 22 counters.
 * lasca_tb_search_run() then searches it.
 *
 * \param tables Used for positions that they cover; NULL means no tables. They may be freed before
 * the search, which keeps what it needs.
 * \param board The position.
 * \param options NULL means the default options.
 * \param search Receives the handle. It belongs to the caller, who must pass it to
 * lasca_tb_search_free() in the end.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the options are not allowed, or the
 * tables are for other rules; with LASCA_TB_BAD_ARGUMENT or LASCA_TB_BAD_POSITION if the board is
 * not a position; with LASCA_TB_NO_MEMORY if memory_bytes is too little to begin with; and with
 * LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if a table that covers the
 * position cannot be used.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_new(const struct lasca_tb *tables,
                                    const struct lasca_tb_board *board,
                                    const struct lasca_tb_search_options *options,
                                    struct lasca_tb_search **search);

/**
 * Does the same as lasca_tb_search_new(), for a position as text, such as "a1Bw c3WwB d6b w".
 *
 * \param tables Used for positions that they cover; NULL means no tables. They may be freed before
 * the search, which keeps what it needs.
 * \param text The position as text that ends with NUL.
 * \param options NULL means the default options.
 * \param search Receives the handle. It belongs to the caller, who must pass it to
 * lasca_tb_search_free() in the end.
 * \return LASCA_TB_OK. Fails as lasca_tb_search_new() does, and with LASCA_TB_BAD_UTF8 or
 * LASCA_TB_BAD_TEXT if the text is not a position.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_new_text(const struct lasca_tb *tables,
                                         const char *text,
                                         const struct lasca_tb_search_options *options,
                                         struct lasca_tb_search **search);

/**
 * Ends a search and frees its memory. No other thread may use it any more. If search is NULL,
 * nothing happens.
 *
 * \param search The search, or NULL.
 *
 * \ingroup searching
 */
void lasca_tb_search_free(struct lasca_tb_search *search);

/**
 * Searches until it is proved who wins, or that nobody does, or until a limit is reached. It can
 * be called again, and goes on with all that was found out. lasca_tb_search_result() tells what is
 * proved.
 *
 * A limit is no failure.
 *
 * \param search The search.
 * \param limits What the call may use; NULL means the default limits.
 * \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
 * \return LASCA_TB_OK. Fails with LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or
 * LASCA_TB_UNREADABLE if a table cannot be used.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_run(struct lasca_tb_search *search,
                                    const struct lasca_tb_search_limits *limits,
                                    lasca_tb_stop *stop);

/**
 * Searches for the exact distance of a position that lasca_tb_search_run() has solved, until it is
 * known or a limit is reached. lasca_tb_search_result() then tells it as dtw. If the position is
 * open or drawn, or no upper bound of the distance is known because a table has no DTW file, there
 * is nothing to search for: the call does nothing, and stop receives LASCA_TB_FINISHED.
 *
 * \param search The search.
 * \param limits What the call may use; NULL means the default limits.
 * \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_search_run() does, and with LASCA_TB_NO_MEMORY if there is
 * no room left for the distances.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_exact(struct lasca_tb_search *search,
                                      const struct lasca_tb_search_limits *limits,
                                      lasca_tb_stop *stop);

/**
 * Searches each move of the position until all of them are solved, or a limit is reached.
 * lasca_tb_search_moves() then tells what they are worth.
 *
 * \param search The search.
 * \param limits What the call may use; NULL means the default limits.
 * \param stop Receives why the search has stopped, a lasca_tb_stop; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_search_exact() does.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_rate_moves(struct lasca_tb_search *search,
                                           const struct lasca_tb_search_limits *limits,
                                           lasca_tb_stop *stop);

/**
 * Makes the call that searches stop soon, with LASCA_TB_CANCELLED. Any thread may call this at any
 * time before lasca_tb_search_free(). If no call is searching, the next one stops at once. The
 * calls after that one are not cancelled.
 *
 * \param search The search.
 * \return LASCA_TB_OK, or LASCA_TB_NULL_POINTER.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_cancel(const struct lasca_tb_search *search);

/**
 * Tells what is proved of the position so far. If another thread is searching with this handle,
 * the call waits. If there is no room for working out distances, at_most is LASCA_TB_NO_DTW.
 *
 * \param search The search.
 * \param result Receives what is proved.
 * \return LASCA_TB_OK. Fails as lasca_tb_search_run() does. result is written only if the call
 * succeeds.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_result(const struct lasca_tb_search *search,
                                       struct lasca_tb_searched *result);

/**
 * Lists all legal moves with what is proved of them so far, best first: quick wins, slow wins,
 * draws, open moves, slow losses, quick losses. A win or loss whose distance is not known comes
 * after the others of its kind. The list is empty if the game is over.
 *
 * \param search The search.
 * \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
 * \param capacity How many moves the buffer has room for.
 * \param count Receives the number of moves.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, with
 * LASCA_TB_NO_MEMORY if there is no room for working out distances, and as lasca_tb_search_run()
 * does.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_moves(const struct lasca_tb_search *search,
                                      struct lasca_tb_searched_move *moves,
                                      size_t capacity,
                                      size_t *count);

/**
 * Lists all legal moves of another position with what is proved of them, as
 * lasca_tb_search_moves() does. If the search has met the position, the proofs about it are known,
 * and otherwise all moves are open. So an engine that has proved a win can keep the search and
 * play it out: the moves that the proof knows as wins get nearer to the end, whatever the other
 * side replies.
 *
 * \param search The search.
 * \param board A position that comes up in the game after that of the search.
 * \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
 * \param capacity How many moves the buffer has room for.
 * \param count Receives the number of moves.
 * \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT or LASCA_TB_BAD_POSITION if the board is
 * not a position, and otherwise as lasca_tb_search_moves() does.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_moves_at(const struct lasca_tb_search *search,
                                         const struct lasca_tb_board *board,
                                         struct lasca_tb_searched_move *moves,
                                         size_t capacity,
                                         size_t *count);

/**
 * Lists the moves of the best line known: to the end of the game if a side wins, and otherwise
 * until a position is repeated, or nothing is known of the next one. The list is empty if the
 * position is open, if the game is over, or if the distance is not known because a table has no
 * DTW file.
 *
 * \param search The search.
 * \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
 * \param capacity How many moves the buffer has room for.
 * \param count Receives the number of moves.
 * \param end Receives how the line ends; it may be NULL.
 * \return LASCA_TB_OK. Fails as lasca_tb_search_moves() does.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_line(const struct lasca_tb_search *search,
                                     struct lasca_tb_board_move *moves,
                                     size_t capacity,
                                     size_t *count,
                                     lasca_tb_line_end *end);

/**
 * Finds the best move known of a position that is solved: the first of lasca_tb_search_line(). If
 * that list is empty because the distance is not known, the function finds a move that is proved
 * to keep the win, draw or loss.
 *
 * \param search The search.
 * \param best Receives the best move.
 * \return LASCA_TB_OK. Fails with LASCA_TB_NOT_SOLVED if the position is open; with
 * LASCA_TB_GAME_OVER if there is no move; with LASCA_TB_MISSING_DTW if a table tells who wins, but
 * no move is proved to keep that (after lasca_tb_search_rate_moves(), one is); with
 * LASCA_TB_NO_MEMORY if there is no room for working out distances; and as lasca_tb_search_run()
 * does. best is written only if the call succeeds.
 *
 * \ingroup searching
 */
lasca_tb_status lasca_tb_search_best_move(const struct lasca_tb_search *search,
                                          struct lasca_tb_board_move *best);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LASCA_TB_H */
