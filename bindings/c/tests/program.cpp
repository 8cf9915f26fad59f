// The header in C++: every initializer, and calls by the dynamic library.
#include "lasca_tb.h"

lasca_tb_options options = LASCA_TB_OPTIONS_INIT;
lasca_tb_load_options load = LASCA_TB_LOAD_OPTIONS_INIT;
lasca_tb_table table = LASCA_TB_TABLE_INIT;
lasca_tb_search_options search = LASCA_TB_SEARCH_OPTIONS_INIT;
lasca_tb_search_limits limits = LASCA_TB_SEARCH_LIMITS_INIT;

int main()
{
    lasca_tb_move moved = {};
    lasca_tb_probe_wdl(nullptr, &moved.after, &moved.value.wdl);
    return lasca_tb_abi_version() == LASCA_TB_ABI_VERSION ? 0 : 1;
}
