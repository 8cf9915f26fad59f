// The header in C++: structs of zeros, and calls by the dynamic library.
#include "lasca_tb.h"

lasca_tb_options options = {};
lasca_tb_limits limits = {};

int main()
{
    lasca_tb_move moved = {};
    lasca_tb_probe_wdl(nullptr, &moved.after, &moved.value.wdl);
    return lasca_tb_abi_version() == LASCA_TB_ABI_VERSION ? 0 : 1;
}
