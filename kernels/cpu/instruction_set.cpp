#include "kernels/cpu/instruction_set.h"

#include <cstdlib>
#include <stdexcept>

namespace reelgrid::kernels {

const char* nameOf(InstructionSet set) {
    switch (set) {
        case InstructionSet::Portable:
            return "scalar";
        case InstructionSet::Avx2:
            return "avx2";
        case InstructionSet::Avx512:
            return "avx512";
    }
    return "unknown";
}

InstructionSet bestInstructionSet() {
#if defined(REELGRID_X86_KERNELS)
    // These ask cpuid, and the operating system whether it saves the wide registers.
    __builtin_cpu_init();
    const bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni") &&
                        __builtin_cpu_supports("avx512bf16");
    if (avx2 && avx512) return InstructionSet::Avx512;
    if (avx2) return InstructionSet::Avx2;
#endif
    return InstructionSet::Portable;
}

InstructionSet selectedInstructionSet() {
    const InstructionSet best = bestInstructionSet();
    const char* forced = std::getenv("REELGRID_CPU");
    if (forced == nullptr || *forced == '\0') return best;
    const std::string wanted = forced;
    for (const auto set : {InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (wanted != nameOf(set)) continue;
        if (set > best)
            throw std::runtime_error("REELGRID_CPU=" + wanted + ": this machine runs " + nameOf(best) +
                                     " at most");
        return set;
    }
    throw std::runtime_error("REELGRID_CPU=" + wanted + ": must be scalar, avx2 or avx512");
}

}  // namespace reelgrid::kernels
