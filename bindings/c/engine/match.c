#include "match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Games that are not over by then are draws, as are those in which a position comes a third time. */
enum { MATCH_PLIES = 300, BUCKETS = 4, BUCKET = 10 };

/* What is counted. */
struct tally {
    int won, drawn, lost;         /* By the engine with proofs. */
    double pairs, squares;        /* Sums of the scores of pairs of games, and of their squares. */
    int split;                    /* Pairs of games in which each engine got as much. */
    long plies, proved_plies;     /* Of decided games: all, and those from the first proof on. */
    int decided, known[BUCKETS];  /* And of how many the last 10, 20, 30, 40 plies were proved. */
};

static unsigned below(uint64_t *state, unsigned bound)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state * 0x2545f4914f6cdd1d >> 33) % bound;
}

/* The start position, or that of the next line, from the first one again after the last. */
static struct position beginning(const struct match *match)
{
    struct position position;
    const char *wrong;
    char line[MAX_TEXT];
    if (match->openings == NULL)
        return start_position();
    if (fgets(line, sizeof line, match->openings) == NULL) {
        rewind(match->openings);
        if (fgets(line, sizeof line, match->openings) == NULL) {
            fprintf(stderr, "engine: the file of openings is empty\n");
            exit(2);
        }
    }
    line[strcspn(line, "\r\n")] = '\0';
    wrong = read_position(line, &position);
    if (wrong != NULL) {
        fprintf(stderr, "engine: %s in \"%s\"\n", wrong, line);
        exit(2);
    }
    return position;
}

/* A position to begin a game with. */
static struct position opening(const struct match *match, uint64_t *state)
{
    struct move_list list = {NULL, 0, 0};
    struct position first = beginning(match), position = first;
    int ply, tries = 0;
    for (ply = 0; ply < match->random_plies && tries < 100; ply++) {
        legal_moves(&position, match->settings.rules, &list);
        if (list.count == 0) {
            /* The game is over already: try other moves. */
            position = first;
            ply = -1;
            tries++;
            continue;
        }
        position = list.moves[below(state, (unsigned)list.count)].after;
    }
    free_moves(&list);
    return position;
}

unsigned winner_of(const struct position *position)
{
    int square;
    for (square = 0; square < SQUARES; square++)
        if (position->columns[square].height > 0
            && owner(&position->columns[square]) != position->side)
            return 1 - position->side;
    return position->side;
}

/* Plays a game, and returns what the engine with proofs gets of the point: 0, 0.5 or 1. */
static double play_game(const struct match *match, struct position position, unsigned prover,
                        struct tally *tally)
{
    static struct engine players[2];
    static struct position passed[MATCH_PLIES];
    struct settings plain = match->settings;
    struct choice choice;
    double score = 0.5;
    int ply, i, times, proved_from = -1;
    plain.share = 0;
    init_engine(&players[prover], &match->settings, match->tables);
    init_engine(&players[1 - prover], &plain, match->tables);
    for (ply = 0; ply < MATCH_PLIES; ply++) {
        for (i = 0, times = 1; i < ply; i++)
            times += same_position(&passed[i], &position);
        if (times == 3)
            break;
        passed[ply] = position;
        if (!choose_move(&players[position.side], &position, &choice)) {
            score = winner_of(&position) == prover;
            tally->decided++;
            tally->plies += ply;
            if (proved_from < 0)
                proved_from = ply;
            tally->proved_plies += ply - proved_from;
            for (i = 0; i < BUCKETS; i++)
                tally->known[i] += ply - proved_from >= BUCKET * (i + 1);
            break;
        }
        /* A forced move is played without a search, and neither ends nor begins what is proved. */
        if (position.side == prover && !choice.forced) {
            if (!choice.proved)
                proved_from = -1;
            else if (proved_from < 0)
                proved_from = ply;
        }
        position = choice.move.after;
    }
    free_engine(&players[WHITE]);
    free_engine(&players[BLACK]);
    if (score == 0.5)
        tally->drawn++;
    else if (score == 1.0)
        tally->won++;
    else
        tally->lost++;
    return score;
}

static double elo(double score)
{
    /* A match that is won throughout has no finite difference. */
    if (score < 0.001)
        score = 0.001;
    if (score > 0.999)
        score = 0.999;
    return -400.0 * log10(1.0 / score - 1.0);
}

static void print_tally(const struct tally *tally)
{
    int games = tally->won + tally->drawn + tally->lost, i;
    double pairs = games / 2, mean = tally->pairs / pairs;
    double variance = tally->squares / pairs - mean * mean;
    /* 95 of 100 times the true score is as near as this. */
    double error = pairs > 1 && variance > 0 ? 1.96 * sqrt(variance / (pairs - 1)) : 0.0;
    printf("with proofs: %d won, %d drawn, %d lost of %d games\n", tally->won, tally->drawn,
           tally->lost, games);
    printf("score %.1f %% (95 %%: %.1f to %.1f), Elo %+.0f (%+.0f to %+.0f)\n", 100 * mean,
           100 * (mean - error), 100 * (mean + error), elo(mean), elo(mean - error),
           elo(mean + error));
    printf("openings from which both engines got as much: %d of %.0f\n", tally->split, pairs);
    if (tally->decided == 0)
        return;
    printf("decided games: %d, of %.0f plies on average, the last %.1f of them proved\n",
           tally->decided, (double)tally->plies / tally->decided,
           (double)tally->proved_plies / tally->decided);
    for (i = 0; i < BUCKETS; i++)
        printf("last %d plies proved: %.0f %% of decided games\n", BUCKET * (i + 1),
               100.0 * tally->known[i] / tally->decided);
}

void play_match(const struct match *match)
{
    struct tally tally;
    uint64_t state = match->seed * 2 + 1;
    int game;
    memset(&tally, 0, sizeof tally);
    for (game = 0; game + 1 < match->games; game += 2) {
        struct position start = opening(match, &state);
        double pair = (play_game(match, start, WHITE, &tally)
                       + play_game(match, start, BLACK, &tally)) / 2;
        tally.pairs += pair;
        tally.squares += pair * pair;
        /* Where proofs change nothing, both games end alike, and each engine gets as much. */
        tally.split += pair == 0.5;
        fprintf(stderr, "%d games: %d won, %d drawn, %d lost; proved at the end: %.1f plies\n",
                game + 2, tally.won, tally.drawn, tally.lost,
                tally.decided > 0 ? (double)tally.proved_plies / tally.decided : 0.0);
    }
    print_tally(&tally);
}
