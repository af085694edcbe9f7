// Compiled with AMX's flags and AVX-512's; called only after both were detected. With REELGRID_EMULATED_TILES
// on AVX-512 alone, for tests.
#include <immintrin.h>

#include "kernels/cpu/attention/amx/tile_instructions.h"
#include "kernels/cpu/transformer/int8_rows.h"

namespace reelgrid::kernels::transformer {
namespace {

constexpr int kTileRows = 16, kTileBytes = 64;

/// 32 rows by a panel's 32 outputs: four tiles of sums, two of rows, two of weights. A panel lies as tiles
/// want it: the quads of 16 outputs beside each other are a tile's row.
struct AmxPanel {
    static constexpr int kRows = 2 * kTileRows;

    static void begin() { cpu::startTiles(); }
    static void end() { cpu::endTiles(); }

    /// The products of one block of inputs, [kRows][kPanel]; rows beyond the first 16 only where there are
    /// any.
    template <bool kBothHalves>
    static void multiplyBlock(const std::int8_t* integers, std::int64_t pitch, const std::uint8_t* panel,
                              std::int32_t* products) {
        constexpr std::int64_t kPanelBytes = kPanel * kQuad;
        cpu::zeroTile<0>();
        cpu::zeroTile<1>();
        if constexpr (kBothHalves) {
            cpu::zeroTile<2>();
            cpu::zeroTile<3>();
        }
        for (std::int64_t column = 0; column < kInt8Block; column += kTileBytes) {
            cpu::loadTile<4>(integers + column, pitch);
            cpu::loadTile<6>(panel + column * kPanel, kPanelBytes);
            cpu::loadTile<7>(panel + column * kPanel + kTileBytes, kPanelBytes);
            cpu::addSignedUnsignedProduct<0, 4, 6>();
            cpu::addSignedUnsignedProduct<1, 4, 7>();
            if constexpr (kBothHalves) {
                cpu::loadTile<5>(integers + kTileRows * pitch + column, pitch);
                cpu::addSignedUnsignedProduct<2, 5, 6>();
                cpu::addSignedUnsignedProduct<3, 5, 7>();
            }
        }
        constexpr std::int64_t kRowBytes = kPanel * std::int64_t{sizeof(std::int32_t)};
        cpu::storeTile<0>(products, kRowBytes);
        cpu::storeTile<1>(products + kTileRows, kRowBytes);
        if constexpr (kBothHalves) {
            cpu::storeTile<2>(products + kTileRows * kPanel, kRowBytes);
            cpu::storeTile<3>(products + kTileRows * kPanel + kTileRows, kRowBytes);
        }
    }

    static void multiply(const PanelArgs& args) {
        alignas(64) std::int32_t products[kRows * kPanel];
        cpu::memoryBarrier();  // the integers are there
        for (std::int64_t block = 0; block < args.blocks; ++block) {
            const std::int8_t* integers = args.integers + block * kInt8Block;
            const std::uint8_t* panel = args.weights + block * kInt8Block * kPanel;
            if (args.rows > kTileRows)
                multiplyBlock<true>(integers, args.pitch, panel, products);
            else
                multiplyBlock<false>(integers, args.pitch, panel, products);
            cpu::memoryBarrier();
            const __m512 scale = _mm512_set1_ps(args.scales[block]);
            const float* own = args.weightScales + block * args.weightPitch;
            const __m512 factor0 = _mm512_mul_ps(_mm512_loadu_ps(own), scale);
            const __m512 factor1 = _mm512_mul_ps(_mm512_loadu_ps(own + kTileRows), scale);
            for (std::int64_t r = 0; r < args.rows; ++r) {
                const __m512i begin = _mm512_set1_epi32(args.sums[block * kInt8Block + r]);
                add(products + r * kPanel, begin, factor0, args.totals + r * kPanel);
                add(products + r * kPanel + kTileRows, begin, factor1, args.totals + r * kPanel + kTileRows);
            }
        }
    }

    static void add(const std::int32_t* products, __m512i begin, __m512 factor, float* totals) {
        // The unmasked conversion warns of GCC's own header.
        constexpr __mmask16 kAll = 0xFFFF;
        const __m512 sum = _mm512_maskz_cvtepi32_ps(
            kAll, _mm512_add_epi32(_mm512_load_si512(static_cast<const void*>(products)), begin));
        _mm512_store_ps(totals, _mm512_fmadd_ps(sum, factor, _mm512_load_ps(totals)));
    }
};

}  // namespace

const Int8Rows& int8RowsAmx() {
    static constexpr Int8Rows kRows = int8RowsWith<AmxPanel>();
    return kRows;
}

}  // namespace reelgrid::kernels::transformer
