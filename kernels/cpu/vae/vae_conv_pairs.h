#pragma once

// One task of the convolution where the output channels are an odd number of half vectors: two tiles share a
// vector. Included by AVX-512's source alone.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "kernels/cpu/vae/vae_conv_patch.h"
#include "kernels/cpu/vae/vae_conv_plan.h"
#include "kernels/cpu/vae/vae_conv_winograd.h"

namespace reelgrid::kernels {
namespace {

/// Blocks of 16·F + 8 output channels. The sums of a pair of tiles, a and b, are 2F + 1 vectors: F of a, one
/// whose lanes are in turn a's and b's last 8 channels, F of b. So the factors of the shared one are pairs of
/// a and b, too, one for each input channel: transformed frames lie as [position][pair][C][a, b].
///
/// L lanes go over a pixel's channels. Every number is computed as VaeConvTask computes it, in the same
/// order.
template <int L, int F>
class VaeConvPairTask {
  public:
    VaeConvPairTask(const VaeConv& conv, const VaeConvPlan& plan, float* scratch)
        : m_conv(conv),
          m_plan(plan),
          m_patch(conv, scratch),
          m_transformed(scratch + plan.patchFloats),
          m_sums(m_transformed + std::size_t(conv.timeTaps) * plan.transformedFloats()) {
        // The tiles that only fill up the last block: their sums are not used, but should be numbers.
        std::fill(m_transformed, m_sums, 0.0f);
    }

    void run(std::int64_t task) {
        m_window = windowOf(m_plan, task);
        const int taps = m_conv.timeTaps;
        for (int frame = 0; frame < taps - 1; ++frame) transformFrame(frame);
        for (int frame = 0; frame < m_conv.frames; ++frame) {
            transformFrame(frame + taps - 1);
            for (int block = 0; block < m_conv.outChannels / kWidth; ++block) {
                multiply(frame, block);
                for (int pair = 0; pair < pairs(); ++pair) writePair(frame, block, pair);
            }
        }
    }

  private:
    static constexpr int kWidth = 16 * F + 8;
    static constexpr int kVectors = 2 * F + 1;
    using Half = Lanes<8>::Float;
    using Float = Lanes<16>::Float;

    static Float inTurn(Float ab) {
        return __builtin_shufflevector(ab, ab, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    static Half lanesOfA(Float inTurn) {
        return __builtin_shufflevector(inTurn, inTurn, 0, 2, 4, 6, 8, 10, 12, 14);
    }
    static Half lanesOfB(Float inTurn) {
        return __builtin_shufflevector(inTurn, inTurn, 1, 3, 5, 7, 9, 11, 13, 15);
    }
    static Float twice(Half x) {
        return __builtin_shufflevector(x, x, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    }
    /// The two numbers, in turn, in all lanes.
    static Float splatPair(const float* ab) {
        typedef double Wide __attribute__((vector_size(64)));
        double bits;
        std::memcpy(&bits, ab, sizeof bits);
        return std::bit_cast<Float>(Wide{bits, bits, bits, bits, bits, bits, bits, bits});
    }

    [[nodiscard]] int tiles() const { return m_window.rows * m_window.columns; }
    [[nodiscard]] int pairs() const { return (tiles() + 1) / 2; }
    [[nodiscard]] float* transformed(int frame) const {
        return m_transformed + std::size_t(frame % m_conv.timeTaps) * m_plan.transformedFloats();
    }
    [[nodiscard]] const float* patchOf(int tile) const {
        return m_patch.tile(tile / m_window.columns, tile % m_window.columns, m_window.columns);
    }

    void transformFrame(int frame) {
        if (m_conv.inFrames[frame] == nullptr) return;
        m_patch.fill(m_conv.inFrames[frame], m_window);
        for (int pair = 0; pair < pairs(); ++pair) transformPair(frame, pair);
    }

    /// Of an odd number the last tile is its own neighbour.
    void transformPair(int frame, int pair) const {
        const auto channels = std::size_t(m_conv.inChannels);
        const std::size_t rowFloats = std::size_t(m_window.columns * kTile + 2) * channels;
        const float *a = patchOf(2 * pair), *b = patchOf(std::min(2 * pair + 1, tiles() - 1));
        float* to = transformed(frame) + std::size_t(2 * pair) * channels;
        for (std::size_t c = 0; c < channels; c += 8) {
            Float half[kTileInput][kTileInput];  // [column][transformed row]
            for (std::size_t x = 0; x < kTileInput; ++x) {
                Float d[kTileInput];
                for (std::size_t y = 0; y < kTileInput; ++y) {
                    const std::size_t at = y * rowFloats + x * channels + c;
                    d[y] = joined(load<8>(a + at), load<8>(b + at));
                }
                transformInput(d, half[x]);
            }
            for (std::size_t y = 0; y < kTileInput; ++y) {
                const Float d[kTileInput] = {half[0][y], half[1][y], half[2][y],
                                             half[3][y], half[4][y], half[5][y]};
                Float v[kTileInput];
                transformInput(d, v);
                for (std::size_t x = 0; x < kTileInput; ++x)
                    store<16>(to + (y * kTileInput + x) * m_plan.positionStride + 2 * c, inTurn(v[x]));
            }
        }
    }

    void multiply(int frame, int block) const {
        const std::size_t tapFloats = std::size_t(m_conv.inChannels) * kWidth;
        const float* weights =
            m_conv.weights + std::size_t(block) * kPositions * std::size_t(m_conv.timeTaps) * tapFloats;
        for (std::size_t position = 0; position < kPositions; ++position) {
            const std::size_t from = position * m_plan.positionStride;
            float* to = m_sums + position * m_plan.sumStride;
            for (int pair = 0; pair < pairs();) {
                const bool isLong = pairs() - pair > 4 && 2 * (pair + 8) <= m_plan.paddedTiles;
                if (isLong)
                    multiplyPairs<8>(frame, weights, from, pair, to);
                else
                    multiplyPairs<4>(frame, weights, from, pair, to);
                pair += isLong ? 8 : 4;
            }
            weights += std::size_t(m_conv.timeTaps) * tapFloats;
        }
    }

    /// P pairs' sums stay in registers. A function of its own, so that its pointers do, too.
    template <int P>
    [[gnu::noinline]] void multiplyPairs(int frame, const float* weights, std::size_t from, int pair,
                                         float* sumsOfPosition) const {
        const auto channels = std::size_t(m_conv.inChannels);
        Float sums[P][kVectors] = {};
        for (int tap = 0; tap < m_conv.timeTaps; ++tap) {
            if (m_conv.inFrames[frame + tap] == nullptr) continue;
            const float* in = transformed(frame + tap) + from + std::size_t(2 * pair) * channels;
            const float* w = weights + std::size_t(tap) * channels * kWidth;
            for (std::size_t c = 0; c < channels; ++c, w += kWidth, in += 2) {
                Float whole[F > 0 ? F : 1];
#pragma GCC unroll 8
                for (int f = 0; f < F; ++f) whole[f] = load<16>(w + 16 * f);
                const Float shared = twice(load<8>(w + 16 * F));
#pragma GCC unroll 8
                for (int i = 0; i < P; ++i) {
                    const float* ab = in + std::size_t(2 * i) * channels;
#pragma GCC unroll 8
                    for (int f = 0; f < F; ++f) {
                        sums[i][f] += splat<16>(ab[0]) * whole[f];
                        sums[i][F + 1 + f] += splat<16>(ab[1]) * whole[f];
                    }
                    sums[i][F] += splatPair(ab) * shared;
                }
            }
        }
        float* to = sumsOfPosition + std::size_t(2 * pair) * kWidth;
#pragma GCC unroll 8
        for (int i = 0; i < P; ++i) {
#pragma GCC unroll 8
            for (int v = 0; v < kVectors; ++v) store<16>(to + (i * kVectors + v) * 16, sums[i][v]);
        }
    }

    void writePair(int frame, int block, int pair) const {
        const float* sums = m_sums + std::size_t(2 * pair) * kWidth;
        const bool hasB = 2 * pair + 1 < tiles();
        for (int v = 0; v < kVectors; ++v) {
            Float pixels[kTile][kTile];
            outputOf(sums + v * 16, pixels);
            const int channel = block * kWidth + 16 * (v > F ? v - F - 1 : v);
            if (v < F) {
                writeTile<16>(frame, 2 * pair, channel, [&](int y, int x) { return pixels[y][x]; });
            } else if (v == F) {
                writeTile<8>(frame, 2 * pair, channel, [&](int y, int x) { return lanesOfA(pixels[y][x]); });
                if (hasB)
                    writeTile<8>(frame, 2 * pair + 1, channel,
                                 [&](int y, int x) { return lanesOfB(pixels[y][x]); });
            } else if (hasB) {
                writeTile<16>(frame, 2 * pair + 1, channel, [&](int y, int x) { return pixels[y][x]; });
            }
        }
    }

    void outputOf(const float* sums, Float (&pixels)[kTile][kTile]) const {
        Float half[kTile][kTileInput];  // [output row][position's column]
        for (std::size_t x = 0; x < kTileInput; ++x) {
            Float m[kTileInput], y[kTile];
            for (std::size_t i = 0; i < kTileInput; ++i)
                m[i] = load<16>(sums + (i * kTileInput + x) * m_plan.sumStride);
            transformOutput(m, y);
            for (int i = 0; i < kTile; ++i) half[i][x] = y[i];
        }
        for (int y = 0; y < kTile; ++y) transformOutput(half[y], pixels[y]);
    }

    /// `Lane` channels of a tile's pixels, those within the picture.
    template <int Lane, class Pixel>
    [[gnu::always_inline]] void writeTile(int frame, int tile, int channel, const Pixel& pixel) const {
        const int top = (m_window.firstRow + tile / m_window.columns) * kTile,
                  left = (m_window.firstColumn + tile % m_window.columns) * kTile;
        const auto bias = load<Lane>(m_conv.bias + channel);
        const auto out = std::size_t(m_conv.outChannels);
        const std::size_t rowFloats = std::size_t(m_conv.columns) * out;
        std::size_t at = (std::size_t(frame) * std::size_t(m_conv.rows) + std::size_t(top)) * rowFloats +
                         std::size_t(left) * out + std::size_t(channel);
        const int rows = std::min(kTile, m_conv.rows - top), columns = std::min(kTile, m_conv.columns - left);
#pragma GCC unroll 4
        for (int y = 0; y < kTile; ++y, at += rowFloats) {
            if (y >= rows) break;
#pragma GCC unroll 4
            for (int x = 0; x < kTile; ++x) {
                if (x >= columns) break;
                const std::size_t to = at + std::size_t(x) * out;
                auto value = pixel(y, x) + bias;
                if (m_conv.residual != nullptr) value += load<Lane>(m_conv.residual + to);
                store<Lane>(m_conv.out + to, value);
            }
        }
    }

    const VaeConv& m_conv;
    const VaeConvPlan& m_plan;
    VaeConvPatch<L> m_patch;
    float* m_transformed;   ///< a ring of timeTaps frames, each [position][pair][C][2]
    float* m_sums;          ///< [position][pair][2F + 1 vectors]
    TileWindow m_window{};  ///< of the task
};

template <int L, int F>
void runPairTasksOf(const VaeConv& conv, std::atomic<std::int64_t>& nextTask, float* scratch) {
    const VaeConvPlan plan(conv, 16 * F + 8);
    VaeConvPairTask<L, F> task(conv, plan, scratch);
    const std::int64_t tasks = std::int64_t(plan.tasksDown) * plan.tasksAcross;
    for (std::int64_t i = nextTask++; i < tasks; i = nextTask++) task.run(i);
}

template <int F>
void runPairTasks(const VaeConv& conv, std::atomic<std::int64_t>& nextTask, float* scratch) {
    if (conv.inChannels % 16 == 0) return runPairTasksOf<16, F>(conv, nextTask, scratch);
    runPairTasksOf<8, F>(conv, nextTask, scratch);
}

}  // namespace
}  // namespace reelgrid::kernels
