/* Matches of the engine with proofs against itself without. */

#ifndef MATCH_H
#define MATCH_H

#include "search.h"

#include <stdio.h>

/* What a match is about. */
struct match {
    struct settings settings;  /* Of the engine with proofs; the other one has no share for them. */
    const lasca_tb *tables;    /* May be NULL. */
    int games;                 /* Each opening is played twice, with both colours. */
    int random_plies;          /* How many of the plies of an opening are random. */
    FILE *openings;            /* Positions to begin with, one a line; NULL for the start position. */
    uint64_t seed;             /* Of the openings. */
};

/* Who has won a position in which the side to move has no move. */
unsigned winner_of(const struct position *position);

/* Plays a match, and prints how it ended. */
void play_match(const struct match *match);

#endif
