/*
 * lasca_tb.h: endgame tablebases for Lasca, for C and other languages that can call C.
 *
 * This file is generated from bindings/c/src by cbindgen; do not edit it. bindings/c/README.md
 * shows how to link the library.
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
 * lasca_tb_best_line() and lasca_tb_covers_dtw().
 *
 * Ownership. The handle from lasca_tb_open() belongs to the caller, until it is passed to
 * lasca_tb_free(). The library uses the caller's memory only during a call, and never keeps or
 * frees it. Texts that functions return belong to the library; do not free them.
 *
 * Pointers. NULL is an error (LASCA_TB_NULL_POINTER) unless the comment of the function allows it.
 * Every other pointer must be aligned and point to a value of its type. No other thread may use
 * memory that a call writes to. Texts must end with NUL, and buffers must be as large as their
 * size says. A handle must come from lasca_tb_open() and must not have been freed. A call that
 * fails writes no results, except for the size that a buffer needs.
 *
 * Threads. Any number of threads can use a handle at once. Only lasca_tb_free() needs it alone.
 * Each thread has its own last error.
 *
 * Errors. Functions return a lasca_tb_status. A Rust panic never leaves a function; it becomes
 * LASCA_TB_INTERNAL_ERROR. The library prints nothing, except that Rust itself writes a message to
 * standard error if there is a panic.
 */

#ifndef LASCA_TB_H
#define LASCA_TB_H

#include <stddef.h>
#include <stdint.h>

/*
 The version of the interface in this header. It grows with every change after which programs must
 be compiled again. lasca_tb_abi_version() returns the version that the library has.
 */
#define LASCA_TB_ABI_VERSION 1

/*
 The number of squares on the board.
 */
#define LASCA_TB_SQUARES 25

/*
 The greatest number of squares in a move: 22 counters allow at most 21 jumps.
 */
#define LASCA_TB_MOVE_SQUARES 43

/*
 A buffer of this many bytes holds any position as text, with the NUL at the end.
 */
#define LASCA_TB_POSITION_TEXT_SIZE 96

/*
 A buffer of this many bytes holds any move as text, with the NUL at the end.
 */
#define LASCA_TB_MOVE_TEXT_SIZE 160

/*
 The dtw of a draw.
 */
#define LASCA_TB_NO_DTW -1

/*
 The result of a call. Every function that can fail returns one of these, and
 lasca_tb_last_error() then describes the error.
 */
enum lasca_tb_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     The call succeeded, and all results are written.
     */
    LASCA_TB_OK = 0,
    /*
     A pointer is NULL but must not be.
     */
    LASCA_TB_NULL_POINTER = 1,
    /*
     A text is not UTF-8.
     */
    LASCA_TB_BAD_UTF8 = 2,
    /*
     An argument is not one of the allowed values: a rule set, a way of access, a colour or a
     square. Or there is no folder, or the squares are not those of a move.
     */
    LASCA_TB_BAD_ARGUMENT = 3,
    /*
     The buffer is too small. The size that is needed is written.
     */
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    /*
     The text is not a position.
     */
    LASCA_TB_BAD_TEXT = 5,
    /*
     The columns are not a position: a column has prisoners but no commander, or the board has no
     counters or more than 22.
     */
    LASCA_TB_BAD_POSITION = 6,
    /*
     There is a soldier on the board. The tables cover only officers.
     */
    LASCA_TB_SOLDIER = 7,
    /*
     A column cannot arise when only officers play, so no table covers it. Columns of officers
     always are some counters of the owner over some counters of the other side.
     */
    LASCA_TB_UNREACHABLE_COLUMN = 8,
    /*
     There are more counters on the board than any table covers.
     */
    LASCA_TB_TOO_MANY_COUNTERS = 9,
    /*
     The table for these counters is in none of the folders: its WDL file is missing.
     */
    LASCA_TB_MISSING_TABLE = 10,
    /*
     There is a table for these counters, but only for other rules.
     */
    LASCA_TB_OTHER_RULES = 11,
    /*
     A file holds another table than its name says.
     */
    LASCA_TB_WRONG_TABLE = 12,
    /*
     A file of a table is damaged.
     */
    LASCA_TB_DAMAGED_TABLE = 13,
    /*
     A folder, or a file of a table, cannot be read.
     */
    LASCA_TB_UNREADABLE = 14,
    /*
     The tables contradict themselves.
     */
    LASCA_TB_INCONSISTENT_TABLES = 15,
    /*
     The game is over, so there is no move.
     */
    LASCA_TB_GAME_OVER = 16,
    /*
     There is a bug in the library. The call did nothing, and the handle can still be used.
     */
    LASCA_TB_INTERNAL_ERROR = 17,
    /*
     The DTW file of the table is missing. Win, draw or loss is known, but no distance.
     */
    LASCA_TB_MISSING_DTW = 18,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_status lasca_tb_status;
#else
typedef int32_t lasca_tb_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Win, draw or loss for the side to move. Negated, it is the result for the other side.
 */
enum lasca_tb_wdl
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     The side to move loses.
     */
    LASCA_TB_LOSS = -1,
    /*
     Neither side can force a win.
     */
    LASCA_TB_DRAW = 0,
    /*
     The side to move wins.
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

/*
 A rule set. The rule sets differ in how a capture goes on.
 */
enum lasca_tb_rules
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     A capture goes on as long as possible, but jumps no square twice (Lasker, 1911).
     */
    LASCA_TB_RULES_LASCA = 0,
    /*
     A capture is a single jump (Bignor Ludus).
     */
    LASCA_TB_RULES_BIGNOR = 1,
    /*
     A capture goes on as long as possible, and may jump a square again (Ludii).
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

/*
 How files of tables are read.
 */
enum lasca_tb_access
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     Files are mapped into memory. They open quickly, and programs share the memory. The files must
     not be changed or truncated while they are open, or a signal may end the process.
     */
    LASCA_TB_MAPPED = 0,
    /*
     Each file is read into memory when it is first needed. Later changes to the file do no harm.
     */
    LASCA_TB_IN_MEMORY = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_access lasca_tb_access;
#else
typedef int32_t lasca_tb_access;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 One of the two sides.
 */
enum lasca_tb_color
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     The side that starts, and moves up the board.
     */
    LASCA_TB_WHITE = 0,
    /*
     The side that moves down the board.
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

/*
 The open tables of one or more folders, for one rule set. Programs see only pointers to it.
 */
typedef struct lasca_tb lasca_tb;

/*
 How tables are opened. 16 bytes: cache_bytes is at 0, rules at 8, access at 12.
 */
typedef struct lasca_tb_options {
    /*
     The size limit of the cache of decoded blocks in bytes, for all threads together.
     */
    uint64_t cache_bytes;
    /*
     The rule set: a lasca_tb_rules.
     */
    int32_t rules;
    /*
     How files are read: a lasca_tb_access.
     */
    int32_t access;
} lasca_tb_options;

/*
 The column on one square: officers of the commander's colour over officers of the other colour. On
 an empty square both counts are 0, and the commander does not matter. 3 bytes: own is at 0,
 prisoners at 1, commander at 2.
 */
typedef struct lasca_tb_column {
    /*
     How many counters have the commander's colour, the commander included.
     */
    uint8_t own;
    /*
     How many counters of the other colour are beneath them.
     */
    uint8_t prisoners;
    /*
     The commander's colour: a lasca_tb_color.
     */
    uint8_t commander;
} lasca_tb_column;

/*
 A position of officers. Square i (0 to 24) has the number i + 1 in Lasker's numbering:

     7   21    22    23    24        a7    c7    e7    g7
     6      18    19    20              b6    d6    f6
     5   14    15    16    17        a5    c5    e5    g5
     4      11    12    13              b4    d4    f4
     3    7     8     9    10        a3    c3    e3    g3
     2       4     5     6              b2    d2    f2
     1    0     1     2     3        a1    c1    e1    g1

 On file x (a = 0) and rank y (rank 1 = 0), i = (7 * y + x) / 2.

 76 bytes: columns is at 0, side_to_move at 75.
 */
typedef struct lasca_tb_position {
    /*
     The column on each square.
     */
    struct lasca_tb_column columns[LASCA_TB_SQUARES];
    /*
     The side to move: a lasca_tb_color.
     */
    uint8_t side_to_move;
} lasca_tb_position;

/*
 A value with its distance, for the side to move. 8 bytes: wdl is at 0, dtw at 4.
 */
typedef struct lasca_tb_value {
    /*
     Win, draw or loss: a lasca_tb_wdl.
     */
    int32_t wdl;
    /*
     The number of plies until the loser cannot move, if the winner takes the shortest way and the
     loser the longest; LASCA_TB_NO_DTW for a draw.
     */
    int32_t dtw;
} lasca_tb_value;

/*
 A legal move with its value. 128 bytes: squares is at 0, square_count at 43, after at 44, value at
 120.
 */
typedef struct lasca_tb_move {
    /*
     The squares of the move. A quiet move has the squares from and to. A capture has the square
     from, and then for each jump the square that is jumped and the square of landing.
     */
    uint8_t squares[LASCA_TB_MOVE_SQUARES];
    /*
     How many squares there are: 2 for a quiet move, and an odd number from 3 on for a capture. The
     rest of squares is 0.
     */
    uint8_t square_count;
    /*
     The position after the move.
     */
    struct lasca_tb_position after;
    /*
     The value for the side that makes the move. The distance counts from the position before it.
     */
    struct lasca_tb_value value;
} lasca_tb_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the version of the library's interface. A program should compare it with the
 LASCA_TB_ABI_VERSION that it was compiled with.
 */
uint32_t lasca_tb_abi_version(void);

/*
 Returns the version of the library as text, such as "1.2.3". The text lives as long as the library.
 */
const char *lasca_tb_version(void);

/*
 Returns a short description of a lasca_tb_status, or "an unknown status" for any other number. The
 text lives as long as the library.
 */
const char *lasca_tb_status_message(int32_t status);

/*
 Returns the error of the last call that failed in this thread: what was expected, what was found,
 and where. The text is empty if no call has failed. Calls that succeed do not change it. It is
 UTF-8, and the pointer is never NULL.

 The text belongs to the library. It lives until another call fails in this thread, or until the
 thread ends.
 */
const char *lasca_tb_last_error(void);

/*
 Returns the default options: a cache of 64 MiB, the rules of Lasker, and memory-mapped files.
 */
struct lasca_tb_options lasca_tb_default_options(void);

/*
 Opens the tables in one or more folders. If two folders hold the same table, the table in the first
 of them is used. The files of a table are opened when it is first needed.

 folders: folder_count paths, at least one, as the system writes them (UTF-8 on Windows). They
 are copied. options: NULL means the default options. opened: receives the handle. It belongs to
 the caller, who must pass it to lasca_tb_free() in the end.

 Fails with LASCA_TB_BAD_ARGUMENT if there is no folder or an option is not one of the allowed
 values, and with LASCA_TB_UNREADABLE if a folder cannot be read.
 */
lasca_tb_status lasca_tb_open(const char *const *folders,
                              size_t folder_count,
                              const struct lasca_tb_options *options,
                              struct lasca_tb **opened);

/*
 Closes tables and frees their memory. No other thread may use them any more. If tables is NULL,
 nothing happens.
 */
void lasca_tb_free(struct lasca_tb *tables);

/*
 Checks whether win, draw or loss is known for positions with this many white and black counters,
 prisoners included. Returns LASCA_TB_OK if the WDL file of their table is there and can be opened.
 The DTW file does not matter; lasca_tb_covers_dtw() checks whether distances are known as well. An
 engine can call this once for each material, and then probe only what is there.

 Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if a side has no counters; with
 LASCA_TB_TOO_MANY_COUNTERS if both sides together have more than 12; with LASCA_TB_MISSING_TABLE
 if no folder has the table; with LASCA_TB_OTHER_RULES if a folder has it, but only for other
 rules; and with LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if the WDL
 file holds another table than its name says, is damaged, or cannot be read.
 */
lasca_tb_status lasca_tb_covers(const struct lasca_tb *tables,
                                uint8_t white,
                                uint8_t black);

/*
 Checks whether distances and best moves are known for positions with this many white and black
 counters, prisoners included. Returns LASCA_TB_OK if both files of their table are there and can be
 opened.

 Fails as lasca_tb_covers() does, for either file; and with LASCA_TB_MISSING_DTW if the DTW file is
 missing.
 */
lasca_tb_status lasca_tb_covers_dtw(const struct lasca_tb *tables,
                                    uint8_t white,
                                    uint8_t black);

/*
 Looks up win, draw or loss of a position, for the side to move. This needs only the WDL file of the
 table. A position in which a side commands no column is over, and the other side has won. It needs
 no table, and may have up to 22 counters.

 Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if side_to_move or a commander is not
 a lasca_tb_color; with LASCA_TB_BAD_POSITION if the columns are not a position; and with
 LASCA_TB_TOO_MANY_COUNTERS, LASCA_TB_MISSING_TABLE, LASCA_TB_OTHER_RULES, LASCA_TB_WRONG_TABLE,
 LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE as lasca_tb_covers() does. wdl is written only if
 the call succeeds.
 */
lasca_tb_status lasca_tb_probe_wdl(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   lasca_tb_wdl *wdl);

/*
 Looks up the value of a position with its distance, for the side to move. This needs both files of
 the table, WDL and DTW, unless a side commands no column.

 Fails as lasca_tb_probe_wdl() does; with LASCA_TB_MISSING_DTW if the DTW file is missing; and with
 LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if it is damaged or cannot be read. value is written
 only if the call succeeds.
 */
lasca_tb_status lasca_tb_probe_dtw(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_value *value);

/*
 Lists all legal moves with their values, best first: quick wins, slow wins, draws, slow losses,
 quick losses. Moves of equal value are in the order of their squares. The list is empty if the game
 is over. Otherwise this needs both files of the table, WDL and DTW.

 moves: a buffer of the caller for capacity moves; it may be NULL if capacity is 0. count: receives
 the number of moves. If there are more than capacity, the call fails with
 LASCA_TB_BUFFER_TOO_SMALL, and writes only count. The number of moves has no useful limit: call
 with a buffer for 64 moves, for example, and again with a larger one if that was too small.

 Otherwise fails as lasca_tb_probe_dtw() does.
 */
lasca_tb_status lasca_tb_moves(const struct lasca_tb *tables,
                               const struct lasca_tb_position *position,
                               struct lasca_tb_move *moves,
                               size_t capacity,
                               size_t *count);

/*
 Finds the best move: it wins soonest, or draws, or loses latest. It is the first move that
 lasca_tb_moves() lists. This needs both files of the table, WDL and DTW.

 Fails with LASCA_TB_GAME_OVER if there is no move, and otherwise as lasca_tb_probe_dtw() does.
 best is written only if the call succeeds.
 */
lasca_tb_status lasca_tb_best_move(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *best);

/*
 Lists the moves of best play: to the end of the game if a side wins, and to the first repetition if
 the position is drawn. The distance of each move counts from the position before that move. The
 list is empty if the game is over. This needs both files of the table, WDL and DTW, unless a side
 commands no column.

 moves, capacity, count: as in lasca_tb_moves(). If a side wins, the number of moves is the dtw of
 the position.

 Fails as lasca_tb_moves() does, and with LASCA_TB_INCONSISTENT_TABLES if the winning side makes no
 progress.
 */
lasca_tb_status lasca_tb_best_line(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *moves,
                                   size_t capacity,
                                   size_t *count);

/*
 Does the same as lasca_tb_probe_wdl(), for a position as text, such as "a1WWW b2BBB w".

 If the game is over because a side commands no column, the columns may be of any kind. They may
 have soldiers, and they may be columns that officers cannot build.

 Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_UTF8 or LASCA_TB_BAD_TEXT if the text is not a
 position; with LASCA_TB_SOLDIER or LASCA_TB_UNREACHABLE_COLUMN if no table covers it; and with
 LASCA_TB_TOO_MANY_COUNTERS, LASCA_TB_MISSING_TABLE, LASCA_TB_OTHER_RULES, LASCA_TB_WRONG_TABLE,
 LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE as lasca_tb_covers() does.
 */
lasca_tb_status lasca_tb_probe_wdl_text(const struct lasca_tb *tables,
                                        const char *text,
                                        lasca_tb_wdl *wdl);

/*
 Does the same as lasca_tb_probe_dtw(), for a position as text.

 Fails as lasca_tb_probe_wdl_text() does, and with LASCA_TB_MISSING_DTW if the DTW file of the table
 is missing.
 */
lasca_tb_status lasca_tb_probe_dtw_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_value *value);

/*
 Does the same as lasca_tb_moves(), for a position as text. If the game is over because a side
 commands no column, the list is empty, and the columns may be of any kind.

 Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, and otherwise as
 lasca_tb_probe_dtw_text() does.
 */
lasca_tb_status lasca_tb_moves_text(const struct lasca_tb *tables,
                                    const char *text,
                                    struct lasca_tb_move *moves,
                                    size_t capacity,
                                    size_t *count);

/*
 Does the same as lasca_tb_best_move(), for a position as text.

 Fails with LASCA_TB_GAME_OVER if there is no move, and otherwise as lasca_tb_probe_dtw_text() does.
 */
lasca_tb_status lasca_tb_best_move_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_move *best);

/*
 Reads a position of officers from text. The text has the columns and then the side to move, as in
 "a1WWW b2BBB w", or the squares row by row from row 7 down. This needs no tables.

 Fails with LASCA_TB_NULL_POINTER, LASCA_TB_BAD_UTF8, LASCA_TB_BAD_TEXT, LASCA_TB_SOLDIER or
 LASCA_TB_UNREACHABLE_COLUMN. position is written only if the call succeeds.
 */
lasca_tb_status lasca_tb_position_from_text(const char *text,
                                            struct lasca_tb_position *position);

/*
 Writes a position as text that ends with NUL. LASCA_TB_POSITION_TEXT_SIZE bytes are always enough.

 buffer: a buffer of the caller with size bytes; it may be NULL if size is 0. needed: receives the
 number of bytes that the text needs, with its NUL; it may be NULL. If the text needs more than
 size bytes, the call fails with LASCA_TB_BUFFER_TOO_SMALL, and writes only needed.

 Otherwise fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if side_to_move or a
 commander is not a lasca_tb_color; or with LASCA_TB_BAD_POSITION if the columns are not a position.
 */
lasca_tb_status lasca_tb_position_to_text(const struct lasca_tb_position *position,
                                          char *buffer,
                                          size_t size,
                                          size_t *needed);

/*
 Writes a move as text that ends with NUL, such as "c3-d4" or "a1-b2BB-c3WWWB".
 LASCA_TB_MOVE_TEXT_SIZE bytes are always enough. The function reads the fields squares,
 square_count and after, but not value. buffer, size, needed: as in lasca_tb_position_to_text().

 Fails with LASCA_TB_BAD_ARGUMENT if the squares are not those of a move, and otherwise as
 lasca_tb_position_to_text() does for the position after the move.
 */
lasca_tb_status lasca_tb_move_to_text(const struct lasca_tb_move *played,
                                      char *buffer,
                                      size_t size,
                                      size_t *needed);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LASCA_TB_H */
