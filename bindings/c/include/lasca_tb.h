/*
 * lasca_tb.h: endgame tablebases for Lasca, from C and whatever speaks to C.
 *
 * Generated from bindings/c/src by cbindgen; do not edit. bindings/c/README.md tells how to link.
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
 * Values are those of the side to move; distances (dtw) are in plies, one move of one side each.
 *
 * Files. A table is a WDL file (.ltbw), which tells win, draw or loss, and a DTW file (.ltbd) in
 * the same folder, which adds distances. The DTW file may be left out: lasca_tb_probe_wdl() and
 * lasca_tb_covers() do without it, and what needs distances (lasca_tb_probe_dtw(),
 * lasca_tb_moves(), lasca_tb_best_move(), lasca_tb_best_line(), lasca_tb_covers_dtw()) fails with
 * LASCA_TB_MISSING_DTW.
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
     The table for these counters is in none of the folders: its WDL file is not there.
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
     The game is over: there is no move.
     */
    LASCA_TB_GAME_OVER = 16,
    /*
     A mistake in the library itself. The call did nothing; the handle can still be used.
     */
    LASCA_TB_INTERNAL_ERROR = 17,
    /*
     The table for these counters is there with its WDL file alone: it tells win, draw or loss,
     and no distance.
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
 How tables are opened. 16 bytes: cache_bytes is at 0, rules at 8, access at 12.
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
 On an empty square both counts are 0, and the commander does not matter. 3 bytes: own is at 0,
 prisoners at 1, commander at 2.
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

 76 bytes: columns is at 0, side_to_move at 75.
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
 A value with its distance, for the side to move. 8 bytes: wdl is at 0, dtw at 4.
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
 A legal move with its value. 128 bytes: squares is at 0, square_count at 43, after at 44, value at
 120.
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
 used. A table's files are opened when it is first needed.

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
 Whether the win, draw or loss of positions of so many white and black counters, prisoners
 included, is covered: LASCA_TB_OK if their table is there and can be opened. An engine asks this
 once for each material, and then does not probe what is not there. Whether distances are covered
 too, lasca_tb_covers_dtw() tells.

 Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if a side has no counters, and with
 LASCA_TB_TOO_MANY_COUNTERS if both together have more than 12; with LASCA_TB_MISSING_TABLE if no
 folder has the table, and with LASCA_TB_OTHER_RULES if one has it under other rules only; and
 with LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE if a file of the table
 is another one than its name says, is damaged, or cannot be read.
 */
lasca_tb_status lasca_tb_covers(const struct lasca_tb *tables,
                                uint8_t white,
                                uint8_t black);

/*
 Whether distances and best moves of positions of so many white and black counters, prisoners
 included, are covered: LASCA_TB_OK if both files of their table are there and can be opened.

 Fails as lasca_tb_covers() does, and with LASCA_TB_MISSING_DTW if the table has no DTW file.
 */
lasca_tb_status lasca_tb_covers_dtw(const struct lasca_tb *tables,
                                    uint8_t white,
                                    uint8_t black);

/*
 Win, draw or loss of a position, for the side to move. It needs the table's WDL file only. A
 position in which a side commands no column is over, and won for the other; this needs no table,
 and is answered for as many as 22 counters.

 Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if side_to_move or a commander is no
 lasca_tb_color; with LASCA_TB_BAD_POSITION if the columns make no position; and, for the table of
 its counters, with LASCA_TB_TOO_MANY_COUNTERS, LASCA_TB_MISSING_TABLE, LASCA_TB_OTHER_RULES,
 LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE. wdl is written only if it
 does not fail.
 */
lasca_tb_status lasca_tb_probe_wdl(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   lasca_tb_wdl *wdl);

/*
 The value of a position with its distance, for the side to move. It needs both files of the
 table, WDL and DTW, unless a side commands no column.

 Fails as lasca_tb_probe_wdl() does, and with LASCA_TB_MISSING_DTW if the DTW file is not there.
 value is written only if it does not fail.
 */
lasca_tb_status lasca_tb_probe_dtw(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_value *value);

/*
 All legal moves with their values, best first: quick wins, slow wins, draws, slow losses, quick
 losses; moves of equal value in the order of their squares. None if the game is over. Moves need
 both files of the table, WDL and DTW, unless the game is over.

 moves: a buffer of the caller's for capacity moves; it may be NULL if capacity is 0. count: gets
 the number of moves. If that is more than capacity, the call fails with
 LASCA_TB_BUFFER_TOO_SMALL, and only count is written. There is no useful limit to the number
 of moves: ask with a buffer for 64, say, and once more if that was too small.

 Else fails as lasca_tb_probe_dtw() does.
 */
lasca_tb_status lasca_tb_moves(const struct lasca_tb *tables,
                               const struct lasca_tb_position *position,
                               struct lasca_tb_move *moves,
                               size_t capacity,
                               size_t *count);

/*
 The best move, the first one of lasca_tb_moves(): it wins soonest, or draws, or loses latest. It
 needs both files of the table, WDL and DTW.

 Fails with LASCA_TB_GAME_OVER if there is no move, or as lasca_tb_probe_dtw() does. best is
 written only if it does not fail.
 */
lasca_tb_status lasca_tb_best_move(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *best);

/*
 The line of best play: to the end of the game if a side wins, to the first repetition if it is
 a draw. Each move's value is counted from the position before that move. A game that is over
 has an empty line. A line needs both files of the table, WDL and DTW, unless a side commands no
 column.

 moves, capacity, count: as in lasca_tb_moves(); a line that wins or loses is as long as the dtw of
 the position.

 Fails as lasca_tb_moves() does, or with LASCA_TB_INCONSISTENT_TABLES if the line comes no nearer
 to its end.
 */
lasca_tb_status lasca_tb_best_line(const struct lasca_tb *tables,
                                   const struct lasca_tb_position *position,
                                   struct lasca_tb_move *moves,
                                   size_t capacity,
                                   size_t *count);

/*
 As lasca_tb_probe_wdl(), for a position given as text, such as "a1WWW b2BBB w".

 A game that is over, because a side commands no column, is answered whatever the columns are:
 with soldiers among them too, and columns that officers cannot reach.

 Fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_UTF8 or LASCA_TB_BAD_TEXT if the text is no
 position; with LASCA_TB_SOLDIER or LASCA_TB_UNREACHABLE_COLUMN if no table holds it; and, for the
 table of its counters, with LASCA_TB_TOO_MANY_COUNTERS, LASCA_TB_MISSING_TABLE,
 LASCA_TB_OTHER_RULES, LASCA_TB_WRONG_TABLE, LASCA_TB_DAMAGED_TABLE or LASCA_TB_UNREADABLE.
 */
lasca_tb_status lasca_tb_probe_wdl_text(const struct lasca_tb *tables,
                                        const char *text,
                                        lasca_tb_wdl *wdl);

/*
 As lasca_tb_probe_dtw(), for a position given as text.

 Fails as lasca_tb_probe_wdl_text() does, and with LASCA_TB_MISSING_DTW if the table's DTW file is
 not there.
 */
lasca_tb_status lasca_tb_probe_dtw_text(const struct lasca_tb *tables,
                                        const char *text,
                                        struct lasca_tb_value *value);

/*
 As lasca_tb_moves(), for a position given as text. A game that is over because a side commands no
 column has no moves, whatever the columns are.

 Fails with LASCA_TB_BUFFER_TOO_SMALL as lasca_tb_moves() does, or as lasca_tb_probe_dtw_text()
 does.
 */
lasca_tb_status lasca_tb_moves_text(const struct lasca_tb *tables,
                                    const char *text,
                                    struct lasca_tb_move *moves,
                                    size_t capacity,
                                    size_t *count);

/*
 As lasca_tb_best_move(), for a position given as text.

 Fails with LASCA_TB_GAME_OVER if there is no move, or as lasca_tb_probe_dtw_text() does.
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

 Else fails with LASCA_TB_NULL_POINTER; with LASCA_TB_BAD_ARGUMENT if side_to_move or a commander
 is no lasca_tb_color; or with LASCA_TB_BAD_POSITION if the columns make no position.
 */
lasca_tb_status lasca_tb_position_to_text(const struct lasca_tb_position *position,
                                          char *buffer,
                                          size_t size,
                                          size_t *needed);

/*
 Writes a move as text, such as "c3-d4" or "a1-b2BB-c3WWWB", with a final NUL.
 LASCA_TB_MOVE_TEXT_SIZE bytes are enough. Reads the fields squares, square_count and after; value
 is not looked at. buffer, size, needed: as in lasca_tb_position_to_text().

 Fails with LASCA_TB_BAD_ARGUMENT if the squares make no move, or as lasca_tb_position_to_text()
 does for the position after it.
 */
lasca_tb_status lasca_tb_move_to_text(const struct lasca_tb_move *played,
                                      char *buffer,
                                      size_t size,
                                      size_t *needed);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LASCA_TB_H */
