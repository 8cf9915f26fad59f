/* What the test programs check with: a condition that does not hold is told, and counted. */

#include "lasca_tb.h"

#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: failed: %s (last error: %s)\n", __FILE__, __LINE__,           \
                    #condition, lasca_tb_last_error());                                           \
            failures++;                                                                           \
        }                                                                                         \
    } while (0)
