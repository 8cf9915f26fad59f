/* Proofs at the root: the search of lasca_tb.h, in endings of whole games. */

#ifndef PROVE_H
#define PROVE_H

#include "search.h"

/*
 * Seeks a proof for the position, with the engine's share of the time of a move. The moves are those
 * of the list. If the position is won or lost and the proof knows how far off the end is, the choice is
 * made, and 1 is returned. Otherwise the moves that are proved to lose, or to give away a proved win,
 * are taken off the list (but never all of them), and 0 is returned.
 */
int choose_by_proof(struct engine *engine, const struct position *position,
                    struct move_list *list, struct choice *choice);

/* Frees the proof that an engine keeps. */
void forget_proof(struct engine *engine);

#endif
