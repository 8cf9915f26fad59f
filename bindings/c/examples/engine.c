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
 * a word is a guess. 8 is the depth of the search in plies; the folder of tables may be left out.
 */

#include "lasca_tb.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PLY = 64, WIN = 1000000, TABLE_WIN = WIN / 2 };

static lasca_tb *tables;  /* May be NULL. */
static struct { lasca_tb_move *moves; size_t count, capacity; } lists[MAX_PLY];
static size_t best;       /* The best move at the root, once it is searched. */

static void check(lasca_tb_status status)
{
    if (status == LASCA_TB_OK)
        return;
    fprintf(stderr, "engine: %s\n", lasca_tb_last_error());
    exit(2);
}

/* Opens the tables, and loads the one that the game needs: no counter leaves the board. */
static void open_tables(const char *folder, const lasca_tb_position *position)
{
    lasca_tb_load_options load = {0};
    uint8_t has_dtw;
    int i, j, counter = 0;
    check(lasca_tb_open(&folder, 1, NULL, &tables));
    for (i = 0; i < LASCA_TB_SQUARES; i++)
        for (j = 0; j < position->heights[i]; j++, counter++)
            ++*(position->black >> counter & 1 ? &load.black : &load.white);
    /* What does not fit is answered from the file. */
    load.max_bytes = 256 << 20;
    if (lasca_tb_covers(tables, load.white, load.black, NULL, &has_dtw) != LASCA_TB_OK
        || lasca_tb_load(tables, &load, NULL) != LASCA_TB_OK)
        fprintf(stderr, "engine: warning: %s\n", lasca_tb_last_error());
    else if (!has_dtw)
        fprintf(stderr, "engine: warning: without distances, a won ending may go on for ever\n");
}

/* Lists the legal moves at this ply. The memory grows with the greatest number of them. */
static size_t legal_moves(const lasca_tb_position *position, int ply)
{
    while (lasca_tb_legal_moves(LASCA_TB_RULES_LASCA, position, lists[ply].moves,
                                lists[ply].capacity, &lists[ply].count)
           == LASCA_TB_BUFFER_TOO_SMALL) {
        lists[ply].capacity = 2 * lists[ply].count;
        lists[ply].moves = realloc(lists[ply].moves, lists[ply].capacity * sizeof(lasca_tb_move));
        if (lists[ply].moves == NULL)
            abort();
    }
    return lists[ply].count;
}

/* A guess of what the columns of a side are worth: more if officers or advanced; 0 if it has none. */
static int worth(const lasca_tb_position *position, lasca_tb_color side)
{
    int sum = 0, top = 0, i;
    for (i = 0; i < LASCA_TB_SQUARES; top += position->heights[i++]) {
        int row = 2 * i / 7, advance = side == LASCA_TB_WHITE ? row : 6 - row;
        if (position->heights[i] > 0 && (lasca_tb_color)(position->black >> top & 1) == side)
            sum += 100 + (position->officers >> top & 1 ? 70 : 4 * advance);
    }
    return sum;
}

/* What a position is worth to the side to move, between alpha and beta. */
static int search(const lasca_tb_position *position, int depth, int ply, int alpha, int beta)
{
    lasca_tb_color own = (lasca_tb_color)position->side_to_move;
    lasca_tb_wdl wdl;
    size_t i, count;
    /* Most positions of a game have soldiers, and are not covered. To be told so takes no time. */
    if (ply > 0 && tables && lasca_tb_probe_wdl(tables, position, &wdl) == LASCA_TB_OK)
        return wdl * (TABLE_WIN - ply);
    count = legal_moves(position, ply);
    if (count == 0)
        return worth(position, !own) == 0 ? WIN - ply : ply - WIN;
    /* Captures are played out: a position in the middle of them tells nothing. */
    if (ply == MAX_PLY - 1 || (ply >= depth && lists[ply].moves[0].squares.count == 2))
        return worth(position, own) - worth(position, !own);
    for (i = 0; i < count && alpha < beta; i++) {
        int score = -search(&lists[ply].moves[i].after, depth, ply + 1, -beta, -alpha);
        if (score > alpha) {
            alpha = score;
            best = ply == 0 ? i : best;
        }
    }
    return alpha;
}

int main(int argc, char **argv)
{
    lasca_tb_position position;
    char text[LASCA_TB_MOVE_TEXT_SIZE];
    int depth = argc > 2 ? atoi(argv[2]) : 8, score, i;
    if (argc < 2 || argc > 4 || depth < 1 || depth >= MAX_PLY) {
        fprintf(stderr, "usage: engine POSITION [DEPTH [TABLES]]\n");
        return 2;
    }
    check(lasca_tb_position_from_text(argv[1], &position));
    if (argc > 3)
        open_tables(argv[3], &position);
    if (legal_moves(&position, 0) == 0) {
        printf("the game is over\n");
    } else {
        lasca_tb_move *moves = lists[0].moves;
        if (tables
            && lasca_tb_moves(tables, &position, moves, lists[0].capacity, &lists[0].count)
                   == LASCA_TB_OK)
            /* The same moves, best first. */
            score = moves[0].value.wdl * (WIN - moves[0].value.dtw);
        else
            score = search(&position, depth, 0, -WIN, WIN);
        check(lasca_tb_move_to_text(&moves[best], text, sizeof text, NULL));
        if (abs(score) < TABLE_WIN - MAX_PLY)
            printf("%s  %d\n", text, score);
        else if (abs(score) <= TABLE_WIN)
            printf("%s  %s\n", text, score > 0 ? "win" : "loss");
        else
            printf("%s  %s in %d\n", text, score > 0 ? "win" : "loss", WIN - abs(score));
        check(lasca_tb_position_to_text(&moves[best].after, text, sizeof text, NULL));
        printf("%s\n", text);
    }
    for (i = 0; i < MAX_PLY; i++)
        free(lists[i].moves);
    lasca_tb_free(tables);
    return 0;
}
