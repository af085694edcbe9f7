#pragma once

// One task of the convolution: a patch of tiles over all frames. Included by one source an instruction set.

#include <algorithm>
#include <atomic>

#include "kernels/cpu/vae/vae_conv_patch.h"
#include "kernels/cpu/vae/vae_conv_plan.h"
#include "kernels/cpu/vae/vae_conv_winograd.h"

namespace reelgrid::kernels {
namespace {

// Tiles whose sums stay in registers together: with three vectors of channels each, 24 of 32 registers or 12
// of 16.
#ifdef __AVX512F__
constexpr int kTilesTogether = 8;
#else
constexpr int kTilesTogether = 4;
#endif

/// L lanes for the pixels' channels; BL lanes and BV vectors for a block of output channels.
template <int L, int BL, int BV>
class VaeConvTask {
  public:
    VaeConvTask(const VaeConv& conv, const VaeConvPlan& plan, float* scratch)
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
                writeTiles(frame, block);
            }
        }
    }

  private:
    static constexpr int kWidth = BL * BV;
    using Float = typename Lanes<L>::Float;
    using Sum = typename Lanes<BL>::Float;

    [[nodiscard]] float* transformed(int frame) const {
        return m_transformed + std::size_t(frame % m_conv.timeTaps) * m_plan.transformedFloats();
    }

    void transformFrame(int frame) {
        if (m_conv.inFrames[frame] == nullptr) return;
        m_patch.fill(m_conv.inFrames[frame], m_window);
        for (int row = 0; row < m_window.rows; ++row) {
            for (int column = 0; column < m_window.columns; ++column) transformTile(frame, row, column);
        }
    }

    void transformTile(int frame, int row, int column) const {
        const int channels = m_conv.inChannels;
        const std::size_t rowFloats = std::size_t(m_window.columns * kTile + 2) * std::size_t(channels);
        const float* from = m_patch.tile(row, column, m_window.columns);
        float* to = transformed(frame) + std::size_t(row * m_window.columns + column) * std::size_t(channels);
        for (int c = 0; c < channels; c += L) {
            Float half[kTileInput][kTileInput];  // [column][transformed row]
            for (int x = 0; x < kTileInput; ++x) {
                Float d[kTileInput];
                for (int y = 0; y < kTileInput; ++y) {
                    d[y] = load<L>(from + std::size_t(y) * rowFloats + std::size_t(x * channels + c));
                }
                transformInput(d, half[x]);
            }
            for (int y = 0; y < kTileInput; ++y) {
                const Float d[kTileInput] = {half[0][y], half[1][y], half[2][y],
                                             half[3][y], half[4][y], half[5][y]};
                Float v[kTileInput];
                transformInput(d, v);
                for (int x = 0; x < kTileInput; ++x) {
                    store<L>(to + std::size_t(y * kTileInput + x) * m_plan.positionStride + c, v[x]);
                }
            }
        }
    }

    /// For each position, the sums over taps and input channels of a block of output channels, for all tiles.
    void multiply(int frame, int block) const {
        const int tiles = m_window.rows * m_window.columns;
        const std::size_t tapFloats = std::size_t(m_conv.inChannels) * kWidth;
        const float* weights =
            m_conv.weights + std::size_t(block) * kPositions * std::size_t(m_conv.timeTaps) * tapFloats;
        for (int position = 0; position < kPositions; ++position) {
            const std::size_t offset = std::size_t(position) * m_plan.positionStride;
            for (int tile = 0; tile < tiles; tile += kTilesTogether) {
                multiplyTiles(frame, weights, offset + std::size_t(tile) * std::size_t(m_conv.inChannels),
                              m_sums + std::size_t(position) * m_plan.sumStride + std::size_t(tile) * kWidth);
            }
            weights += std::size_t(m_conv.timeTaps) * tapFloats;
        }
    }

    [[gnu::always_inline]] void multiplyTiles(int frame, const float* weights, std::size_t offset,
                                              float* to) const {
        const int channels = m_conv.inChannels;
        Sum sums[kTilesTogether][BV] = {};
        for (int tap = 0; tap < m_conv.timeTaps; ++tap) {
            if (m_conv.inFrames[frame + tap] == nullptr) continue;
            const float* in = transformed(frame + tap) + offset;
            const float* w = weights + std::size_t(tap) * std::size_t(channels) * kWidth;
            for (int c = 0; c < channels; ++c, w += kWidth) {
                Sum of[BV];
#pragma GCC unroll 8
                for (int v = 0; v < BV; ++v) of[v] = load<BL>(w + v * BL);
#pragma GCC unroll 8
                for (int i = 0; i < kTilesTogether; ++i) {
                    const Sum value = splat<BL>(in[i * channels + c]);
#pragma GCC unroll 8
                    for (int v = 0; v < BV; ++v) sums[i][v] += value * of[v];
                }
            }
        }
#pragma GCC unroll 8
        for (int i = 0; i < kTilesTogether; ++i) {
#pragma GCC unroll 8
            for (int v = 0; v < BV; ++v) store<BL>(to + i * kWidth + v * BL, sums[i][v]);
        }
    }

    void writeTiles(int frame, int block) const {
        for (int row = 0; row < m_window.rows; ++row) {
            for (int column = 0; column < m_window.columns; ++column) {
                const int y = (m_window.firstRow + row) * kTile, x = (m_window.firstColumn + column) * kTile;
                const float* sums = m_sums + std::size_t(row * m_window.columns + column) * kWidth;
                for (int v = 0; v < BV; ++v) writeTile(frame, y, x, block * kWidth + v * BL, sums + v * BL);
            }
        }
    }

    void writeTile(int frame, int top, int left, int channel, const float* sums) const {
        Sum half[kTile][kTileInput];  // [output row][position's column]
        for (int x = 0; x < kTileInput; ++x) {
            Sum m[kTileInput], y[kTile];
            for (int i = 0; i < kTileInput; ++i) {
                m[i] = load<BL>(sums + std::size_t(i * kTileInput + x) * m_plan.sumStride);
            }
            transformOutput(m, y);
            for (int i = 0; i < kTile; ++i) half[i][x] = y[i];
        }
        const Sum bias = load<BL>(m_conv.bias + channel);
        const auto out = std::size_t(m_conv.outChannels);
        const int rows = std::min(kTile, m_conv.rows - top), columns = std::min(kTile, m_conv.columns - left);
        for (int y = 0; y < rows; ++y) {
            Sum values[kTile];
            transformOutput(half[y], values);
            std::size_t at = ((std::size_t(frame) * std::size_t(m_conv.rows) + std::size_t(top + y)) *
                                  std::size_t(m_conv.columns) +
                              std::size_t(left)) *
                                 out +
                             std::size_t(channel);
            for (int x = 0; x < columns; ++x, at += out) {
                Sum value = values[x] + bias;
                if (m_conv.residual != nullptr) value += load<BL>(m_conv.residual + at);
                store<BL>(m_conv.out + at, value);
            }
        }
    }

    const VaeConv& m_conv;
    const VaeConvPlan& m_plan;
    VaeConvPatch<L> m_patch;
    float* m_transformed;   ///< a ring of timeTaps frames, each [position][tile][C]
    float* m_sums;          ///< [position][tile][block]
    TileWindow m_window{};  ///< of the task
};

template <int L, int BL, int BV>
void runTasks(const VaeConv& conv, std::atomic<std::int64_t>& nextTask, float* scratch) {
    const VaeConvPlan plan(conv, BL * BV);
    VaeConvTask<L, BL, BV> task(conv, plan, scratch);
    const std::int64_t tasks = std::int64_t(plan.tasksDown) * plan.tasksAcross;
    for (std::int64_t i = nextTask++; i < tasks; i = nextTask++) task.run(i);
}

template <int BL, int BV>
void runTasksOfBlock(const VaeConv& conv, std::atomic<std::int64_t>& nextTask, float* scratch) {
#ifdef __AVX512F__
    if (conv.inChannels % 16 == 0) return runTasks<16, BL, BV>(conv, nextTask, scratch);
#endif
    runTasks<8, BL, BV>(conv, nextTask, scratch);
}

}  // namespace
}  // namespace reelgrid::kernels
