#pragma once

#include <string>

namespace reelgrid::kernels {

/// The variants of the CPU kernels, each with those before it. Amx needs TILE, BF16 and INT8, and the
/// system's permission; Avx512 needs F, BW, VL, VNNI and BF16; Avx2 needs AVX2, FMA and F16C; Portable is
/// plain C++ for any machine.
enum class InstructionSet { Portable, Avx2, Avx512, Amx };

/// As the environment variable REELGRID_CPU spells it: scalar, avx2, avx512, amx.
const char* nameOf(InstructionSet set);

/// The best variant that this machine runs and this build has.
InstructionSet bestInstructionSet();

/// bestInstructionSet(), or what REELGRID_CPU asks for. Throws std::runtime_error naming the value when it
/// isn't a variant or the machine can't run it: a forced variant is never replaced in silence.
InstructionSet selectedInstructionSet();

}  // namespace reelgrid::kernels
