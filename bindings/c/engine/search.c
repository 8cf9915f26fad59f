#include "search.h"

#include "prove.h"

#include <stdlib.h>
#include <string.h>

void init_engine(struct engine *engine, const struct settings *settings, const lasca_tb *tables)
{
    uint8_t white, black, bound;
    lasca_tb_status status;
    memset(engine, 0, sizeof *engine);
    engine->rules = settings->rules;
    engine->depth = settings->depth;
    engine->milliseconds = settings->milliseconds;
    engine->share = settings->share;
    engine->columns = settings->columns;
    engine->tables = tables;
    engine->left = INT32_MAX;
    /* Asked once here, so that the search never probes a table that is not there. */
    for (white = 1; tables != NULL && white < LASCA_TB_MAX_COUNTERS; white++)
        for (black = 1; black < LASCA_TB_MAX_COUNTERS; black++) {
            status = lasca_tb_max_columns(tables, white, black, &bound);
            if (status == LASCA_TB_OK)
                engine->covered[white][black] = bound > 0 ? bound : SQUARES;
            /* One table has both colours: count it where White has the more counters. */
            if (status != LASCA_TB_OK || white < black
                || lasca_tb_covers_dtw(tables, white, black) == LASCA_TB_OK)
                continue;
            if (engine->without_distances++ == 0) {
                engine->white_without = white;
                engine->black_without = black;
            }
        }
}

void free_engine(struct engine *engine)
{
    int ply;
    for (ply = 0; ply < MAX_PLY; ply++)
        free_moves(&engine->lists[ply]);
    forget_proof(engine);
}

static int bit_count(uint32_t bits)
{
    int count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* The counters of the commander's colour from the top down to the first prisoner. */
static uint32_t own_on_top(const struct column *column)
{
    uint32_t own = 0;
    while (own < column->height && (column->black >> own & 1) == (column->black & 1))
        own++;
    return own;
}

/* The position as the tables have it; 0 if it is one that they cannot hold, or have not. */
static int pack(const struct engine *engine, const struct position *position,
                lasca_tb_position *packed)
{
    int square, columns = 0, counters[2] = {0, 0};
    if (engine->tables == NULL)
        return 0;
    for (square = 0; square < SQUARES; square++) {
        const struct column *column = &position->columns[square];
        lasca_tb_column *place = &packed->columns[square];
        uint32_t own = own_on_top(column), all = ((uint32_t)1 << column->height) - 1;
        int black = bit_count(column->black);
        int below = (owner(column) ? (int)column->height - black : black);
        if (column->officers != all || own + (uint32_t)below != column->height)
            return 0;
        place->own = (uint8_t)own;
        place->prisoners = (uint8_t)below;
        place->commander = (uint8_t)owner(column);
        columns += column->height > 0;
        counters[BLACK] += black;
        counters[WHITE] += (int)column->height - black;
    }
    packed->side_to_move = (uint8_t)position->side;
    return columns <= engine->covered[counters[WHITE]][counters[BLACK]];
}

/* What the board looks like to the side to move, tables aside. */
static int evaluate(const struct position *position)
{
    int score = 0, square;
    for (square = 0; square < SQUARES; square++) {
        const struct column *column = &position->columns[square];
        int own = (int)own_on_top(column), worth, row = 2 * square / 7;
        if (column->height == 0)
            continue;
        /* A column that its owner holds for long, and prisoners that stay out of the game. */
        worth = 100 + 15 * (own - 1) + 10 * ((int)column->height - own);
        if (column->officers & 1)
            worth += 70;
        else
            worth += 4 * (owner(column) == WHITE ? row : 6 - row);
        score += owner(column) == position->side ? worth : -worth;
    }
    return score;
}

/* Whether the game or the search has passed this position before. */
static int repeated(const struct engine *engine, const struct position *position)
{
    int i;
    for (i = engine->path_length - 1; i >= 0; i--)
        if (same_position(&engine->path[i], position))
            return 1;
    return 0;
}

/* What a position is worth to the side to move, between alpha and beta. */
static int search(struct engine *engine, const struct position *position, int depth, int ply,
                  int alpha, int beta)
{
    struct move_list *list = &engine->lists[ply];
    lasca_tb_position packed;
    lasca_tb_wdl wdl;
    int best = -SCORE_INFINITE;
    size_t i;

    /* Asking for the time takes time itself. */
    engine->nodes++;
    if (engine->milliseconds > 0 && engine->nodes % 128 == 0 && clock() >= engine->deadline)
        engine->in_time = 0;
    if (!engine->in_time)
        return 0;
    if (repeated(engine, position))
        return 0;
    if (pack(engine, position, &packed)
        && lasca_tb_probe_wdl(engine->tables, &packed, &wdl) == LASCA_TB_OK) {
        engine->probes++;
        return wdl * (SCORE_TABLE_WIN - ply);
    }
    legal_moves(position, engine->rules, list);
    if (list->count == 0) {
        /* Who cannot move has lost; but if the other side commands nothing, it has. */
        for (i = 0; i < SQUARES; i++)
            if (position->columns[i].height > 0
                && owner(&position->columns[i]) != position->side)
                return ply - SCORE_WIN;
        return SCORE_WIN - ply;
    }
    /* Captures are played out: a position in the middle of them tells nothing. */
    if (ply == MAX_PLY - 1 || (depth <= 0 && list->moves[0].count == 2))
        return evaluate(position);
    engine->path[engine->path_length++] = *position;
    for (i = 0; i < list->count && best < beta && engine->in_time; i++) {
        int floor = best > alpha ? best : alpha;
        int score = -search(engine, &list->moves[i].after, depth - 1, ply + 1, -beta, -floor);
        if (score > best)
            best = score;
    }
    engine->path_length--;
    return best;
}

/* Whether a value is better for the side that has it than another one. */
static int is_better(const lasca_tb_value *value, const lasca_tb_value *than)
{
    if (value->wdl != than->wdl)
        return value->wdl > than->wdl;
    return value->wdl == LASCA_TB_WIN ? value->dtw < than->dtw
                                      : value->wdl == LASCA_TB_LOSS && value->dtw > than->dtw;
}

/* Chooses by distance. Returns 0 if the tables do not know every move. */
static int choose_from_tables(struct engine *engine, const struct move_list *list,
                              struct choice *choice)
{
    size_t i;
    for (i = 0; i < list->count; i++) {
        lasca_tb_position packed;
        lasca_tb_value value;
        if (!pack(engine, &list->moves[i].after, &packed)
            || lasca_tb_probe_dtw(engine->tables, &packed, &value) != LASCA_TB_OK)
            return 0;
        engine->probes++;
        /* The mover's view, from one ply earlier. */
        value.wdl = -value.wdl;
        if (value.wdl != LASCA_TB_DRAW)
            value.dtw++;
        if (i == 0 || is_better(&value, &choice->value)) {
            choice->value = value;
            choice->move = list->moves[i];
        }
    }
    choice->in_tables = 1;
    return 1;
}

static void choose_by_search(struct engine *engine, struct move_list *list,
                             struct choice *choice)
{
    int depth;
    for (depth = 1; depth <= engine->depth; depth++) {
        int best = -SCORE_INFINITE;
        size_t i, chosen = 0;
        struct move first;
        for (i = 0; i < list->count; i++) {
            int score = -search(engine, &list->moves[i].after, depth - 1, 1, -SCORE_INFINITE,
                                -best);
            /* Of a round that is cut short, the moves that were searched whole count. */
            if (!engine->in_time)
                break;
            if (score > best) {
                best = score;
                chosen = i;
            }
        }
        if (best == -SCORE_INFINITE)
            break;
        choice->score = best;
        choice->move = list->moves[chosen];
        /* The best move goes first in the next round, which it makes shorter. */
        first = list->moves[chosen];
        memmove(&list->moves[1], &list->moves[0], chosen * sizeof first);
        list->moves[0] = first;
        /* Deeper search finds no shorter win, nor a longer way to what is lost for certain. */
        if (abs(best) > SCORE_TABLE_WIN - MAX_PLY || !engine->in_time)
            break;
    }
}

int choose_move(struct engine *engine, const struct position *position, struct choice *choice)
{
    struct move_list *list = &engine->lists[0];
    memset(choice, 0, sizeof *choice);
    engine->nodes = engine->probes = 0;
    engine->in_time = 1;
    engine->begun = clock();
    engine->deadline = engine->begun + (clock_t)engine->milliseconds * CLOCKS_PER_SEC / 1000;
    legal_moves(position, engine->rules, list);
    if (list->count == 0)
        return 0;
    if (engine->path_length == MAX_GAME) {
        /* Forget the older half of a game of such length. */
        memmove(engine->path, engine->path + MAX_GAME / 2, MAX_GAME / 2 * sizeof *position);
        engine->path_length = MAX_GAME / 2;
    }
    engine->path[engine->path_length++] = *position;
    choice->forced = list->count == 1 && engine->milliseconds > 0;
    if (choose_from_tables(engine, list, choice))
        return 1;
    choice->move = list->moves[0];
    if (!choice->forced && !choose_by_proof(engine, position, list, choice))
        choose_by_search(engine, list, choice);
    return 1;
}
