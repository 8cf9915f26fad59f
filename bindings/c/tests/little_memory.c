/*
 * Leaves itself so many MiB of addresses, and says how the call ends that is named first. bindings/c/tests/programs.rs
 * compiles and runs it in the top folder, on Linux:
 *
 *     little_memory moves|load MIB
 */

#include "lasca_tb.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void leave(const char *mib)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    struct rlimit limit;
    if (!file || fscanf(file, "%lu", &pages) != 1)
        exit(1);
    fclose(file);
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (strtoul(mib, NULL, 10) << 20);
    limit.rlim_max = limit.rlim_cur;
    if (setrlimit(RLIMIT_AS, &limit))
        exit(1);
}

int main(int argc, char **argv)
{
    int status = -1;
    if (argc == 3 && !strcmp(argv[1], "moves")) {
        lasca_tb_position position;
        size_t count = 0;
        if (lasca_tb_position_from_text("c3W b2BBBBB d2BBBBB b4BBBBB d4BBBBBB w", &position))
            return 1;
        leave(argv[2]);
        status = lasca_tb_legal_moves(LASCA_TB_RULES_REJUMP, &position, NULL, 0, &count);
        printf("%d\n", status);
    } else if (argc == 3) {
        const char *folders[] = {"tables"};
        lasca_tb_load_options options = {0};
        lasca_tb *tables = NULL;
        options.with_dtw = 1;
        options.threads = 1;
        if (lasca_tb_open(folders, 1, NULL, &tables))
            return 1;
        leave(argv[2]);
        status = lasca_tb_load(tables, &options, NULL);
        lasca_tb_free(tables);
        printf("%d\n", status);
    }
    return 0;
}
