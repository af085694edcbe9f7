// Compiled with AVX2's flags; called only after it was detected.
#include <immintrin.h>

#include "kernels/cpu/transformer/int8_rows.h"

namespace reelgrid::kernels::transformer {
namespace {

struct Avx2Panel : PlainPanel {
    /// 8 outputs of one row: products of 16 bits, as those of 8 bits saturate. Two registers hold, of 4
    /// outputs each, the sums of the first and of the second pair of each quad.
    static void multiplyEight(const std::uint8_t* weights, const std::int8_t* integers, __m256i& low,
                              __m256i& high) {
        for (int quad = 0; quad < kInt8Block / kQuad; ++quad) {
            std::int32_t bits;
            std::memcpy(&bits, integers + quad * kQuad, sizeof bits);
            const __m256i x = _mm256_broadcastq_epi64(_mm_cvtepi8_epi16(_mm_cvtsi32_si128(bits)));
            const auto* from = reinterpret_cast<const __m128i*>(weights + quad * kPanel * kQuad);
            low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_loadu_si128(from)), x));
            high =
                _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_loadu_si128(from + 1)), x));
        }
    }

    static void multiply(const PanelArgs& args) {
        for (int eight = 0; eight < kPanel; eight += 8)
            for (std::int64_t r = 0; r < args.rows; ++r) {
                float* totals = args.totals + r * kPanel + eight;
                __m256 total = _mm256_load_ps(totals);
                for (std::int64_t block = 0; block < args.blocks; ++block) {
                    __m256i low = _mm256_setzero_si256(), high = low;
                    multiplyEight(args.weights + block * kInt8Block * kPanel + eight * kQuad,
                                  args.integers + r * args.pitch + block * kInt8Block, low, high);
                    // Sums of outputs 0 1 4 5 2 3 6 7.
                    const __m256i pairs = _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xD8);
                    const __m256i sum =
                        _mm256_add_epi32(pairs, _mm256_set1_epi32(args.sums[block * kInt8Block + r]));
                    const __m256 factor =
                        _mm256_mul_ps(_mm256_loadu_ps(args.weightScales + block * args.weightPitch + eight),
                                      _mm256_set1_ps(args.scales[block]));
                    total = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), factor, total);
                }
                _mm256_store_ps(totals, total);
            }
    }
};

}  // namespace

const Int8Rows& int8RowsAvx2() {
    static constexpr Int8Rows kRows = int8RowsWith<Avx2Panel>();
    return kRows;
}

}  // namespace reelgrid::kernels::transformer
