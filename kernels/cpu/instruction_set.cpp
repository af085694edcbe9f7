#include "kernels/cpu/instruction_set.h"

#include <cstdlib>
#include <stdexcept>

#if defined(REELGRID_X86_KERNELS)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace reelgrid::kernels {

#if defined(REELGRID_X86_KERNELS)
namespace {

/// Whether the machine has the matrix tiles and Linux lets this process use them: their registers are so
/// large that a process must ask first (arch_prctl(2), ARCH_REQ_XCOMP_PERM).
bool tilesAreGranted() {
#if defined(REELGRID_EMULATED_TILES)
    return true;  // they run on AVX-512
#else
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
    constexpr unsigned kBf16 = 1U << 22, kTile = 1U << 24, kInt8 = 1U << 25;
    if ((d & (kBf16 | kTile | kInt8)) != (kBf16 | kTile | kInt8)) return false;
    constexpr long kRequestPermission = 0x1023, kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#endif
}

}  // namespace
#endif

const char* nameOf(InstructionSet set) {
    switch (set) {
        case InstructionSet::Portable:
            return "scalar";
        case InstructionSet::Avx2:
            return "avx2";
        case InstructionSet::Avx512:
            return "avx512";
        case InstructionSet::Amx:
            return "amx";
    }
    return "unknown";
}

const ProcessorFeatures& processorFeatures() {
#if defined(REELGRID_X86_KERNELS)
    static const ProcessorFeatures features = [] {
        // These ask cpuid, and the operating system whether it saves the wide registers.
        __builtin_cpu_init();
        ProcessorFeatures found;
        found.avx2 =
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
        found.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
        found.narrowProducts = __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
        found.tiles =
            found.avx512 && found.narrowProducts && __builtin_cpu_supports("avx512vbmi") && tilesAreGranted();
        return found;
    }();
#else
    static const ProcessorFeatures features;
#endif
    return features;
}

InstructionSet bestInstructionSet(Products products, const ProcessorFeatures& features) {
    if (!features.avx2) return InstructionSet::Portable;
    if (!features.avx512) return InstructionSet::Avx2;
    if (!features.narrowProducts)
        return products == Products::Fp32 ? InstructionSet::Avx512 : InstructionSet::Avx2;
    return features.tiles ? InstructionSet::Amx : InstructionSet::Avx512;
}

InstructionSet selectedInstructionSet(Products products) {
    const char* forced = std::getenv("REELGRID_CPU");
    if (forced == nullptr || *forced == '\0') return bestInstructionSet(products);
    const InstructionSet best = bestInstructionSet();
    const std::string wanted = forced;
    for (const auto set :
         {InstructionSet::Portable, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Amx}) {
        if (wanted != nameOf(set)) continue;
        if (set > best)
            throw std::runtime_error("REELGRID_CPU=" + wanted + ": this machine runs " + nameOf(best) +
                                     " at most");
        return set;
    }
    throw std::runtime_error("REELGRID_CPU=" + wanted + ": must be scalar, avx2, avx512 or amx");
}

}  // namespace reelgrid::kernels
