#pragma once

#include <string>

namespace reelgrid::kernels {

/// The variants of the CPU kernels, each with those before it. Amx needs TILE, BF16 and INT8, and the
/// system's permission; Avx512 needs F, BW, VL and DQ, and for narrow products VNNI and BF16 too; Avx2 needs
/// AVX2, FMA and F16C; Portable is plain C++ for any machine.
enum class InstructionSet { Portable, Avx2, Avx512, Amx };

/// As the environment variable REELGRID_CPU spells it: scalar, avx2, avx512, amx.
const char* nameOf(InstructionSet set);

/// What decides between the variants.
struct ProcessorFeatures {
    bool avx2 = false;            ///< AVX2, FMA and F16C
    bool avx512 = false;          ///< F, BW, VL and DQ
    bool narrowProducts = false;  ///< VNNI and BF16 on AVX-512's registers
    bool tiles = false;           ///< TILE, BF16 and INT8, and Linux lets this process use them
};

/// This machine's; none of them in a build without x86 sources.
const ProcessorFeatures& processorFeatures();

/// What a kernel's sources multiply. Those that need no narrow products run on the AVX-512 of processors
/// before Cooper Lake and Zen 4.
enum class Products { Fp32, Narrow };

/// The best variant for sources with such products.
InstructionSet bestInstructionSet(Products products = Products::Narrow,
                                  const ProcessorFeatures& features = processorFeatures());

/// bestInstructionSet(), or what REELGRID_CPU asks for: the one choice that attention, the transformer's rows
/// and the VAE's convolutions share (those without AMX sources take AVX-512's for Amx). Throws
/// std::runtime_error naming the value when it isn't a variant or the machine can't run attention on it: a
/// forced variant is never replaced in silence.
InstructionSet selectedInstructionSet(Products products = Products::Narrow);

}  // namespace reelgrid::kernels
