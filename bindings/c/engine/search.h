/* The player: alpha-beta search that probes the tables. */

#ifndef SEARCH_H
#define SEARCH_H

#include "lasca.h"
#include "lasca_tb.h"

#include <time.h>

/*
 * Scores, for the side to move. Whoever wins at once has SCORE_WIN, a ply later 1 less; a win that
 * only the tables know, SCORE_TABLE_WIN less the plies to where they know it. All else is less.
 */
enum { SCORE_WIN = 30000, SCORE_TABLE_WIN = 20000, SCORE_INFINITE = 32000 };

enum { MAX_PLY = 96, MAX_GAME = 4096 };

/* How an engine plays. */
struct settings {
    enum rules rules;
    int depth;                 /* How many plies to search at most, captures at the end aside. */
    int milliseconds;          /* The time of a move, on the processor's clock; 0 for no limit. */
    int share;                 /* Percent of it that seek a proof; 0 for no proofs. */
    int columns;               /* Proofs are sought with so many columns or fewer on the board. */
};

/*
 * Of the endings in tests/data/endings.csv that are solved in a quarter of a second, more than half are
 * solved in 10 ms, and with more than 12 columns on the board nearly none is solved at all.
 */
enum { DEFAULT_SHARE = 25, DEFAULT_COLUMNS = 12 };

/* A player. */
struct engine {
    enum rules rules;
    int depth, milliseconds, share, columns; /* As in its settings. */
    clock_t begun, deadline;   /* Of the move under way. */
    int in_time;               /* Whether the time of the move is not over yet. */
    lasca_tb_search *proof;    /* The last one that was sought; may be NULL. */
    int32_t left;              /* The most plies that its proof of a win needed at the last move. */
    int in_vain, pause;        /* Proofs sought in vain since the last found; moves until the next. */
    const lasca_tb *tables;    /* May be NULL. */
    /* By white and black counters: up to how many columns the tables cover; 0 if there is no table. */
    unsigned char covered[LASCA_TB_MAX_COUNTERS + 1][LASCA_TB_MAX_COUNTERS + 1];
    /* How many materials are covered without distances, and the counters of the first of them. */
    int without_distances, white_without, black_without;
    uint64_t nodes, probes;    /* Of the last choice. */
    uint64_t proofs;           /* How many moves were chosen by a proof. */
    struct move_list lists[MAX_PLY]; /* The moves of each ply under way. */
    struct position path[MAX_GAME + MAX_PLY]; /* What the game and the search have passed. */
    int path_length;
};

/* What is known of the move chosen. */
struct choice {
    struct move move;
    int forced;           /* Whether it was the only move, which takes no thought. */
    int in_tables;        /* Whether the position itself was in the tables. */
    int proved;           /* Whether it was searched, and is proved to be won or lost. */
    int drawn;            /* Whether it was searched, and is proved to be drawn. */
    lasca_tb_value value; /* If it was in tables or proved: what the move is worth, exactly or at most. */
    int score;            /* If neither: what the search makes of it. */
};

/*
 * Sets up an engine. The tables may be NULL; they stay the caller's, and must outlive the engine.
 * free_engine() frees what the engine itself has.
 *
 * Tables without distances serve the search, but not the choice of a move in a won ending: every
 * move that keeps the win looks the same then, and the game may end in a draw.
 */
void init_engine(struct engine *engine, const struct settings *settings, const lasca_tb *tables);
void free_engine(struct engine *engine);

/*
 * Chooses a move of the position: by distance if it is in the tables, else by a proof if there is one,
 * else by search. The engine takes the position as the next one of its game, so that it knows
 * repetitions. Returns 0 if the game is over.
 */
int choose_move(struct engine *engine, const struct position *position, struct choice *choice);

#endif
