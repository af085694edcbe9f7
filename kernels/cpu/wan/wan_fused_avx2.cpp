// Compiled with this instruction set's flags; called only after it was detected.
#include "kernels/cpu/wan/wan_fused_rows.h"

namespace reelgrid::kernels::wan {

const WanFusedRows& wanFusedAvx2() {
    return kRows;
}

}  // namespace reelgrid::kernels::wan
