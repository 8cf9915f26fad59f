#include "prove.h"

#include <stdlib.h>

/* What a search may hold: more than it can fill in the time of a move. */
enum { PROOF_MEMORY = 256 << 20, MAX_MOVES = 256 };

/* The most moves without a search for a proof, after as many that were in vain. */
enum { MAX_PAUSE = 4 };

void forget_proof(struct engine *engine)
{
    lasca_tb_search_free(engine->proof);
    engine->proof = NULL;
    engine->left = INT32_MAX;
}

static void board_of(const struct position *position, lasca_tb_board *board)
{
    int square;
    for (square = 0; square < SQUARES; square++) {
        board->columns[square].height = position->columns[square].height;
        board->columns[square].black = position->columns[square].black;
        board->columns[square].officers = position->columns[square].officers;
    }
    board->side_to_move = position->side;
}

static int column_count(const struct position *position)
{
    int square, count = 0;
    for (square = 0; square < SQUARES; square++)
        count += position->columns[square].height > 0;
    return count;
}

/* Whether a move of the list leads where a move of the proof does. */
static int leads_there(const struct move *move, const lasca_tb_searched_move *proved)
{
    lasca_tb_board after;
    int square;
    board_of(&move->after, &after);
    for (square = 0; square < SQUARES; square++) {
        const lasca_tb_board_column *here = &after.columns[square];
        const lasca_tb_board_column *there = &proved->played.after.columns[square];
        if (here->height != there->height || here->black != there->black
            || here->officers != there->officers)
            return 0;
    }
    return 1;
}

/* What is proved of a move of the list: a lasca_tb_wdl, or LASCA_TB_OPEN. */
static int32_t worth(const struct move *move, const lasca_tb_searched_move *proved, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (leads_there(move, &proved[i]))
            return proved[i].wdl;
    return LASCA_TB_OPEN;
}

/*
 * Whether the best move is a win that brings the end nearer. Play by wins whose distance is not known
 * could go on for ever.
 */
static int is_progress(const struct engine *engine, const lasca_tb_searched_move *proved,
                       size_t count)
{
    return count > 0 && proved[0].wdl == LASCA_TB_WIN && proved[0].at_most != LASCA_TB_NO_DTW
           && proved[0].at_most < engine->left;
}

static int choose(struct engine *engine, const struct move_list *list,
                  const lasca_tb_searched_move *proved, struct choice *choice)
{
    size_t i;
    for (i = 0; i < list->count; i++)
        if (leads_there(&list->moves[i], proved)) {
            choice->move = list->moves[i];
            choice->proved = 1;
            choice->value.wdl = proved->wdl;
            choice->value.dtw = proved->at_most;
            if (proved->wdl == LASCA_TB_WIN)
                engine->left = proved->at_most;
            engine->proofs++;
            return 1;
        }
    return 0;
}

static int32_t has_time(void *user, const lasca_tb_search_status *status)
{
    (void)status;
    return clock() < *(const clock_t *)user;
}

int choose_by_proof(struct engine *engine, const struct position *position,
                    struct move_list *list, struct choice *choice)
{
    static lasca_tb_searched_move proved[MAX_MOVES];
    lasca_tb_search_options options;
    lasca_tb_search_limits limits;
    lasca_tb_board board;
    lasca_tb_searched found;
    clock_t end = engine->begun + engine->share * (engine->deadline - engine->begun) / 100;
    size_t count, i, kept;

    board_of(position, &board);
    /* A proof of an earlier move may know this position too. */
    if (engine->proof != NULL
        && lasca_tb_search_moves_at(engine->proof, &board, proved, MAX_MOVES, &count)
               == LASCA_TB_OK
        && is_progress(engine, proved, count))
        return choose(engine, list, proved, choice);
    forget_proof(engine);
    if (engine->share == 0 || column_count(position) > engine->columns)
        return 0;
    /* What was open a move ago mostly still is: the time is better spent on the engine's own search. */
    if (engine->pause > 0) {
        engine->pause--;
        return 0;
    }
    lasca_tb_search_options_init(&options, sizeof options);
    lasca_tb_search_limits_init(&limits, sizeof limits);
    options.memory_bytes = PROOF_MEMORY;
    options.rules = (int32_t)engine->rules;
    limits.progress = has_time;
    limits.user = &end;
    if (lasca_tb_search_new(engine->tables, &board, &options, &engine->proof) != LASCA_TB_OK
        || lasca_tb_search_run(engine->proof, &limits, NULL) != LASCA_TB_OK
        || lasca_tb_search_result(engine->proof, &found) != LASCA_TB_OK
        || lasca_tb_search_moves(engine->proof, proved, MAX_MOVES, &count) != LASCA_TB_OK) {
        /* Such as for want of memory. The engine has its own search. */
        forget_proof(engine);
        return 0;
    }
    engine->in_vain = found.wdl == LASCA_TB_OPEN ? engine->in_vain + 1 : 0;
    engine->pause = engine->in_vain < MAX_PAUSE ? engine->in_vain : MAX_PAUSE;
    choice->drawn = found.wdl == LASCA_TB_DRAW;
    /* What is lost is played as long as the proof knows how. */
    if (is_progress(engine, proved, count)
        || (count > 0 && found.wdl == LASCA_TB_LOSS && proved[0].wdl == LASCA_TB_LOSS
            && proved[0].at_most != LASCA_TB_NO_DTW))
        return choose(engine, list, proved, choice);
    /* A win whose distance is not known is kept, and the engine's own search seeks the way. */
    for (i = 0, kept = 0; i < list->count; i++) {
        int32_t wdl = worth(&list->moves[i], proved, count);
        if (found.wdl == LASCA_TB_WIN ? wdl == LASCA_TB_WIN : wdl != LASCA_TB_LOSS)
            list->moves[kept++] = list->moves[i];
    }
    if (kept > 0)
        list->count = kept;
    return 0;
}
