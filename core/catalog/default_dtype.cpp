#include "core/catalog/default_dtype.h"

namespace reelgrid::catalog {

std::string defaultDtype(const machine::Cpu& cpu) {
    return cpu.has("avx512bf16") ? "bf16" : "fp32";
}

}  // namespace reelgrid::catalog
