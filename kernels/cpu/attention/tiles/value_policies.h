#pragma once

// What P and V are rounded to before their product. Included by the sources of the instruction sets only (see
// attention_tile.h).

#include <cstring>

#include "kernels/cpu/attention/tiles/row_arithmetic.h"

namespace reelgrid::kernels::cpu {

/// As `Arithmetic` rounds them.
template <class Isa, class Arithmetic>
struct PlainValues : Arithmetic {
    static constexpr bool kScaled = false;
    /// P is 2^kOffset times the weight: it moves P up in the range of its type.
    static constexpr int kOffset = 0;
};

/// e4m3 operands: V divided by its scales, P times 2^Offset, in an arithmetic that holds e4m3 values exactly.
template <class Isa, class Arithmetic, int Offset>
struct E4m3Values : Arithmetic {
    using Float = typename Isa::Float;
    static constexpr bool kScaled = true;
    static constexpr int kOffset = Offset;
    static constexpr int kExpDegree = 4;  // far below the rounding of P

    static void storeWeights(std::uint32_t* units, Float first, Float second) {
        Arithmetic::storeWeights(units, roundE4m3<Isa>(first), roundE4m3<Isa>(second));
    }
};

/// sagev2's and sagesla's: P times 448, SageAttention2's S_FP8_OFFSET.
template <class Isa, class Arithmetic>
struct RaisedE4m3Values : E4m3Values<Isa, Arithmetic, 0> {
    static constexpr float kOffset = 8.807F;
};

/// V in units along keys: [paddedDim / kRows][kBlockKeys / kPerUnit][kRows].
template <class Isa, class Values>
void packValues(const PackArgs& args) {
    constexpr int kPerUnit = Values::kPerUnit;
    const int steps = kBlockKeys / kPerUnit;
    float* wide = args.scratch;
    auto* row = reinterpret_cast<std::uint32_t*>(args.scratch + kPerUnit * kMaxHeadDim);
    float divisors[kMaxHeadDim];
    if constexpr (Values::kScaled) {
        // A channel of zeros has scale 0 and stays zeros.
        for (int d = 0; d < args.paddedDim; ++d) divisors[d] = args.scales[d] == 0 ? 1.0F : args.scales[d];
    }
    const int rows = (args.count + Isa::kRows - 1) / Isa::kRows * Isa::kRows;
    for (int step = 0; step < rows / kPerUnit; ++step) {
        for (int i = 0; i < kPerUnit; ++i) {
            float* one = wide + i * kMaxHeadDim;
            if (step * kPerUnit + i >= args.count) {
                std::memset(one, 0, static_cast<std::size_t>(args.paddedDim) * sizeof(float));
                continue;
            }
            widenRow<Isa>(args, step * kPerUnit + i, one);
            if constexpr (Values::kScaled) {
                for (int d = 0; d < args.paddedDim; ++d) one[d] /= divisors[d];
                for (int d = 0; d < args.paddedDim; d += Isa::kLanes)
                    Isa::storeFloat(one + d, roundE4m3<Isa>(Isa::loadFloat(one + d)));
            }
        }
        Values::encodeAcross(wide, wide + (kPerUnit - 1) * kMaxHeadDim, args.paddedDim, row);
        for (int d = 0; d < args.paddedDim; d += Isa::kRows)
            std::memcpy(args.units + (d / Isa::kRows * steps + step) * Isa::kRows, row + d, Isa::kRows * 4);
    }
}

}  // namespace reelgrid::kernels::cpu
