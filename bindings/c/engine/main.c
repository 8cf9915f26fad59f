/* The command line of the engine. */

#include "match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: engine move POSITION [options]         the move it would make\n"
    "       engine play POSITION [options]         a game against itself, to its end\n"
    "       engine match GAMES [options]           with proofs against without, at the same time a move\n"
    "       engine perft POSITION DEPTH [options]  how many sequences of moves there are\n"
    "\n"
    "POSITION is columns and side to move, such as \"a1WWW b2BBB w\", or \"start\".\n"
    "\n"
    "  --tables DIR   a folder of tables; may be given more than once (default: none)\n"
    "  --load N       megabytes of memory for decoded tables (default: 0, none)\n"
    "  --depth N      plies to search where the tables do not reach (default: 8, with --time: 64)\n"
    "  --time MS      milliseconds of processor time for each move (default: none; match: 60)\n"
    "  --share N      percent of the time that seek a proof in endings (default: 25)\n"
    "  --columns N    seek proofs with at most so many columns on the board (default: 12)\n"
    "  --random N     random plies at the start of the games of a match (default: 4)\n"
    "  --openings F   a file of positions to begin with, one a line (default: the start position)\n"
    "  --seed N       of the random plies (default: 1)\n"
    "  --rules NAME   lasca, bignor or rejump (default: lasca)\n";

enum { MAX_FOLDERS = 16, MAX_PLIES = 2000, MAX_DEPTH = 64 };

struct arguments {
    const char *command;
    struct position position;
    int perft_depth, games, random_plies, seed, megabytes;
    const char *openings;
    struct settings settings;
    const char *folders[MAX_FOLDERS];
    size_t folder_count;
};

static void wrong_usage(const char *what, const char *found)
{
    fprintf(stderr, "engine: %s, found \"%s\"\n\n%s", what, found, USAGE);
    exit(2);
}

/* A number from least to most. */
static int number(const char *text, int least, int most)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < least || value > most)
        wrong_usage(least == 0 ? "expected a number" : "expected a number of at least 1", text);
    return (int)value;
}

static enum rules rules_named(const char *name)
{
    static const char *const NAMES[] = {"lasca", "bignor", "rejump"};
    size_t i;
    for (i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return (enum rules)i;
    wrong_usage("expected lasca, bignor or rejump", name);
    return RULES_LASCA;
}

static struct arguments read_arguments(int argc, char **argv)
{
    struct arguments arguments;
    const char *plain[3] = {"", "", ""}, *wrong;
    int plain_count = 0, i, wanted;
    memset(&arguments, 0, sizeof arguments);
    arguments.settings.share = DEFAULT_SHARE;
    arguments.settings.columns = DEFAULT_COLUMNS;
    arguments.random_plies = 4;
    arguments.seed = 1;
    for (i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0) {
            fputs(USAGE, stdout);
            exit(0);
        }
        if (strncmp(word, "--", 2) != 0) {
            if (plain_count == 3)
                wrong_usage("expected an option", word);
            plain[plain_count++] = word;
            continue;
        }
        if (i + 1 == argc)
            wrong_usage("expected a value after the option", word);
        if (strcmp(word, "--depth") == 0) {
            arguments.settings.depth = number(argv[++i], 1, MAX_DEPTH);
        } else if (strcmp(word, "--load") == 0) {
            arguments.megabytes = number(argv[++i], 0, 1000000000);
        } else if (strcmp(word, "--time") == 0) {
            arguments.settings.milliseconds = number(argv[++i], 1, 3600000);
        } else if (strcmp(word, "--share") == 0) {
            arguments.settings.share = number(argv[++i], 0, 100);
        } else if (strcmp(word, "--columns") == 0) {
            arguments.settings.columns = number(argv[++i], 0, MAX_COUNTERS);
        } else if (strcmp(word, "--random") == 0) {
            arguments.random_plies = number(argv[++i], 0, 100);
        } else if (strcmp(word, "--openings") == 0) {
            arguments.openings = argv[++i];
        } else if (strcmp(word, "--seed") == 0) {
            arguments.seed = number(argv[++i], 0, 1000000000);
        } else if (strcmp(word, "--rules") == 0) {
            arguments.settings.rules = rules_named(argv[++i]);
        } else if (strcmp(word, "--tables") == 0) {
            if (arguments.folder_count == MAX_FOLDERS)
                wrong_usage("expected at most 16 folders", argv[i + 1]);
            arguments.folders[arguments.folder_count++] = argv[++i];
        } else {
            wrong_usage("expected one of the options", word);
        }
    }
    arguments.command = plain[0];
    if (strcmp(plain[0], "perft") != 0 && strcmp(plain[0], "move") != 0
        && strcmp(plain[0], "play") != 0 && strcmp(plain[0], "match") != 0)
        wrong_usage("expected move, play, match or perft", plain[0]);
    wanted = strcmp(plain[0], "perft") == 0 ? 3 : 2;
    if (plain_count != wanted)
        wrong_usage(wanted == 3 ? "expected a position and a depth"
                    : strcmp(plain[0], "match") == 0 ? "expected one number of games"
                                                    : "expected one position",
                    plain[plain_count - 1]);
    if (strcmp(plain[0], "match") == 0) {
        arguments.games = number(plain[1], 1, 1000000);
        if (arguments.games % 2 != 0)
            wrong_usage("expected an even number of games", plain[1]);
        if (arguments.settings.milliseconds == 0)
            arguments.settings.milliseconds = 60;
    } else if (strcmp(plain[1], "start") == 0) {
        arguments.position = start_position();
    } else {
        wrong = read_position(plain[1], &arguments.position);
        if (wrong != NULL)
            wrong_usage(wrong, plain[1]);
    }
    if (wanted == 3)
        arguments.perft_depth = number(plain[2], 0, MAX_DEPTH);
    /* Without a time there is no share of it. */
    if (arguments.settings.milliseconds == 0)
        arguments.settings.share = 0;
    if (arguments.settings.depth == 0)
        arguments.settings.depth = arguments.settings.milliseconds > 0 ? MAX_DEPTH : 8;
    return arguments;
}

/* Opens the tables, if there are any, or ends the program. */
static lasca_tb *open_tables(const struct arguments *arguments)
{
    lasca_tb_options options;
    lasca_tb_load_options load;
    lasca_tb *tables = NULL;
    if (lasca_tb_abi_version() != LASCA_TB_ABI_VERSION) {
        fprintf(stderr, "engine: expected version %d of the tables' interface, found %d\n",
                LASCA_TB_ABI_VERSION, (int)lasca_tb_abi_version());
        exit(1);
    }
    if (arguments->folder_count == 0)
        return NULL;
    lasca_tb_options_init(&options, sizeof options);
    options.rules = (int32_t)arguments->settings.rules;
    if (lasca_tb_open(arguments->folders, arguments->folder_count, &options, &tables)
        != LASCA_TB_OK) {
        fprintf(stderr, "engine: %s\n", lasca_tb_last_error());
        exit(1);
    }
    /* The search asks for win, draw or loss alone. A table that is not loaded only takes longer. */
    lasca_tb_load_options_init(&load, sizeof load);
    load.max_bytes = (uint64_t)arguments->megabytes * 1000000;
    if (arguments->megabytes > 0 && lasca_tb_load(tables, &load, NULL) != LASCA_TB_OK)
        fprintf(stderr, "engine: warning: %s\n", lasca_tb_last_error());
    return tables;
}

/* Says that the engine plays with less than it needs, if it does. */
static void warn_of_missing_distances(const struct engine *engine)
{
    if (engine->without_distances > 0)
        fprintf(stderr,
                "engine: warning: expected both files of each table, found %d without distances "
                "(.ltbd), such as that of %d-%d; won endings in them may be drawn\n",
                engine->without_distances, engine->white_without, engine->black_without);
}

/* Prints a move, and what it is thought to be worth. */
static void print_choice(const struct choice *choice)
{
    char text[MAX_TEXT];
    move_text(&choice->move, text);
    if (choice->forced && !choice->in_tables)
        printf("%s  the only move\n", text);
    else if (choice->drawn)
        printf("%s  draw\n", text);
    else if (!choice->in_tables && !choice->proved)
        printf("%s  score %d\n", text, choice->score);
    else if (choice->value.wdl == LASCA_TB_DRAW)
        printf("%s  draw\n", text);
    else
        printf("%s  %s in %s%d\n", text, choice->value.wdl == LASCA_TB_WIN ? "win" : "loss",
               choice->proved ? "at most " : "", (int)choice->value.dtw);
}

/* Plays a game between two engines that have the same tables. */
static void play(const struct arguments *arguments, const lasca_tb *tables)
{
    static struct engine players[2];
    static struct position passed[MAX_PLIES];
    struct position position = arguments->position;
    struct choice choice;
    int ply, i, times;
    char text[MAX_TEXT];
    init_engine(&players[WHITE], &arguments->settings, tables);
    init_engine(&players[BLACK], &arguments->settings, tables);
    warn_of_missing_distances(&players[WHITE]);
    for (ply = 0;; ply++) {
        for (i = 0, times = 1; i < ply; i++)
            times += same_position(&passed[i], &position);
        if (times == 3 || ply == MAX_PLIES) {
            printf("drawn after %d plies: %s\n", ply,
                   times == 3 ? "the position stands for the third time" : "no end is in sight");
            break;
        }
        passed[ply] = position;
        if (!choose_move(&players[position.side], &position, &choice)) {
            printf("%s wins after %d plies\n", winner_of(&position) == WHITE ? "White" : "Black",
                   ply);
            break;
        }
        print_choice(&choice);
        position = choice.move.after;
    }
    position_text(&position, text);
    printf("%s\n", text);
    free_engine(&players[WHITE]);
    free_engine(&players[BLACK]);
}

int main(int argc, char **argv)
{
    struct arguments arguments = read_arguments(argc, argv);
    lasca_tb *tables;
    if (strcmp(arguments.command, "perft") == 0) {
        uint64_t sequences = perft(&arguments.position, arguments.settings.rules, arguments.perft_depth);
        printf("%llu\n", (unsigned long long)sequences);
        return 0;
    }
    tables = open_tables(&arguments);
    if (strcmp(arguments.command, "match") == 0) {
        struct match match;
        match.settings = arguments.settings;
        match.tables = tables;
        match.games = arguments.games;
        match.random_plies = arguments.random_plies;
        match.seed = (uint64_t)arguments.seed;
        match.openings = arguments.openings ? fopen(arguments.openings, "r") : NULL;
        if (arguments.openings != NULL && match.openings == NULL) {
            fprintf(stderr, "engine: cannot read %s\n", arguments.openings);
            return 2;
        }
        play_match(&match);
        if (match.openings != NULL)
            fclose(match.openings);
    } else if (strcmp(arguments.command, "play") == 0) {
        play(&arguments, tables);
    } else {
        static struct engine engine;
        struct choice choice;
        init_engine(&engine, &arguments.settings, tables);
        warn_of_missing_distances(&engine);
        if (choose_move(&engine, &arguments.position, &choice)) {
            print_choice(&choice);
            fprintf(stderr, "%llu positions searched, %llu probes\n",
                    (unsigned long long)engine.nodes, (unsigned long long)engine.probes);
        } else {
            printf("the game is over\n");
        }
        free_engine(&engine);
    }
    lasca_tb_free(tables);
    return 0;
}
