#include "lasca.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The four ways to step: right and up, left and up, right and down, left and down. */
static const int DIRECTIONS[4][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};

enum { SIDE_LENGTH = 7, NOWHERE = -1 };

static int square_x(int square)
{
    return 2 * square % SIDE_LENGTH;
}

static int square_y(int square)
{
    return 2 * square / SIDE_LENGTH;
}

/* The square next to this one, or NOWHERE. */
static int step(int square, int direction)
{
    int x = square_x(square) + DIRECTIONS[direction][0];
    int y = square_y(square) + DIRECTIONS[direction][1];
    if (x < 0 || x >= SIDE_LENGTH || y < 0 || y >= SIDE_LENGTH)
        return NOWHERE;
    return (SIDE_LENGTH * y + x) / 2;
}

/* The row on which soldiers of a side are promoted. */
static int last_row(unsigned side)
{
    return side == WHITE ? SIDE_LENGTH - 1 : 0;
}

/* Whether a column of this side may step and take in this direction. */
static int may_go(const struct column *column, unsigned side, int direction)
{
    int forward = side == WHITE ? 1 : -1;
    return (column->officers & 1) || DIRECTIONS[direction][1] == forward;
}

/* Takes the top counter off a column, and returns it: its colour, and whether it is an officer. */
static void pop_top(struct column *column, unsigned *black, unsigned *officer)
{
    *black = column->black & 1;
    *officer = column->officers & 1;
    column->black >>= 1;
    column->officers >>= 1;
    column->height--;
}

static void push_bottom(struct column *column, unsigned black, unsigned officer)
{
    column->black |= (uint32_t)black << column->height;
    column->officers |= (uint32_t)officer << column->height;
    column->height++;
}

int same_position(const struct position *a, const struct position *b)
{
    /* There are no gaps in the struct: all of it is 32-bit numbers. */
    return memcmp(a, b, sizeof *a) == 0;
}

/* A new move at the end of the list. */
static struct move *add_move(struct move_list *list)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 32 : 2 * list->capacity;
        struct move *grown = realloc(list->moves, capacity * sizeof *grown);
        if (grown == NULL) {
            fprintf(stderr, "out of memory\n");
            exit(1);
        }
        list->moves = grown;
        list->capacity = capacity;
    }
    return &list->moves[list->count++];
}

void free_moves(struct move_list *list)
{
    free(list->moves);
    memset(list, 0, sizeof *list);
}

/* A take under way. The column that takes is off the board. */
struct take {
    struct position board;
    struct column column;
    uint8_t squares[MAX_MOVE_SQUARES];
    int count;
    uint32_t jumped; /* A bit for each square jumped. */
};

/* Tries all jumps from the last square of the take, and lists the takes that have come to an end. */
static void go_on(const struct take *take, enum rules rules, struct move_list *list)
{
    const struct position *board = &take->board;
    int at = take->squares[take->count - 1];
    int jumps = take->count / 2;
    int promoted = jumps > 0 && !(take->column.officers & 1)
                   && square_y(at) == last_row(board->side);
    int went_on = 0, direction;
    int ended = promoted || (rules == RULES_BIGNOR && jumps > 0);
    for (direction = 0; direction < 4 && !ended; direction++) {
        struct take next;
        unsigned black, officer;
        int over = step(at, direction);
        int to = over == NOWHERE ? NOWHERE : step(over, direction);
        if (to == NOWHERE || !may_go(&take->column, board->side, direction)
            || board->columns[over].height == 0
            || owner(&board->columns[over]) == board->side || board->columns[to].height > 0
            || (rules == RULES_LASCA && (take->jumped >> over & 1)))
            continue;
        went_on = 1;
        next = *take;
        next.jumped |= (uint32_t)1 << over;
        next.squares[next.count++] = (uint8_t)over;
        next.squares[next.count++] = (uint8_t)to;
        /* Only the commander is taken; what was under it stays. */
        pop_top(&next.board.columns[over], &black, &officer);
        push_bottom(&next.column, black, officer);
        go_on(&next, rules, list);
    }
    if (!went_on && jumps > 0) {
        struct move *move = add_move(list);
        memset(move->squares, 0, sizeof move->squares);
        memcpy(move->squares, take->squares, (size_t)take->count);
        move->count = (uint8_t)take->count;
        move->after = *board;
        move->after.columns[at] = take->column;
        if (promoted)
            move->after.columns[at].officers |= 1;
        move->after.side = 1 - board->side;
    }
}

static void takes_from(const struct position *position, int from, enum rules rules,
                       struct move_list *list)
{
    struct take take;
    take.board = *position;
    take.column = position->columns[from];
    memset(&take.board.columns[from], 0, sizeof take.board.columns[from]);
    take.squares[0] = (uint8_t)from;
    take.count = 1;
    take.jumped = 0;
    go_on(&take, rules, list);
}

static void steps_from(const struct position *position, int from, struct move_list *list)
{
    const struct column *column = &position->columns[from];
    int direction;
    for (direction = 0; direction < 4; direction++) {
        int to = step(from, direction);
        struct move *move;
        if (to == NOWHERE || position->columns[to].height > 0
            || !may_go(column, position->side, direction))
            continue;
        move = add_move(list);
        memset(move->squares, 0, sizeof move->squares);
        move->squares[0] = (uint8_t)from;
        move->squares[1] = (uint8_t)to;
        move->count = 2;
        move->after = *position;
        memset(&move->after.columns[from], 0, sizeof *column);
        move->after.columns[to] = *column;
        if (square_y(to) == last_row(position->side))
            move->after.columns[to].officers |= 1;
        move->after.side = 1 - position->side;
    }
}

void legal_moves(const struct position *position, enum rules rules, struct move_list *list)
{
    int square, commanded[2] = {0, 0};
    list->count = 0;
    for (square = 0; square < SQUARES; square++)
        if (position->columns[square].height > 0)
            commanded[owner(&position->columns[square])]++;
    if (commanded[WHITE] == 0 || commanded[BLACK] == 0)
        return;
    for (square = 0; square < SQUARES; square++)
        if (position->columns[square].height > 0
            && owner(&position->columns[square]) == position->side)
            takes_from(position, square, rules, list);
    /* Taking is compulsory. */
    if (list->count > 0)
        return;
    for (square = 0; square < SQUARES; square++)
        if (position->columns[square].height > 0
            && owner(&position->columns[square]) == position->side)
            steps_from(position, square, list);
}

uint64_t perft(const struct position *position, enum rules rules, int depth)
{
    struct move_list list = {NULL, 0, 0};
    uint64_t sequences = 0;
    size_t i;
    if (depth <= 0)
        return 1;
    legal_moves(position, rules, &list);
    if (depth == 1)
        sequences = list.count;
    else
        for (i = 0; i < list.count; i++)
            sequences += perft(&list.moves[i].after, rules, depth - 1);
    free_moves(&list);
    return sequences;
}

struct position start_position(void)
{
    struct position position;
    int square;
    memset(&position, 0, sizeof position);
    for (square = 0; square < SQUARES; square++)
        if (square_y(square) != 3)
            push_bottom(&position.columns[square], square_y(square) > 3, 0);
    position.side = WHITE;
    return position;
}

const char *read_position(const char *text, struct position *position)
{
    int counters = 0, side_seen = 0;
    memset(position, 0, sizeof *position);
    for (;;) {
        int x, y, square;
        const char *counter;
        while (*text == ' ')
            text++;
        if (*text == '\0')
            break;
        if (side_seen)
            return "expected nothing after the side to move";
        if ((*text == 'w' || *text == 'b') && (text[1] == '\0' || text[1] == ' ')) {
            position->side = *text == 'w' ? WHITE : BLACK;
            side_seen = 1;
            text++;
            continue;
        }
        x = text[0] - 'a';
        y = text[1] - '1';
        if (x < 0 || x >= SIDE_LENGTH || y < 0 || y >= SIDE_LENGTH || (x + y) % 2 != 0)
            return "expected a square that is played on, such as a1 or d4";
        square = (SIDE_LENGTH * y + x) / 2;
        if (position->columns[square].height > 0)
            return "expected each square once";
        for (text += 2; *text != ' ' && *text != '\0'; text++) {
            counter = strchr("wWbB", *text);
            if (counter == NULL)
                return "expected counters (w, b, W or B) after a square";
            if (++counters > MAX_COUNTERS)
                return "expected at most 22 counters";
            push_bottom(&position->columns[square], *counter == 'b' || *counter == 'B',
                        *counter == 'W' || *counter == 'B');
        }
        if (position->columns[square].height == 0)
            return "expected counters (w, b, W or B) after a square";
    }
    if (!side_seen)
        return "expected the side to move (w or b) at the end";
    return counters > 0 ? NULL : "expected at least one column";
}

/* Writes the name of a square, and returns what comes after it. */
static char *put_square(char *text, int square)
{
    *text++ = (char)('a' + square_x(square));
    *text++ = (char)('1' + square_y(square));
    return text;
}

void position_text(const struct position *position, char text[MAX_TEXT])
{
    int square;
    for (square = 0; square < SQUARES; square++) {
        const struct column *column = &position->columns[square];
        uint32_t i;
        if (column->height == 0)
            continue;
        text = put_square(text, square);
        for (i = 0; i < column->height; i++)
            *text++ = (column->officers >> i & 1 ? "WB" : "wb")[column->black >> i & 1];
        *text++ = ' ';
    }
    *text++ = position->side == WHITE ? 'w' : 'b';
    *text = '\0';
}

void move_text(const struct move *move, char text[MAX_TEXT])
{
    int i;
    for (i = 0; i < move->count; i++) {
        if (i > 0)
            *text++ = '-';
        text = put_square(text, move->squares[i]);
    }
    *text = '\0';
}
