// Compiled with this instruction set's flags; called only after it was detected.
#include "kernels/cpu/transformer/fused_rows.h"

namespace reelgrid::kernels::transformer {

const FusedRows& fusedAvx512() {
    return kRows;
}

}  // namespace reelgrid::kernels::transformer
