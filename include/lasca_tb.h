/*
 * lasca_tb.h: endgame tablebases for Lasca, from C and whatever speaks to C.
 *
 * Generated from tools/c/src by cbindgen; do not edit. tools/c/README.md tells how to link.
 *
 *     lasca_tb *tables = NULL;
 *     const char *folders[] = {"tables"};
 *     lasca_tb_value value;
 *     if (lasca_tb_open(folders, 1, NULL, &tables) == LASCA_TB_OK &&
 *         lasca_tb_probe_dtw_text(tables, "a1WWW b2BBB w", &value) == LASCA_TB_OK)
 *         printf("%d in %d plies\\n", (int)value.wdl, (int)value.dtw);
 *     else
 *         fprintf(stderr, "%s\\n", lasca_tb_last_error());
 *     lasca_tb_free(tables);
 *
 * Values are those of the side to move; distances (dtw) are in plies, one move of one side each.
 *
 * Who owns what. The handle that lasca_tb_open() gives belongs to the caller, until it is given
 * to lasca_tb_free(). All other memory stays with whom it came from: what the caller passes is
 * read, or written to, during the call only, and never kept or freed; the texts that functions
 * return belong to the library, and are never to be freed.
 *
 * Pointers. NULL is an error (LASCA_TB_NULL_POINTER) wherever the comment does not allow it. Every
 * other pointer must be to what its type says, aligned, and be left alone by other threads during
 * the call if it is written to; a text must end with NUL; a buffer must be as large as its size
 * says; a handle must come from lasca_tb_open() and not have been freed. Nothing is written to the
 * places for results of a call that fails, but for the size that a buffer needs.
 *
 * Threads. One handle can be used by any number of threads at once; only lasca_tb_free() must have
 * it for itself. The last error is each thread's own.
 *
 * Failures. Functions return a lasca_tb_status, and no Rust panic leaves them: that would be
 * LASCA_TB_INTERNAL_ERROR. Nothing is printed, but for the message that Rust itself writes to
 * standard error should there be a panic.
 */

#ifndef LASCA_TB_H
#define LASCA_TB_H

#include <stddef.h>
#include <stdint.h>

/*
 The version of the interface that this header describes. It grows when a program would have to
 be compiled again; lasca_tb_abi_version() tells that of the library at hand.
 */
#define LASCA_TB_ABI_VERSION 1

/*
 How many squares the board has.
 */
#define LASCA_TB_SQUARES 25

/*
 The most squares that a move names: 21 jumps take the last of 22 counters.
 */
#define LASCA_TB_MOVE_SQUARES 43

/*
 Bytes that hold any position as text, the final NUL included.
 */
#define LASCA_TB_POSITION_TEXT_SIZE 96

/*
 Bytes that hold any move as text, the final NUL included.
 */
#define LASCA_TB_MOVE_TEXT_SIZE 160

/*
 The dtw of a draw.
 */
#define LASCA_TB_NO_DTW -1

/*
 What a call came to. Every function that can fail returns one of these; lasca_tb_last_error()
 tells more.
 */
enum lasca_tb_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     Done, and all that was asked for is written.
     */
    LASCA_TB_OK = 0,
    /*
     A pointer is NULL that must not be.
     */
    LASCA_TB_NULL_POINTER = 1,
    /*
     A text is not UTF-8.
     */
    LASCA_TB_BAD_UTF8 = 2,
    /*
     A number stands for nothing: a rule set, a way of access, a colour, a square; or no folder
     is given, or squares that make no move.
     */
    LASCA_TB_BAD_ARGUMENT = 3,
    /*
     The buffer is too small; how much is needed is written.
     */
    LASCA_TB_BUFFER_TOO_SMALL = 4,
    /*
     The text is not a position.
     */
    LASCA_TB_BAD_TEXT = 5,
    /*
     The columns make no position: there are prisoners without a commander, no counters at all,
     or more than 22.
     */
    LASCA_TB_BAD_POSITION = 6,
    /*
     A soldier is on the board; the tables hold officers only.
     */
    LASCA_TB_SOLDIER = 7,
    /*
     A column is not its owner's counters over the other side's; no play with officers only
     reaches it, and no table holds it.
     */
    LASCA_TB_UNREACHABLE_COLUMN = 8,
    /*
     There are more counters than any table covers.
     */
    LASCA_TB_TOO_MANY_COUNTERS = 9,
    /*
     The table for these counters is in none of the folders.
     */
    LASCA_TB_MISSING_TABLE = 10,
    /*
     There is a table for these counters, but under other rules.
     */
    LASCA_TB_OTHER_RULES = 11,
    /*
     A file holds another table than its name says.
     */
    LASCA_TB_WRONG_TABLE = 12,
    /*
     A table is damaged.
     */
    LASCA_TB_DAMAGED_TABLE = 13,
    /*
     A folder or a file cannot be read.
     */
    LASCA_TB_UNREADABLE = 14,
    /*
     The tables contradict themselves.
     */
    LASCA_TB_INCONSISTENT_TABLES = 15,
    /*
     The game is over: there is no move.
     */
    LASCA_TB_GAME_OVER = 16,
    /*
     A mistake in the library itself. The call did nothing; the handle can still be used.
     */
    LASCA_TB_INTERNAL_ERROR = 17,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum lasca_tb_status lasca_tb_status;
#else
typedef int32_t lasca_tb_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/*
 Win, draw or loss, for the side to move. Its negation is the other side's view.
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
 A rule set: how a take goes on.
 */
enum lasca_tb_rules
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     To its end; no square is jumped twice in one move (Lasker, 1911).
     */
    LASCA_TB_RULES_LASCA = 0,
    /*
     Not at all: a take is a single jump (Bignor Ludus).
     */
    LASCA_TB_RULES_BIGNOR = 1,
    /*
     To its end; squares may be jumped again (Ludii).
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
 How the files of tables are read.
 */
enum lasca_tb_access
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /*
     Memory-mapped: quick to open, and shared between programs. The files must not be written to
     or cut short while they are open, or the process may be ended by a signal.
     */
    LASCA_TB_MAPPED = 0,
    /*
     Read into memory as a whole when first needed; whatever then happens to the file, the
     answers stay right.
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
 The open tables of some folders under one rule set. What is in it is the library's affair.
 */
typedef struct lasca_tb lasca_tb;

/*
 How tables are opened.
 */
typedef struct lasca_tb_options {
    /*
     The most bytes of decoded blocks that are kept, for all threads together.
     */
    uint64_t cache_bytes;
    /*
     The rule set, a lasca_tb_rules.
     */
    int32_t rules;
    /*
     How files are read, a lasca_tb_access.
     */
    int32_t access;
} lasca_tb_options;

/*
 What stands on one square: officers of the commander's colour over officers of the other one.
 On an empty square both counts are 0, and the commander does not matter.
 */
typedef struct lasca_tb_column {
    /*
     The counters of the commander's colour, the commander included.
     */
    uint8_t own;
    /*
     The counters of the other colour beneath them.
     */
    uint8_t prisoners;
    /*
     The commander's colour, a lasca_tb_color.
     */
    uint8_t commander;
} lasca_tb_column;

/*
 A position of officers. Square i (0 to 24) is the one with the number i + 1 in Lasker's count:

     7   21    22    23    24        a7    c7    e7    g7
     6      18    19    20              b6    d6    f6
     5   14    15    16    17        a5    c5    e5    g5
     4      11    12    13              b4    d4    f4
     3    7     8     9    10        a3    c3    e3    g3
     2       4     5     6              b2    d2    f2
     1    0     1     2     3        a1    c1    e1    g1

 In column x (a = 0) and row y (row 1 = 0), i = (7 * y + x) / 2.
 */
typedef struct lasca_tb_position {
    /*
     What stands on each square.
     */
    struct lasca_tb_column columns[LASCA_TB_SQUARES];
    /*
     The side to move, a lasca_tb_color.
     */
    uint8_t side_to_move;
} lasca_tb_position;

/*
 A value with its distance, for the side to move.
 */
typedef struct lasca_tb_value {
    /*
     Win, draw or loss, a lasca_tb_wdl.
     */
    int32_t wdl;
    /*
     Plies until the loser cannot move, the winner playing for the shortest way and the loser
     for the longest; LASCA_TB_NO_DTW for a draw.
     */
    int32_t dtw;
} lasca_tb_value;

/*
 A legal move with its value.
 */
typedef struct lasca_tb_move {
    /*
     The squares that the move names: from and to; or, for a take, the start and then, for each
     jump, the square that is jumped and the one landed on.
     */
    uint8_t squares[LASCA_TB_MOVE_SQUARES];
    /*
     How many squares there are: 2, or an odd number from 3 on for a take. The others are 0.
     */
    uint8_t square_count;
    /*
     The position that the move leads to.
     */
    struct lasca_tb_position after;
    /*
     What the move is worth to the side that makes it, counted from the position before it.
     */
    struct lasca_tb_value value;
} lasca_tb_move;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 The version of the interface that the library has. A program should compare it with the
 LASCA_TB_ABI_VERSION that it was compiled with.
 */
uint32_t lasca_tb_abi_version(void);

/*
 The version of the library, such as "0.1.0". The text lives as long as the library.
 */
const char *lasca_tb_version(void);

/*
 A few words for a lasca_tb_status; other numbers give "an unknown status". The text lives as
 long as the library.
 */
const char *lasca_tb_status_message(int32_t status);

/*
 What was wrong when a function last failed in this thread: what was expected, what was found,
 and where. Empty if none has failed; a call that succeeds leaves it alone. UTF-8, never NULL.

 The text belongs to the library, and lives until a function fails in this thread again, or the
 thread ends.
 */
const char *lasca_tb_last_error(void);

/*
 The default options: 64 MiB of decoded blocks, the rules of Lasker, memory-mapped files.
 */
struct lasca_tb_options lasca_tb_default_options(void);

/*
 Opens the tables in some folders. Where two folders hold the same table, the first one's is
 used. A table's file is opened when it is first needed.

 folders: folder_count paths, at least one, as the system writes them (UTF-8 on Windows). They
 are copied. options: NULL stands for the default ones. opened: gets the handle, which belongs to
 the caller, who gives it back with lasca_tb_free().

 Fails with LASCA_TB_BAD_ARGUMENT if there is no folder or an option stands for nothing, and with
 LASCA_TB_UNREADABLE if a folder cannot be read.
 */
lasca_tb_status lasca_tb_open(const char *const *folders,
                              size_t folder_count,
                              const struct lasca_tb_options *options,
                              struct lasca_tb **opened);

/*
 Closes tables, and frees all that belongs to them. No other thread may be using them any more.
 NULL is passed over.
 */
void lasca_tb_free(struct lasca_tb *tables);

/*
 Whether positions of so many white and black counters, prisoners included, are covered:
 LASCA_TB_OK if their table is there and can be opened, else what is wrong, such as
 LASCA_TB_MISSING_TABLE. An engine asks this once for each material, and then does not probe what
 is not there.
 */
lasca_tb_status lasca_tb_covers(const struct lasca_tb *tables,
                                uint8_t white,
                                uint8_t black);

/*
 Win, draw or loss of a position, for the side to move. A position in which a side commands no
 column is over, and won for the other; this needs no table.

 Fails with LASCA_TB_BAD_POSITION, LASCA_TB_BAD_ARGUMENT, LASCA_TB_TOO_MANY_COUNTERS, or as
 lasca_tb_covers() does. wdl is written only if it does not fail.
 */
lasca_tb_status lasca_tb_probe_wdl(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   lasca_tb_wdl *wdl);

/*
 The value of a position with its distance, for the side to move. Fails as lasca_tb_probe_wdl()
 does.
 */
lasca_tb_status lasca_tb_probe_dtw(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_value *value);

/*
 All legal moves with their values, best first: quick wins, slow wins, draws, slow losses, quick
 losses; moves of equal value in the order of their squares. None if the game is over.

 moves: a buffer of the caller's for capacity moves; it may be NULL if capacity is 0. count: gets
 the number of moves. If that is more than capacity, the call fails with
 LASCA_TB_BUFFER_TOO_SMALL, and only count is written. There is no useful limit to the number
 of moves: ask with a buffer for 64, say, and once more if that was too small.

 Else fails as lasca_tb_probe_wdl() does.
 */
lasca_tb_status lasca_tb_moves(const struct lasca_tb *tables,
                               const struct lasca_tb_position *position,
                               struct lasca_tb_move *moves,
                               size_t capacity,
                               size_t *count);

/*
 The best move, the first one of lasca_tb_moves(): it wins soonest, or draws, or loses latest.

 Fails with LASCA_TB_GAME_OVER if there is no move, or as lasca_tb_probe_wdl() does.
 */
lasca_tb_status lasca_tb_best_move(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *best);

/*
 The line of best play: to the end of the game if a side wins, to the first repetition if it is
 a draw. Each move's value is counted from the position before that move. A game that is over
 has an empty line.

 moves, capacity, count: as in lasca_tb_moves(); a line is as long as the dtw of the position.

 Fails as lasca_tb_moves() does, or with LASCA_TB_INCONSISTENT_TABLES.
 */
lasca_tb_status lasca_tb_best_line(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *moves,
                                   size_t capacity,
                                   size_t *count);

/*
 As lasca_tb_probe_wdl(), for a position given as text, such as "a1WWW b2BBB w".

 Fails besides with LASCA_TB_BAD_UTF8, LASCA_TB_BAD_TEXT, LASCA_TB_SOLDIER or
 LASCA_TB_UNREACHABLE_COLUMN.
 */
lasca_tb_status lasca_tb_probe_wdl_text(const struct lasca_tb *tables,
                                        const char *text,
                                        lasca_tb_wdl *wdl);

/*
 As lasca_tb_probe_dtw(), for a position given as text. Fails as lasca_tb_probe_wdl_text() does.
 */
lasca_tb_status lasca_tb_probe_dtw_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_value *value);

/*
 As lasca_tb_moves(), for a position given as text. Fails besides as lasca_tb_probe_wdl_text()
 does.
 */
lasca_tb_status lasca_tb_moves_text(const struct lasca_tb *tables,
                                    const char *text,
                                    struct lasca_tb_move *moves,
                                    size_t capacity,
                                    size_t *count);

/*
 As lasca_tb_best_move(), for a position given as text. Fails besides as
 lasca_tb_probe_wdl_text() does.
 */
lasca_tb_status lasca_tb_best_move_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_move *best);

/*
 Reads a position of officers from text: columns and side to move, as in "a1WWW b2BBB w", or row
 by row from row 7 down. Needs no tables.

 Fails with LASCA_TB_BAD_UTF8, LASCA_TB_BAD_TEXT, LASCA_TB_SOLDIER or
 LASCA_TB_UNREACHABLE_COLUMN; position is written only if it does not fail.
 */
lasca_tb_status lasca_tb_position_from_text(const char *text,
                                            struct lasca_tb_position *position);

/*
 Writes a position as text, with a final NUL. LASCA_TB_POSITION_TEXT_SIZE bytes are enough.

 buffer: the caller's, of size bytes; it may be NULL if size is 0. needed: gets the bytes that
 the text takes, its NUL included; it may be NULL. If that is more than size, the call fails with
 LASCA_TB_BUFFER_TOO_SMALL, and only needed is written.
 */
lasca_tb_status lasca_tb_position_to_text(const struct lasca_tb_position *position,
                                          char *buffer,
                                          size_t size,
                                          size_t *needed);

/*
 Writes a move as text, such as "c3-d4" or "a1-b2BB-c3WWWB", with a final NUL.
 LASCA_TB_MOVE_TEXT_SIZE bytes are enough. buffer, size, needed: as in
 lasca_tb_position_to_text().

 Fails with LASCA_TB_BAD_ARGUMENT if the squares make no move, or as lasca_tb_position_to_text()
 does.
 */
lasca_tb_status lasca_tb_move_to_text(const struct lasca_tb_move *played,
                                      char *buffer,
                                      size_t size,
                                      size_t *needed);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LASCA_TB_H */
