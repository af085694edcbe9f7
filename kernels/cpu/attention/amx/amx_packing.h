#pragma once

// K and V in the layouts of amx_tile.h. Included by attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_policies.h"
#include "kernels/cpu/attention/amx/amx_rows.h"

namespace reelgrid::kernels::cpu {
namespace {

inline void packInt8Keys(const PackArgs& args) {
    forType(args.type, [&](auto type) {
        packRows<AmxPanels>(args, 4, [&](int row, float* /*wide*/, std::uint32_t* units) {
            int8Row<decltype(type)::kValue>(rowAt(args, row), args.dim, args.paddedDim, args.mean, nullptr,
                                            args.scales[row / kScaleGrain], units);
        });
    });
}

/// As `Scores` packs keys, and zeros for the missing ones.
template <class Scores>
void packTileKeys(const PackArgs& args) {
    if constexpr (!Scores::kScaled)
        if (packBf16KeysAsTheyAre(args)) return;
    const std::int64_t steps = args.paddedDim / Scores::kDimsPerUnit;
    const int written = (args.count + 15) / 16 * 16;
    std::memset(args.units + written * steps, 0,
                static_cast<std::size_t>((kBlockKeys - written) * steps) * 4);
    if constexpr (Scores::kDimsPerUnit == 4)
        packInt8Keys(args);
    else
        Scores::packKeys(args);
}

/// V in pairs of keys: [kBlockKeys / 32][paddedDim / 16] tiles.
template <class Values>
void packTileValues(const PackArgs& args) {
    if constexpr (!Values::kScaled)
        if (packBf16ValuesAsTheyAre(args, keyOfPair)) return;
    forType(args.type, [&](auto type) {
        constexpr DataType kType = decltype(type)::kValue;
        for (int d = 0; d < args.paddedDim; d += 16) {
            __m512 scale = _mm512_set1_ps(1);
            if constexpr (Values::kScaled) {
                // A channel of zeros has scale 0 and stays zeros.
                scale = _mm512_loadu_ps(args.scales + d);
                scale = _mm512_mask_mov_ps(scale, _mm512_cmp_ps_mask(scale, _mm512_setzero_ps(), _CMP_EQ_OQ),
                                           _mm512_set1_ps(1));
            }
            const Divisor divisor(scale);
            const auto element = [&](int key) {
                if (key >= args.count) return _mm512_setzero_ps();
                const __m512 value = elementsAt<kType>(rowAt(args, key), d, args.dim);
                if constexpr (Values::kScaled)
                    return roundE4m3<Avx512>(divisor.into(value));
                else
                    return value;
            };
            for (int pair = 0; pair < kBlockKeys / 2; ++pair)
                Avx512::store(
                    args.units + pair / 16 * 16 * args.paddedDim + pair % 16 * 16 + d * 16,
                    Bf16Pairs::interleave(element(keyOfPair(pair, 0)), element(keyOfPair(pair, 1))));
        }
    });
}

}  // namespace
}  // namespace reelgrid::kernels::cpu
