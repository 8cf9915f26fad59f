/* What the test programs share. A condition that does not hold is told, and counted. */

#include "lasca_tb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: failed: %s (last error: %s)\n", __FILE__, __LINE__,           \
                    #condition, lasca_tb_last_error());                                           \
            failures++;                                                                           \
        }                                                                                         \
    } while (0)

/* Ends the program if a call fails that everything rests on. */
static inline void or_exit(lasca_tb_status status, const char *what)
{
    if (status == LASCA_TB_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, lasca_tb_last_error());
    exit(1);
}

/* The call fails with this status, and the last error has these words. */
#define FAILS(call, status, words)                                                                \
    CHECK((call) == (status) && strstr(lasca_tb_last_error(), words) != NULL)

static inline lasca_tb *open_or_exit(const char *folder, const lasca_tb_options *options)
{
    lasca_tb *tables = NULL;
    or_exit(lasca_tb_open(&folder, 1, options, &tables), folder);
    return tables;
}

static inline lasca_tb_position position_of(const char *text)
{
    lasca_tb_position position;
    or_exit(lasca_tb_position_from_text(text, &position), text);
    return position;
}

/* Whether two moves name the same squares and lead to the same position. */
static inline int same_move(const lasca_tb_move *a, const lasca_tb_move *b)
{
    return memcmp(a->squares, b->squares, sizeof a->squares) == 0
           && memcmp(&a->after, &b->after, sizeof a->after) == 0;
}

/* The status of the program. */
static inline int told(void)
{
    if (failures == 0)
        printf("all checks passed\n");
    else
        fprintf(stderr, "%d checks failed\n", failures);
    return failures > 0;
}
