/*
 * A small engine for full Lasca, soldiers and promotion included. It shows how a search probes tables:
 * inside the search they say who wins, and nothing below is searched; at the root they give distances,
 * so that a won ending comes nearer to its end with each move. From the top folder:
 *
 *     cargo build --release -p lasca-tb-c
 *     cc -std=c99 -O2 -I bindings/c/include bindings/c/examples/engine.c \
 *         target/release/liblasca_tb.a -lpthread -lm -ldl -o engine
 *     ./engine "c5w e5W d2b w" 8 tables
 *
 * It prints a move and what that is worth, and below it the position after the move. A number without
 * a word is a guess. 8 is the depth of the search in plies, from 1 to 60; w and b are soldiers. The folder
 * of tables may be left out.
 */

#include "lasca_tb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES = LASCA_TB_RULES_LASCA, MAX_PLY = 64, WIN = 1000000, TABLE_WIN = WIN / 2 };

/* Legal moves; the memory grows with the greatest number of them. */
struct move_list {
    lasca_tb_move *moves;
    size_t count, capacity;
};

struct engine {
    lasca_tb *tables;                  /* May be NULL. */
    uint8_t columns, has_dtw;          /* What the tables cover; 0 columns without a table. */
    unsigned long positions, probes;
    struct move_list lists[MAX_PLY];   /* The moves of each ply under way. */
    lasca_tb_position path[MAX_PLY];   /* The position of each ply under way. */
};

/* Ends the program unless a call has done well. */
static void check(lasca_tb_status status)
{
    if (status == LASCA_TB_OK)
        return;
    fprintf(stderr, "engine: %s\n", lasca_tb_last_error());
    exit(2);
}

static int bit_count(uint32_t bits)
{
    int count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* Opens the tables. No counter leaves the board, so one question tells which positions of the search are
 * covered, and one table is all that it needs. */
static void open_tables(struct engine *engine, const char *folder, const lasca_tb_position *position)
{
    lasca_tb_load_options load = LASCA_TB_LOAD_OPTIONS_INIT;
    lasca_tb_status status;
    int i;
    check(lasca_tb_open(&folder, 1, NULL, &engine->tables));
    for (i = 0; i < LASCA_TB_SQUARES; i++) {
        int black = bit_count(position->columns[i].black);
        load.black += (uint8_t)black;
        load.white += (uint8_t)((int)position->columns[i].height - black);
    }
    if (load.white == 0 || load.black == 0)
        return;
    status = lasca_tb_covers(engine->tables, load.white, load.black, &engine->columns,
                             &engine->has_dtw);
    if (status == LASCA_TB_NOT_COVERED || status == LASCA_TB_OTHER_RULES)
        return;
    check(status);
    if (!engine->has_dtw)
        fprintf(stderr, "engine: warning: the table of %d-%d has no distances (.ltbd), so a won "
                        "ending may go on for ever\n", load.white, load.black);
    /* What does not fit, or cannot be loaded, is answered from the file. */
    load.max_bytes = 256 << 20;
    if (lasca_tb_load(engine->tables, &load, NULL) != LASCA_TB_OK)
        fprintf(stderr, "engine: warning: %s\n", lasca_tb_last_error());
}

/* Whether the tables answer this position: one of officers, with few enough columns. A probe would say
 * so too, but a refusal takes as long as an answer. */
static int is_covered(const struct engine *engine, const lasca_tb_position *position)
{
    int i, columns = 0;
    for (i = 0; i < LASCA_TB_SQUARES; i++) {
        const lasca_tb_column *column = &position->columns[i];
        columns += column->height > 0;
        if (column->officers != ((uint32_t)1 << column->height) - 1)
            return 0;
    }
    return columns <= engine->columns;
}

/* The legal moves of a position at this ply. */
static struct move_list *legal_moves(struct engine *engine, const lasca_tb_position *position,
                                     int ply)
{
    struct move_list *list = &engine->lists[ply];
    while (lasca_tb_legal_moves(RULES, position, list->moves, list->capacity, &list->count)
           == LASCA_TB_BUFFER_TOO_SMALL) {
        list->capacity = 2 * list->count;
        list->moves = realloc(list->moves, list->capacity * sizeof *list->moves);
        if (list->moves == NULL) {
            fprintf(stderr, "engine: out of memory\n");
            exit(2);
        }
    }
    return list;
}

/* A guess of what the board is worth to the side to move: columns, officers, and soldiers that are
 * near their promotion. */
static int evaluate(const lasca_tb_position *position)
{
    int score = 0, i;
    for (i = 0; i < LASCA_TB_SQUARES; i++) {
        const lasca_tb_column *column = &position->columns[i];
        uint32_t owner = column->black & 1;
        int row = 2 * i / 7, advance = owner == LASCA_TB_WHITE ? row : 6 - row;
        int worth = 100 + (column->officers & 1 ? 70 : 4 * advance);
        if (column->height > 0)
            score += owner == position->side_to_move ? worth : -worth;
    }
    return score;
}

/* Whether the side to move has won, although it has no move: the other side commands no column. */
static int has_won(const lasca_tb_position *position)
{
    int i;
    for (i = 0; i < LASCA_TB_SQUARES; i++)
        if (position->columns[i].height > 0
            && (position->columns[i].black & 1) != position->side_to_move)
            return 0;
    return 1;
}

/* What a position is worth to the side to move, between alpha and beta. */
static int search(struct engine *engine, const lasca_tb_position *position, int depth, int ply,
                  int alpha, int beta)
{
    struct move_list *list;
    lasca_tb_wdl wdl;
    int best = -WIN;
    size_t i;

    engine->positions++;
    for (i = 0; i < (size_t)ply; i++)
        if (memcmp(&engine->path[i], position, sizeof *position) == 0)
            return 0;
    if (is_covered(engine, position)
        && lasca_tb_probe_wdl(engine->tables, position, &wdl) == LASCA_TB_OK) {
        engine->probes++;
        return wdl * (TABLE_WIN - ply);
    }
    list = legal_moves(engine, position, ply);
    if (list->count == 0)
        return has_won(position) ? WIN - ply : ply - WIN;
    /* Captures are played out: a position in the middle of them tells nothing. */
    if (ply == MAX_PLY - 1 || (depth <= 0 && list->moves[0].square_count == 2))
        return evaluate(position);
    engine->path[ply] = *position;
    for (i = 0; i < list->count && best < beta; i++) {
        int floor = best > alpha ? best : alpha;
        int score = -search(engine, &list->moves[i].after, depth - 1, ply + 1, -beta, -floor);
        if (score > best)
            best = score;
    }
    return best;
}

/* Chooses a move by distance. Returns 0 if the tables have no distance of the position. */
static int choose_from_tables(struct engine *engine, const lasca_tb_position *position,
                              lasca_tb_move *chosen)
{
    struct move_list *list = legal_moves(engine, position, 0);
    if (!engine->has_dtw || !is_covered(engine, position))
        return 0;
    /* The same moves, best first. */
    check(lasca_tb_moves(engine->tables, position, list->moves, list->capacity, &list->count));
    *chosen = list->moves[0];
    return 1;
}

/* Chooses a move by search, deeper and deeper. Returns its score. */
static int choose_by_search(struct engine *engine, const lasca_tb_position *position, int depth,
                            lasca_tb_move *chosen)
{
    struct move_list *list = legal_moves(engine, position, 0);
    int best = 0, plies;
    engine->path[0] = *position;
    for (plies = 1; plies <= depth; plies++) {
        size_t i, first = 0;
        best = -WIN;
        for (i = 0; i < list->count; i++) {
            int score = -search(engine, &list->moves[i].after, plies - 1, 1, -WIN, -best);
            if (score > best) {
                best = score;
                first = i;
            }
        }
        /* The best move goes first in the next round, which it makes shorter. */
        *chosen = list->moves[first];
        memmove(&list->moves[1], &list->moves[0], first * sizeof *chosen);
        list->moves[0] = *chosen;
        if (abs(best) > TABLE_WIN - MAX_PLY)
            break;
    }
    return best;
}

static void print_worth(int in_tables, const lasca_tb_value *value, int score)
{
    if (in_tables && value->wdl == LASCA_TB_DRAW)
        printf("draw\n");
    else if (in_tables)
        printf("%s in %d\n", value->wdl == LASCA_TB_WIN ? "win" : "loss", (int)value->dtw);
    else if (abs(score) > TABLE_WIN - MAX_PLY)
        printf("%s\n", score > 0 ? "win" : "loss");
    else
        printf("%d\n", score);
}

int main(int argc, char **argv)
{
    static struct engine engine;
    lasca_tb_position position;
    lasca_tb_move chosen;
    char text[LASCA_TB_MOVE_TEXT_SIZE];
    int depth = argc > 2 ? atoi(argv[2]) : 8, in_tables, score = 0, i;

    if (argc < 2 || argc > 4 || depth < 1 || depth > MAX_PLY - 4) {
        fprintf(stderr, "usage: engine POSITION [DEPTH [TABLES]]\n");
        return 2;
    }
    check(lasca_tb_position_from_text(argv[1], &position));
    if (argc > 3)
        open_tables(&engine, argv[3], &position);
    if (legal_moves(&engine, &position, 0)->count == 0) {
        printf("the game is over\n");
    } else {
        in_tables = choose_from_tables(&engine, &position, &chosen);
        if (!in_tables)
            score = choose_by_search(&engine, &position, depth, &chosen);
        check(lasca_tb_move_to_text(&chosen, text, sizeof text, NULL));
        printf("%s  ", text);
        print_worth(in_tables, &chosen.value, score);
        check(lasca_tb_position_to_text(&chosen.after, text, sizeof text, NULL));
        printf("%s\n", text);
        fprintf(stderr, "%lu positions searched, %lu probes\n", engine.positions, engine.probes);
    }
    for (i = 0; i < MAX_PLY; i++)
        free(engine.lists[i].moves);
    lasca_tb_free(engine.tables);
    return 0;
}
