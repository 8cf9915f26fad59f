/* The rules of Lasca, soldiers included: positions, moves, and their count. */

#ifndef LASCA_H
#define LASCA_H

#include <stddef.h>
#include <stdint.h>

enum { SQUARES = 25, MAX_COUNTERS = 22, MAX_MOVE_SQUARES = 2 * MAX_COUNTERS - 1 };

/* The sides; the other one is 1 - side. White moves up the board. */
enum { WHITE, BLACK };

/* How a take goes on; numbered as lasca_tb_rules. */
enum rules { RULES_LASCA, RULES_BIGNOR, RULES_REJUMP };

/*
 * What stands on a square. Bit i of the masks is the counter i places below the top; the bits from
 * height on are 0. The top counter commands.
 */
struct column {
    uint32_t height;
    uint32_t black;
    uint32_t officers;
};

/*
 * A position. Squares are numbered row by row from a1 (0), as in lasca_tb.h:
 *
 *     7   21    22    23    24
 *     6      18    19    20
 *     5   14    15    16    17
 *     4      11    12    13
 *     3    7     8     9    10
 *     2       4     5     6
 *     1    0     1     2     3
 *          a  b  c  d  e  f  g
 */
struct position {
    struct column columns[SQUARES];
    uint32_t side; /* The side to move. */
};

/* A move: the squares that it names, and the position that it leads to. */
struct move {
    uint8_t squares[MAX_MOVE_SQUARES]; /* From and to; of a take, all that it passes. */
    uint8_t count;
    struct position after;
};

/* Moves in memory that grows as it must. Begin with one that is all zeros. */
struct move_list {
    struct move *moves;
    size_t count, capacity;
};

/* Who commands a column that is not empty. */
static inline unsigned owner(const struct column *column)
{
    return column->black & 1;
}

/* Whether two positions are the same. */
int same_position(const struct position *a, const struct position *b);

/* Replaces what is in the list by all legal moves. There is none when the game is over. */
void legal_moves(const struct position *position, enum rules rules, struct move_list *list);

/* Frees the memory of a list, which is then empty. */
void free_moves(struct move_list *list);

/* How many sequences of so many moves there are. */
uint64_t perft(const struct position *position, enum rules rules, int depth);

/* The position that a game starts from. */
struct position start_position(void);

/*
 * Reads columns and side to move, such as "a1WWB b2b w". Returns NULL, or what is wrong with the
 * text.
 */
const char *read_position(const char *text, struct position *position);

/* The longest text of a position or a move, with its NUL. */
enum { MAX_TEXT = 192 };

/* Writes a position, as read_position() reads it. */
void position_text(const struct position *position, char text[MAX_TEXT]);

/* Writes the squares of a move, such as "a1-b2-c3". */
void move_text(const struct move *move, char text[MAX_TEXT]);

#endif
