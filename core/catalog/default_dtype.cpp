#include "core/catalog/default_dtype.h"

namespace reelgrid::catalog {

std::string defaultDtype() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bf16") != 0) return "bf16";
#endif
    return "fp32";
}

}  // namespace reelgrid::catalog
