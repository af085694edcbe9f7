// Compiled with AVX-512's flags and VNNI's; called only after they were detected.
#include <immintrin.h>

#include "kernels/cpu/transformer/int8_rows.h"

namespace reelgrid::kernels::transformer {
namespace {

/// Each 32 bits of `sum` get four products of unsigned by signed bytes. GCC 12 copies a register before and
/// after its own intrinsic.
inline void addProducts(__m512i& sum, __m512i unsignedBytes, __m512i signedBytes) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsignedBytes), "v"(signedBytes));
}

struct VnniPanel : PlainPanel {
    /// Rows · 2 registers of integers, as many of floats, and two of weights.
    template <int kCount>
    static void multiplyRows(const PanelArgs& args) {
        __m512 total[kCount][2];
#pragma GCC unroll 8
        for (int r = 0; r < kCount; ++r) {
            total[r][0] = _mm512_load_ps(args.totals + r * kPanel);
            total[r][1] = _mm512_load_ps(args.totals + r * kPanel + 16);
        }
        for (std::int64_t block = 0; block < args.blocks; ++block) {
            __m512i sum[kCount][2];
#pragma GCC unroll 8
            for (int r = 0; r < kCount; ++r)
                sum[r][0] = sum[r][1] = _mm512_set1_epi32(args.sums[block * kInt8Block + r]);
            const std::int8_t* quads = args.integers + block * kInt8Block;
            const std::uint8_t* panel = args.weights + block * kInt8Block * kPanel;
            for (int quad = 0; quad < kInt8Block / kQuad; ++quad) {
                const __m512i first = _mm512_load_si512(panel + quad * kPanel * kQuad);
                const __m512i second = _mm512_load_si512(panel + quad * kPanel * kQuad + 64);
#pragma GCC unroll 8
                for (int r = 0; r < kCount; ++r) {
                    std::int32_t bits;
                    std::memcpy(&bits, quads + r * args.pitch + quad * kQuad, sizeof bits);
                    const __m512i x = _mm512_set1_epi32(bits);
                    addProducts(sum[r][0], first, x);
                    addProducts(sum[r][1], second, x);
                }
            }
            // The unmasked conversion warns of GCC's own header.
            constexpr __mmask16 kAll = 0xFFFF;
            const __m512 scale = _mm512_set1_ps(args.scales[block]);
            const float* own = args.weightScales + block * args.weightPitch;
            const __m512 factor0 = _mm512_mul_ps(_mm512_loadu_ps(own), scale);
            const __m512 factor1 = _mm512_mul_ps(_mm512_loadu_ps(own + 16), scale);
#pragma GCC unroll 8
            for (int r = 0; r < kCount; ++r) {
                total[r][0] =
                    _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(kAll, sum[r][0]), factor0, total[r][0]);
                total[r][1] =
                    _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(kAll, sum[r][1]), factor1, total[r][1]);
            }
        }
#pragma GCC unroll 8
        for (int r = 0; r < kCount; ++r) {
            _mm512_store_ps(args.totals + r * kPanel, total[r][0]);
            _mm512_store_ps(args.totals + r * kPanel + 16, total[r][1]);
        }
    }

    static void multiply(const PanelArgs& args) {
        switch (args.rows) {
            case 1:
                return multiplyRows<1>(args);
            case 2:
                return multiplyRows<2>(args);
            case 3:
                return multiplyRows<3>(args);
            case 4:
                return multiplyRows<4>(args);
            case 5:
                return multiplyRows<5>(args);
            default:
                return multiplyRows<kRows>(args);
        }
    }
};

}  // namespace

const Int8Rows& int8RowsVnni() {
    static constexpr Int8Rows kRows = int8RowsWith<VnniPanel>();
    return kRows;
}

}  // namespace reelgrid::kernels::transformer
