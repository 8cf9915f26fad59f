/**
 * \file lasca_tb.h
 *
 * Endgame tablebases for Lasca, for C and other languages that can call C.
 *
 * bindings/c/README.md shows how to install and link the library.
 *
 *     lasca_tb *tables = NULL;
 *     const char *folders[] = {"tables"};
 *     lasca_tb_position position;
 *     lasca_tb_value value;
 *     if (lasca_tb_open(folders, 1, NULL, &tables) == LASCA_TB_OK &&
 *         lasca_tb_position_from_text("a1WWW b2BBB w", &position) == LASCA_TB_OK &&
 *         lasca_tb_probe_dtw(tables, &position, &value) == LASCA_TB_OK)
 *         printf("%d in %d plies\n", (int)value.wdl, (int)value.dtw);
 *     else
 *         fprintf(stderr, "%s\n", lasca_tb_last_error());
 *     lasca_tb_free(tables);
 *
 * Values are those of the side to move. Distances (dtw) are in plies; a ply is one move by one
 * side.
 *
 * Positions and moves. There is one type of position, which holds soldiers and officers, and one
 * type of move, which holds the position after it. lasca_tb_legal_moves() needs neither tables nor
 * a search.
 *
 * Files. The nine tables of up to six counters (1-1, 2-1, 3-1, 2-2, 4-1, 3-2, 5-1, 4-2 and 3-3) are a
 * part of the library: included of the options opens them. Others are files in the folders that
 * lasca_tb_open() takes. A table has a WDL file (.ltbw) with win, draw or loss, and a DTW file (.ltbd) in
 * the same folder with the distances. The DTW file may be missing: lasca_tb_probe_wdl() does not need it,
 * and the functions that need distances fail with LASCA_TB_NO_DISTANCES: lasca_tb_probe_dtw(),
 * lasca_tb_moves() and lasca_tb_best_line(). lasca_tb_covers() tells what is there.
 * lasca_tb_make() makes a table that is missing in memory, if its positions have few columns.
 *
 * Searches. The tables know only positions of officers. lasca_tb_solve() searches any position, also with
 * soldiers, within limits, and tells what is proved. The handle may be without tables: lasca_tb_open() opens
 * one for no folders.
 *
 * Options and limits. 0 in any field stands for its default, and NULL in place of the struct for all
 * defaults. So begin with zeros:
 *
 *     lasca_tb_options options = {0};
 *     options.rules = LASCA_TB_RULES_BIGNOR;
 *
 * Ownership. A handle belongs to the caller, who must pass it from lasca_tb_open() to lasca_tb_free(). The
 * library uses the caller's memory only during a call, and never keeps or frees it. Texts that functions
 * return belong to the library; do not free them.
 *
 * Pointers. NULL is an error (LASCA_TB_NULL_POINTER) unless the comment of the function allows it.
 * Every other pointer must be aligned and point to a value of its type. No other thread may use
 * memory that a call writes to. Texts must end with NUL, and buffers must be as large as their
 * size says. A handle must come from lasca_tb_open(), and must not have been freed. A call that fails
 * writes no results, except for the size that a buffer needs, and what its comment names. A call has read all that it is given
 * before it writes a result. So both may lie in the same memory, as in
 * lasca_tb_move_from_text(rules, &move.after, text, &move). Two results must not overlap.
 *
 * Threads. Any number of threads can use a handle at once. Only lasca_tb_free() needs it alone. Each
 * thread has its own last error.
 *
 * Errors. Functions return a lasca_tb_status. A Rust panic never leaves a function; it becomes
 * LASCA_TB_INTERNAL_ERROR. The statuses are named like the reasons in JSON, of which docs/PROTOCOL.md
 * has the list. The library prints nothing, except that Rust itself writes a message to
 * standard error if there is a panic.
 *
 * Memory. If the system refuses much memory at once, making and loading tables fail with
 * LASCA_TB_NO_MEMORY, and searches stop. If it refuses a little memory, Rust aborts the program. So
 * leave some MiB free when you limit memory.
 */

#ifndef LASCA_TB_H
#define LASCA_TB_H

#include <stddef.h>
#include <stdint.h>

/// The version of the interface in this header. It grows with every change after which programs must
/// be compiled again. lasca_tb_abi_version() returns the version that the library has.
#define LASCA_TB_ABI_VERSION 3

/// The number of squares on the board.
#define LASCA_TB_SQUARES 25

/// The greatest number of counters on the board, both sides together. A material has no more.
#define LASCA_TB_MAX_COUNTERS 22

/// The greatest number of squares in a move: 22 counters allow at most 21 jumps.
#define LASCA_TB_MOVE_SQUARES 43

/// The greatest number of moves of a position that are listed. Only LASCA_TB_RULES_REJUMP allows more, and no
/// known game comes near to that.
#define LASCA_TB_MOST_MOVES 4096

/// A buffer of this many bytes holds any position as text, with the NUL at the end.
#define LASCA_TB_POSITION_TEXT_SIZE 96

/// A buffer of this many bytes holds any legal move as text, with the NUL at the end.
#define LASCA_TB_MOVE_TEXT_SIZE 200

/// The distance of a draw, and of what is not known.
#define LASCA_TB_NO_DTW -1

/// The estimate of what is known, and of what was not estimated.
#define LASCA_TB_NO_ESTIMATE -32768

/// The result of a call. Every function that can fail returns one of these, and
/// lasca_tb_last_error() then describes the error.
enum lasca_tb_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// The call succeeded, and all results are written.
    LASCA_TB_OK = 0,
    /// A pointer is NULL but must not be.
    LASCA_TB_NULL_POINTER = 1,
    /// A text is not UTF-8.
    LASCA_TB_BAD_UTF8 = 2,
    /// An argument is not one of the allowed values, such as a rule set or a colour. Or the squares are
    /// not those of a move.
    LASCA_TB_BAD_ARGUMENT = 3,
    /// The buffer is too small. The size that is needed is written.
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    /// The text is not a position, or the struct is not: the board has no counters or more than 22, or a
    /// mask has a bit that stands for no counter.
    LASCA_TB_NOT_A_POSITION = 5,
    /// The text is not a legal move of the position.
    LASCA_TB_NOT_A_MOVE = 6,
    /// The game is over, so there is no move.
    LASCA_TB_GAME_OVER = 7,
    /// No open table covers the position. It has a soldier or a column that officers cannot build, or
    /// none of the folders has the table for its counters, or that table is bounded and the position
    /// has more columns. lasca_tb_covers() tells the bound.
    LASCA_TB_NOT_COVERED = 8,
    /// There is a table for these counters, but only for other rules. lasca_tb_probe_wdl() and
    /// lasca_tb_probe_dtw() fail with LASCA_TB_NOT_COVERED then.
    LASCA_TB_OTHER_RULES = 9,
    /// The DTW file of the table is missing. Win, draw or loss is known, but no distance.
    LASCA_TB_NO_DISTANCES = 10,
    /// A file of a table is damaged, or holds another table than its name says.
    LASCA_TB_DAMAGED = 11,
    /// A folder, or a file of a table, cannot be read.
    LASCA_TB_UNREADABLE = 12,
    /// The tables contradict themselves.
    LASCA_TB_INCONSISTENT = 13,
    /// A search needs more memory than it may use, or there is too little memory for a table. Every
    /// function that can fail with LASCA_TB_UNREADABLE because of a table can fail with this too.
    LASCA_TB_NO_MEMORY = 14,
    /// Making the table would take more time or memory than it may.
    LASCA_TB_TOO_LARGE = 15,
    /// There is a bug in the library. A handle can still be used.
    LASCA_TB_INTERNAL_ERROR = 16,
    /// A position has more than LASCA_TB_MOST_MOVES moves. Only LASCA_TB_RULES_REJUMP allows so many. Every
    /// function that lists or reads moves can fail with this.
    LASCA_TB_TOO_MANY_MOVES = 17,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_status lasca_tb_status;
#else
typedef int32_t lasca_tb_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Win, draw or loss for a side. Negated, a win, draw or loss is the result for the other side.
enum lasca_tb_wdl
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// It is not known who wins. Tables never say this.
    LASCA_TB_OPEN = -2,
    /// The side loses.
    LASCA_TB_LOSS = -1,
    /// Neither side can force a win.
    LASCA_TB_DRAW = 0,
    /// The side wins.
    LASCA_TB_WIN = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_wdl lasca_tb_wdl;
#else
typedef int32_t lasca_tb_wdl;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Why a search has stopped.
enum lasca_tb_stop
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// All that the call asks for is found.
    LASCA_TB_FINISHED = 0,
    /// The time is over.
    LASCA_TB_TIME_OVER = 1,
    /// There is no room for more positions.
    LASCA_TB_MEMORY_FULL = 2,
    /// progress has stopped it.
    LASCA_TB_CANCELLED = 3,
    /// A position has more than LASCA_TB_MOST_MOVES moves.
    LASCA_TB_MOVES_TOO_MANY = 4,
    /// It is known who wins, but the exact distance rests on tables without DTW files.
    LASCA_TB_DISTANCES_MISSING = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_stop lasca_tb_stop;
#else
typedef int32_t lasca_tb_stop;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// A rule set. The rule sets differ in how a capture goes on.
enum lasca_tb_rules
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// A capture goes on as long as possible, but jumps no square twice (Lasker, 1911).
    LASCA_TB_RULES_LASCA = 0,
    /// A capture is a single jump (Bignor Ludus).
    LASCA_TB_RULES_BIGNOR = 1,
    /// A capture goes on as long as possible, and may jump a square again (Ludii).
    LASCA_TB_RULES_REJUMP = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_rules lasca_tb_rules;
#else
typedef int32_t lasca_tb_rules;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// How files of tables are read.
enum lasca_tb_access
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// The default: files of up to 256 MiB are private, and larger ones are mapped.
    LASCA_TB_AUTOMATIC = 0,
    /// Files are mapped into memory. Programs share the memory, and the system can take it back. The
    /// files must not be overwritten or cut short while they are open: a signal may end the process, and
    /// changed bytes may be believed. Replacing a file by another of the same name does no harm.
    LASCA_TB_MAPPED = 1,
    /// A file is read into the program's own memory when something in it is first needed, and stays
    /// there. If it is overwritten or cut short before, what is no longer as it was is LASCA_TB_DAMAGED.
    /// A new handle reads the new file.
    LASCA_TB_PRIVATE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_access lasca_tb_access;
#else
typedef int32_t lasca_tb_access;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// One of the two sides.
enum lasca_tb_color
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// The side that starts, and moves up the board.
    LASCA_TB_WHITE = 0,
    /// The side that moves down the board.
    LASCA_TB_BLACK = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_color lasca_tb_color;
#else
typedef int32_t lasca_tb_color;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The open tables of one or more folders, for one rule set. Programs see only pointers to it.
typedef struct lasca_tb lasca_tb;

/// A position of soldiers and officers, up to 22 counters. Square i (0 to 24) has the number i + 1 in
/// Lasker's numbering:
///
///     7   21    22    23    24        a7    c7    e7    g7
///     6      18    19    20              b6    d6    f6
///     5   14    15    16    17        a5    c5    e5    g5
///     4      11    12    13              b4    d4    f4
///     3    7     8     9    10        a3    c3    e3    g3
///     2       4     5     6              b2    d2    f2
///     1    0     1     2     3        a1    c1    e1    g1
///
/// On file x (a = 0) and rank y (rank 1 = 0), i = (7 * y + x) / 2.
///
/// The counters are numbered square by square, on each square from the top down. Bit n of the masks is
/// counter n; the bits from the number of counters on are 0. The counter at the top of a column commands
/// it. "a1WwB g1b w" has the counters W, w, B and b: the heights of squares 0 and 3 are 3 and 1, black is
/// 8 + 4, and officers is 4 + 1. This goes through the columns of a position:
///
///     uint32_t black = position.black, officers = position.officers;
///     for (i = 0; i < LASCA_TB_SQUARES; i++) {
///         uint8_t height = position.heights[i];
///         // Here, bit n of black and of officers is the counter n places below the top.
///         black >>= height;
///         officers >>= height;
///     }
///
/// There is no padding, so memcmp() compares positions. 36 bytes: heights is at 0, side_to_move at 25,
/// reserved at 26, black at 28, officers at 32.
typedef struct lasca_tb_position {
    /// How many counters stand on each square; 0 if it is empty.
    uint8_t heights[LASCA_TB_SQUARES];
    /// The side to move: a lasca_tb_color.
    uint8_t side_to_move;
    /// Must be 0.
    uint8_t reserved[2];
    /// Which counters are black.
    uint32_t black;
    /// Which counters are officers.
    uint32_t officers;
} lasca_tb_position;

/// A function of the program that long work calls again and again, in the thread that called the library: every
/// few milliseconds at first, and after some seconds several times a second. It is not called during a pass over
/// all positions of a search, which can take a second for each few million positions. user is what the limits name.
/// positions is how many positions a search has met, and bytes the memory that it holds; while a table is made,
/// positions is how many of its positions are done, and bytes is 0. The function returns 0 to stop the work, and
/// any other number to go on. It must return: an exception or a longjmp out of it is not allowed. A program
/// that stops a search from another thread sets a flag, which this function reads.
typedef int32_t (*lasca_tb_progress)(void *user, uint64_t positions, uint64_t bytes);

/// What a search is to find out, and what it and making a table may use. With pointers of 64 bits 48 bytes:
/// milliseconds is at 0, make_milliseconds at 8, memory_bytes at 16, threads at 24, find_dtw at 28, find_moves at 29,
/// find_line at 30, reserved at 31, progress at 32, user at 40.
typedef struct lasca_tb_limits {
    /// The longest time of a search from the call on; 0 for as long as it takes.
    uint64_t milliseconds;
    /// The longest time, by plan, for making a table; 0 for ten seconds in lasca_tb_make(). A search makes the
    /// table that lasca_tb_plan() plans, and with 0 none.
    uint64_t make_milliseconds;
    /// The most memory that a search may hold, or that the plan of a table may tell, in bytes; 0 for 256 MiB in a
    /// search, and for 1 GiB in lasca_tb_make(). A position takes a search about 64 bytes.
    uint64_t memory_bytes;
    /// How many threads work at most; 0 for one per processor. In a search, more than 255 count as 255. Fewer
    /// threads take less memory for making a table.
    uint32_t threads;
    /// Whether a search finds the exact distance of a win or loss: 0 if not, as in the next two.
    uint8_t find_dtw;
    /// Whether it finds what each legal move is worth. If the time is limited, its last quarter is kept for what the
    /// moves look worth that stay open.
    uint8_t find_moves;
    /// Whether it finds the best line.
    uint8_t find_line;
    /// Not used.
    uint8_t reserved;
    /// Is told how far the work is, and can stop it; may be NULL.
    lasca_tb_progress progress;
    /// Is handed to progress.
    void *user;
} lasca_tb_limits;

/// What it takes to make a table, as lasca_tb_plan() tells it. 32 bytes: positions is at 0, memory_bytes at 8,
/// milliseconds at 16, white at 24, black at 25, max_columns at 26, reserved at 27.
typedef struct lasca_tb_make_plan {
    /// How many positions it has. 0 if there is nothing to make, and then all other fields are 0 too.
    uint64_t positions;
    /// How much memory it takes at the busiest time, in bytes. The table itself takes less.
    uint64_t memory_bytes;
    /// About how long it takes on this machine.
    uint64_t milliseconds;
    /// The number of White's counters. The table also serves the material with the colours exchanged.
    uint8_t white;
    /// The number of Black's counters.
    uint8_t black;
    /// The greatest number of columns in its positions.
    uint8_t max_columns;
    /// 0.
    uint8_t reserved[5];
} lasca_tb_make_plan;

/// The squares of a move. A quiet move has the squares from and to. A capture has the square from, and then
/// for each jump the square that is jumped and the square of landing. 44 bytes: at is at 0, count at 43.
typedef struct lasca_tb_squares {
    /// The squares, in order. The rest is 0.
    uint8_t at[LASCA_TB_MOVE_SQUARES];
    /// How many there are: 2 for a quiet move, and an odd number from 3 on for a capture.
    uint8_t count;
} lasca_tb_squares;

/// What is known of a position, for the side to move, or of a move, for the side that makes it.
/// Distances are the plies until the loser cannot move, if the winner takes the shortest way and the
/// loser the longest; that of a move counts from before the move. 16 bytes: wdl is at 0, dtw at 4,
/// at_most at 8, white_excluded at 12, black_excluded at 13, estimate at 14.
typedef struct lasca_tb_value {
    /// Win, draw, loss or open.
    lasca_tb_wdl wdl;
    /// The exact distance of a win or loss, if it is known; otherwise LASCA_TB_NO_DTW.
    int32_t dtw;
    /// The distance is proved to be no greater than this; LASCA_TB_NO_DTW if nothing is known of it. If
    /// dtw is known, this is the same.
    int32_t at_most;
    /// 1 if it is known that White cannot win, otherwise 0.
    uint8_t white_excluded;
    /// 1 if it is known that Black cannot win, otherwise 0.
    uint8_t black_excluded;
    /// What an open move looks worth to the side that makes it, from -100 to 100, where 0 is even, after a
    /// search. It proves nothing. Otherwise LASCA_TB_NO_ESTIMATE.
    int16_t estimate;
} lasca_tb_value;

/// A legal move. To make it, take the position after it. 96 bytes: squares is at 0, after at 44, value at 80.
typedef struct lasca_tb_move {
    /// The squares of the move.
    struct lasca_tb_squares squares;
    /// The position after the move.
    struct lasca_tb_position after;
    /// What is known of the move, for the side that makes it.
    struct lasca_tb_value value;
} lasca_tb_move;

/// What a search has proved of its position. 32 bytes: value is at 0, positions at 16, stop at 24, reserved at 28.
typedef struct lasca_tb_searched {
    /// What is proved, for the side to move.
    struct lasca_tb_value value;
    /// How many positions the search has met.
    uint64_t positions;
    /// Why the search has stopped.
    lasca_tb_stop stop;
    /// 0.
    uint32_t reserved;
} lasca_tb_searched;

/// How tables are opened. 24 bytes: cache_bytes is at 0, rules at 8, access at 12, included at 16, reserved at 20.
typedef struct lasca_tb_options {
    /// The size limit of the cache of decoded blocks in bytes, for all threads together; 0 for 64 MiB.
    uint64_t cache_bytes;
    /// The rule set: a lasca_tb_rules.
    int32_t rules;
    /// How files are read: a lasca_tb_access.
    int32_t access;
    /// Whether the tables that are a part of the library are opened too: 0 if not. They are for
    /// LASCA_TB_RULES_LASCA alone, and missing if the library was built without its feature `included`. If a folder
    /// holds such a table too, the one of the library is used.
    uint32_t included;
    /// Not used.
    uint32_t reserved;
} lasca_tb_options;

/// Which values are loaded. 16 bytes: max_bytes is at 0, threads at 8, white at 12, black at 13, with_dtw at
/// 14, reserved at 15.
typedef struct lasca_tb_load_options {
    /// How many bytes of memory all loaded values of the handle may take, those that were loaded before
    /// included; 0 for no limit.
    uint64_t max_bytes;
    /// How many threads work at once; 0 for one per processor.
    uint32_t threads;
    /// The number of White's counters in the one table that is loaded, prisoners included; 0 in both
    /// white and black for all tables.
    uint8_t white;
    /// The number of Black's counters.
    uint8_t black;
    /// Whether distances are loaded as well: 0 for win, draw or loss alone.
    uint8_t with_dtw;
    /// Not used.
    uint8_t reserved;
} lasca_tb_load_options;

/// What is in the memory of a handle. 32 bytes: bytes is at 0, wdl at 8, dtw at 16, left_out at 24.
typedef struct lasca_tb_loaded {
    /// How many bytes of memory all loaded values of the handle take.
    uint64_t bytes;
    /// The number of the requested tables with win, draw or loss in memory.
    uint64_t wdl;
    /// The number of the requested tables with distances in memory.
    uint64_t dtw;
    /// The number of the requested tables that do not fit, or not with their distances.
    uint64_t left_out;
} lasca_tb_loaded;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// Returns the version of the library's interface. A program should compare it with the
/// LASCA_TB_ABI_VERSION that it was compiled with.
///
/// \return The LASCA_TB_ABI_VERSION of the library.
uint32_t lasca_tb_abi_version(void);

/// Returns the version of the library as text, such as "1.2.3". The text lives as long as the
/// library.
///
/// \return The version.
const char *lasca_tb_version(void);

/// Returns the error of the last call that failed in this thread: what was expected, what was
/// found, and where. The text is empty if no call has failed. Calls that succeed do not change it.
/// It is UTF-8, and the pointer is never NULL.
///
/// The text belongs to the library. It lives until another call fails in this thread, or until the
/// thread ends.
///
/// \return The error.
const char *lasca_tb_last_error(void);

/// Tells what it takes to make the table that a position needs: that of its counters with at most as many
/// columns as it has, since no move makes them more. If the position has soldiers, no table knows it, but a
/// search of it meets positions of that table. There is nothing to make if an open table covers all
/// these positions with distances, if there can be no table of them, or if their table is damaged.
///
/// \param tables The open tables.
/// \param position The position.
/// \param limits Of these, memory_bytes and threads matter: where there is not enough memory for all threads, fewer of
/// them are planned. The plan may exceed the limits all the same. NULL means the default limits.
/// \param plan Receives what it takes.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT or LASCA_TB_NOT_A_POSITION if the position is none.
lasca_tb_status lasca_tb_plan(const struct lasca_tb *tables,
                              const struct lasca_tb_position *position,
                              const struct lasca_tb_limits *limits,
                              struct lasca_tb_make_plan *plan);

/// Makes the table that lasca_tb_plan() plans, in memory. The handle has it from then on, in place of one
/// that covers less, and so have searches that begin later. Other threads can use the handle meanwhile.
/// If another thread is making a table, this waits for it. lasca_tb_load() makes the table quicker to look up.
///
/// \param tables The open tables.
/// \param position The position.
/// \param limits What making it may take, by plan. NULL means the default limits.
/// \return LASCA_TB_OK, also if there was nothing to make, or progress has stopped the work. Fails with
/// LASCA_TB_TOO_LARGE if the plan exceeds the limits; with LASCA_TB_NO_MEMORY if the system refuses memory or
/// threads; and as lasca_tb_plan() does. If it fails or is stopped, the tables are as before.
lasca_tb_status lasca_tb_make(const struct lasca_tb *tables,
                              const struct lasca_tb_position *position,
                              const struct lasca_tb_limits *limits);

/// Reads a position from text. The text has the columns and then the side to move, as in
/// "a1WWW c3wB b2BBB w", or the squares row by row from row 7 down. W and B are officers, w and b are
/// soldiers. "start" is the position from which a game starts.
///
/// \param text The position as text that ends with NUL.
/// \param position Receives the position.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, LASCA_TB_BAD_UTF8 or LASCA_TB_NOT_A_POSITION.
lasca_tb_status lasca_tb_position_from_text(const char *text,
                                            struct lasca_tb_position *position);

/// Writes a position as text that ends with NUL. LASCA_TB_POSITION_TEXT_SIZE bytes are always
/// enough.
///
/// If the text needs more than size bytes, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and
/// writes only needed.
///
/// \param position The position.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Otherwise fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if
/// side_to_move is not a lasca_tb_color, or reserved is not 0; or with LASCA_TB_NOT_A_POSITION if the
/// counters are not those of a position.
lasca_tb_status lasca_tb_position_to_text(const struct lasca_tb_position *position,
                                          char *buffer,
                                          size_t size,
                                          size_t *needed);

/// Lists all legal moves in the order of their squares. Nothing is known of their values: each is
/// LASCA_TB_OPEN. The list is empty if the game is over: the side to move has lost, unless only the
/// other side commands no column.
///
/// If there are more than capacity, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and writes only
/// count. Call with a buffer for 64 moves, for example, and again with a larger one if that was too small. If
/// there are more than LASCA_TB_MOST_MOVES, the call fails with LASCA_TB_TOO_MANY_MOVES.
///
/// \param rules The rule set: a lasca_tb_rules.
/// \param position The position.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Otherwise fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if
/// rules is not a lasca_tb_rules; with LASCA_TB_TOO_MANY_MOVES; and as lasca_tb_position_to_text() does if the
/// position is none.
lasca_tb_status lasca_tb_legal_moves(int32_t rules,
                                     const struct lasca_tb_position *position,
                                     struct lasca_tb_move *moves,
                                     size_t capacity,
                                     size_t *count);

/// Makes a move. No other moves are looked at.
///
/// \param rules The rule set: a lasca_tb_rules.
/// \param position The position before the move.
/// \param squares The squares of the move.
/// \param after Receives the position after the move.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NOT_A_MOVE if the move is not legal; with LASCA_TB_BAD_ARGUMENT
/// if the squares are those of no move, or rules is not a lasca_tb_rules; and as
/// lasca_tb_position_to_text() does if the position is none.
lasca_tb_status lasca_tb_play(int32_t rules,
                              const struct lasca_tb_position *position,
                              const struct lasca_tb_squares *squares,
                              struct lasca_tb_position *after);

/// Reads a legal move of a position from text, such as "c3-d4", "a1-b2-c3" or "a1-b2Bb-c3wWB". Columns
/// may be left out, and of a capture all squares but the first and the last, if one move alone fits.
/// Squares may be numbers from 1 to 25.
///
/// \param rules The rule set: a lasca_tb_rules.
/// \param position The position before the move.
/// \param text The move as text that ends with NUL.
/// \param played Receives the move. Nothing is known of its value.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NOT_A_MOVE if the text fits no legal move or several, which
/// lasca_tb_last_error() lists; with LASCA_TB_GAME_OVER if there is no legal move; with
/// LASCA_TB_BAD_UTF8; and as lasca_tb_legal_moves() does.
lasca_tb_status lasca_tb_move_from_text(int32_t rules,
                                        const struct lasca_tb_position *position,
                                        const char *text,
                                        struct lasca_tb_move *played);

/// Writes a move as text that ends with NUL, such as "c3-d4" or "a1-b2Bb-c3wWB". The text of a capture
/// has the columns that it leaves. LASCA_TB_MOVE_TEXT_SIZE bytes are enough for every move of a list, and
/// for every other legal move. The move need not be legal, and another can need more.
///
/// \param played The move. Its value does not matter.
/// \param buffer A buffer of the caller with size bytes; it may be NULL if size is 0.
/// \param size The size of the buffer in bytes.
/// \param needed Receives the number of bytes that the text needs, with its NUL; it may be NULL.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if the squares are not those of a move,
/// and otherwise as lasca_tb_position_to_text() does for the position after the move.
lasca_tb_status lasca_tb_move_to_text(const struct lasca_tb_move *played,
                                      char *buffer,
                                      size_t size,
                                      size_t *needed);

/// Looks up win, draw or loss of a position, for the side to move. This needs only the WDL file of
/// the table, and allocates memory only when it reads a new block of the table. A position in which a
/// side commands no column is over, and the other side has won. It needs no table, and may have any
/// columns.
///
/// \param tables The open tables.
/// \param position The position.
/// \param wdl Receives win, draw or loss.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT or
/// LASCA_TB_NOT_A_POSITION if the position is none; with LASCA_TB_NOT_COVERED if no open table covers
/// it, where lasca_tb_covers() tells what the tables cover; and with LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE as
/// lasca_tb_covers() does.
lasca_tb_status lasca_tb_probe_wdl(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   lasca_tb_wdl *wdl);

/// Looks up the value of a position with its distance, for the side to move. This needs both files
/// of the table, WDL and DTW, unless a side commands no column.
///
/// \param tables The open tables.
/// \param position The position.
/// \param value Receives the value.
/// \return LASCA_TB_OK. Fails as lasca_tb_probe_wdl() does; with LASCA_TB_NO_DISTANCES if the DTW
/// file is missing; and with LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if it is damaged or
/// cannot be read.
lasca_tb_status lasca_tb_probe_dtw(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_value *value);

/// Lists all legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
/// quick losses. Moves of equal value are in the order of their squares. The list is empty if the
/// game is over. Otherwise this needs both files of the table, WDL and DTW.
///
/// \param tables The open tables.
/// \param position The position.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL and LASCA_TB_TOO_MANY_MOVES as
/// lasca_tb_legal_moves() does; with LASCA_TB_OTHER_RULES as lasca_tb_covers() does; and otherwise as
/// lasca_tb_probe_dtw() does.
lasca_tb_status lasca_tb_moves(const struct lasca_tb *tables,
                               const struct lasca_tb_position *position,
                               struct lasca_tb_move *moves,
                               size_t capacity,
                               size_t *count);

/// Lists the moves of best play: to the end of the game if a side wins, and to the first repetition
/// if the position is drawn. The distance of each move counts from the position before that move.
/// The list is empty if the game is over. This needs both files of the table, WDL and DTW, unless a
/// side commands no column.
///
/// If a side wins, the number of moves is the dtw of the position.
///
/// \param tables The open tables.
/// \param position The position.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \return LASCA_TB_OK. Fails as lasca_tb_moves() does, and with LASCA_TB_INCONSISTENT if
/// the winning side makes no progress.
lasca_tb_status lasca_tb_best_line(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *moves,
                                   size_t capacity,
                                   size_t *count);

/// Searches a position, which may have soldiers, until it is proved who wins, or that nobody does, and until all is
/// found that the limits name. It stops when a limit is reached, which is no failure, and tells what
/// is proved so far. The exact distance of a draw is not searched.
///
/// Moves are listed best first: quick wins, slow wins, draws, open moves, slow losses, quick losses. A win or
/// loss whose distance is not known comes after the others of its kind. Of open moves, those with the best
/// estimates come first. The list is empty if the game is over, or if there is no memory for it.
///
/// The line goes to the end of the game if a side wins, and otherwise until a position is repeated, or
/// nothing is known of the next one. It is empty if the position is open, if the game is over, or if the
/// distance is not known because a table has no DTW file, or for want of memory or time.
///
/// If make_milliseconds of the limits allows it, a table is made as in lasca_tb_best_move().
///
/// \param tables Tell the rules, and are used for positions that they cover. There need be none in the handle.
/// \param position The position.
/// \param limits What is to be found out, and what the search may use; NULL means the default limits: who
/// wins, as long as it takes.
/// \param result Receives what is proved.
/// \param moves A buffer of the caller for capacity moves; it may be NULL if capacity is 0. This, capacity
/// and count do not matter without find_moves.
/// \param capacity How many moves the buffer has room for.
/// \param count Receives the number of moves.
/// \param line A buffer of the caller for line_capacity moves; it may be NULL if line_capacity is 0. This,
/// line_capacity and line_count do not matter without find_line.
/// \param line_capacity How many moves the buffer has room for. Of a longer line, only the first moves are
/// written.
/// \param line_count Receives the number of moves of the line, also if not all are written.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BUFFER_TOO_SMALL and LASCA_TB_TOO_MANY_MOVES as
/// lasca_tb_legal_moves() does, before anything is searched; with LASCA_TB_BAD_ARGUMENT or LASCA_TB_NOT_A_POSITION
/// if the position is none; with LASCA_TB_NO_MEMORY if memory_bytes is too little to begin with; and with
/// LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if a table that covers the position cannot be used.
lasca_tb_status lasca_tb_solve(const struct lasca_tb *tables,
                               const struct lasca_tb_position *position,
                               const struct lasca_tb_limits *limits,
                               struct lasca_tb_searched *result,
                               struct lasca_tb_move *moves,
                               size_t capacity,
                               size_t *count,
                               struct lasca_tb_move *line,
                               size_t line_capacity,
                               size_t *line_count);

/// Finds the move to play in a position: by the tables if they cover it, and otherwise, or if they tell a
/// win without distances, by a search within the limits. A move that is proved to win is played first.
/// Where nothing is proved, a move that looks best is played; for this, a search has a quarter of its time.
/// In a lost position it is the longest defence that is known, and in a drawn one the move after which the
/// other side has the smallest share of right replies, where that is known.
///
/// If make_milliseconds of the limits allows it, the table that lasca_tb_plan() plans is made first, with as
/// much memory as the search may use. A position that has soldiers is searched. If the search has taken as long as
/// making the table would, and that is at most a quarter of its time, it makes the table and begins anew. If the table
/// cannot be made, the move is found without it.
///
/// \param tables As for lasca_tb_solve().
/// \param position The position.
/// \param before The positions that came before in the game, in any order; it may be NULL if before_count is 0. Where
/// nothing better is known, the move does not lead back to them.
/// \param before_count How many they are.
/// \param limits What a search may use; what it is to find does not matter. NULL means the default limits: until
/// all moves are proved, or the memory is full. If progress asks to stop, the move is the best so far.
/// \param best Receives the move, with what is proved of its value.
/// \return LASCA_TB_OK. Fails with LASCA_TB_GAME_OVER if there is no legal move, and as lasca_tb_solve() does.
lasca_tb_status lasca_tb_best_move(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   const struct lasca_tb_position *before,
                                   size_t before_count,
                                   const struct lasca_tb_limits *limits,
                                   struct lasca_tb_move *best);

/// Opens the tables in folders. If several folders hold the same table, one with
/// distances is used rather than one without. Of several such tables, the one that covers the most
/// columns is used, or the first of these. The files of a table are opened when it is first needed. To use
/// tables that have come or changed since, open a new handle.
///
/// \param folders The paths, as the system writes them (UTF-8 on Windows). They are copied. NULL is
/// allowed if there are none.
/// \param folder_count How many paths there are.
/// \param options NULL means the default options.
/// \param opened Receives the handle. It belongs to the caller, who must pass it to lasca_tb_free()
/// in the end.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT if an option is not one of the allowed
/// values, and with LASCA_TB_UNREADABLE if a folder cannot be read.
lasca_tb_status lasca_tb_open(const char *const *folders,
                              size_t folder_count,
                              const struct lasca_tb_options *options,
                              struct lasca_tb **opened);

/// Closes tables and frees their memory. No other thread may use them any more. If tables is NULL,
/// nothing happens.
///
/// \param tables The tables, or NULL.
void lasca_tb_free(struct lasca_tb *tables);

/// Tells what is known of positions with this many white and black counters, prisoners included.
/// Returns LASCA_TB_OK if the WDL file of their table is there and can be opened, so that win, draw
/// or loss is known. An engine can call this once for each material, and then probe only what is
/// there.
///
/// \param tables The open tables.
/// \param white The number of White's counters.
/// \param black The number of Black's counters.
/// \param max_columns Receives the greatest number of columns, both sides together, of the positions
/// that are covered: LASCA_TB_SQUARES if all are. No move makes the number of columns greater. It
/// may be NULL.
/// \param has_dtw Receives 1 if the DTW file is there too, so that distances and best moves are known,
/// and otherwise 0. It may be NULL, and then the DTW file does not matter.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if a side has
/// no counters; with LASCA_TB_NOT_COVERED if no folder has the table, or both sides together have more
/// than 22 counters; with LASCA_TB_OTHER_RULES if a folder has it, but only for other rules; and with
/// LASCA_TB_DAMAGED or LASCA_TB_UNREADABLE if a file that matters is damaged, holds another table than
/// its name says, or cannot be read.
lasca_tb_status lasca_tb_covers(const struct lasca_tb *tables,
                                uint8_t white,
                                uint8_t black,
                                uint8_t *max_columns,
                                uint8_t *has_dtw);

/// Decodes tables into memory. Every answer stays the same, but it comes several times as fast. A
/// value that the tables do not store, such as that of a capture, takes longer when it is first asked
/// for: it is then worked out, and kept in memory too. This is worth its time and memory for a program
/// that asks for many thousands of positions, such as an engine.
///
/// Win, draw or loss takes two bits for each position, up to the symmetries of the board: 87 MB for
/// all tables of up to eight counters. Distances take a byte more for each position: 348 MB for the
/// same tables. Loading these takes about half a second of processor time, and two with distances.
///
/// If there is a limit, the tables with the fewest positions come first, and of each table win,
/// draw or loss before distances. What does not fit is left out, and answered from the files as
/// before.
///
/// While a table is loaded, each byte of its file is checked against the file's checksums. Other
/// threads can use the handle meanwhile. The memory is freed with the handle. Tables that are
/// loaded already are not loaded again.
///
/// \param tables The open tables.
/// \param options NULL means the default options: win, draw or loss of all tables, without a limit.
/// \param loaded Receives what is loaded, also if a table cannot be loaded; it may be NULL.
/// \return LASCA_TB_OK. Fails as lasca_tb_covers() does, with LASCA_TB_NO_DISTANCES if distances are
/// wanted and a DTW file is missing, with LASCA_TB_NO_MEMORY, and with
/// LASCA_TB_INCONSISTENT, if any table cannot be loaded, or only its win, draw or loss. What
/// is not loaded is answered from the files as before, and all other tables are loaded.
lasca_tb_status lasca_tb_load(const struct lasca_tb *tables,
                              const struct lasca_tb_load_options *options,
                              struct lasca_tb_loaded *loaded);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LASCA_TB_H */
