#pragma once

// The input pixels of one task of the convolution. Included by one source an instruction set.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cpu/vae/vae_conv_plan.h"
#include "kernels/cpu/vae/vae_conv_vector.h"

namespace reelgrid::kernels {
namespace {

/// Tiles of a task: where they begin in the picture and how many there are.
struct TileWindow {
    int firstRow, firstColumn, rows, columns;
};

inline TileWindow windowOf(const VaeConvPlan& plan, std::int64_t task) {
    const int row = int(task / plan.tasksAcross) * plan.taskRows,
              column = int(task % plan.tasksAcross) * plan.taskColumns;
    return {row, column, std::min(plan.taskRows, plan.tileRows - row),
            std::min(plan.taskColumns, plan.tileColumns - column)};
}

/// [rows + 2][columns + 2][C]: the pixels under a task's tiles with the border that the filter sees,
/// activated and zero-padded. L lanes go over a pixel's channels.
template <int L>
class VaeConvPatch {
  public:
    VaeConvPatch(const VaeConv& conv, float* memory) : m_conv(conv), m_memory(memory) {}

    void fill(const float* in, const TileWindow& window) {
        const int scale = m_conv.input == VaeConvInput::Doubled ? 2 : 1;
        const int c = m_conv.inChannels;
        const int width = window.columns * kTile + 2;
        const std::size_t inRowFloats = std::size_t(m_conv.columns / scale) * std::size_t(c);
        const int top = window.firstRow * kTile - 1, left = window.firstColumn * kTile - 1;
        const std::size_t rowFloats = std::size_t(width) * std::size_t(c);
        int above = -1;
        for (int y = 0; y < window.rows * kTile + 2; ++y) {
            float* to = m_memory + std::size_t(y) * rowFloats;
            const int outY = top + y;
            if (outY < 0 || outY >= m_conv.rows) {
                std::fill(to, to + rowFloats, 0.0f);
                continue;
            }
            const int inY = outY / scale;
            if (inY == above) {
                std::memcpy(to, to - rowFloats, rowFloats * sizeof(float));
                continue;
            }
            above = inY;
            const float* row = in + std::size_t(inY) * inRowFloats;
            const bool isLast = outY + scale >= m_conv.rows;
            fillRow(row, isLast ? row : row + inRowFloats, left, width, scale, to);
        }
    }

    /// The first of a tile's pixels; the row below it begins (columns · 4 + 2) · C floats further.
    [[nodiscard]] const float* tile(int row, int column, int columns) const {
        const auto width = std::size_t(columns * kTile + 2);
        return m_memory + (std::size_t(row * kTile) * width + std::size_t(column * kTile)) *
                              std::size_t(m_conv.inChannels);
    }

  private:
    /// `below` is fetched meanwhile: it begins on another page, which the processor doesn't foresee.
    void fillRow(const float* row, const float* below, int left, int width, int scale, float* to) const {
        const auto c = std::size_t(m_conv.inChannels);
        for (int x = 0; x < width; ++x, to += c) {
            const int outX = left + x;
            if (outX < 0 || outX >= m_conv.columns) {
                std::fill(to, to + c, 0.0f);
                continue;
            }
            if (scale == 2 && x > 0 && outX % 2 == 1) {
                std::memcpy(to, to - c, c * sizeof(float));
                continue;
            }
            const std::size_t at = std::size_t(outX / scale) * c;
            for (std::size_t line = 0; line < c; line += kLineFloats) __builtin_prefetch(below + at + line);
#ifdef __AVX512F__
            if (L == 8 && scale == 1 && x + 1 < width && outX + 1 < m_conv.columns) {
                __builtin_prefetch(below + at + 2 * c - kLineFloats);
                fillTwoPixels(row + at, to);
                ++x;
                to += c;
                continue;
            }
#endif
            fillPixel(row + at, to);
        }
    }

    void fillPixel(const float* from, float* to) const {
        const int channels = m_conv.inChannels;
        if (m_conv.normScale == nullptr) {
            std::memcpy(to, from, std::size_t(channels) * sizeof(float));
            return;
        }
        const float inverse = inverseNorm(from);
        for (int c = 0; c < channels; c += L) {
            store<L>(to + c, silu<L>(load<L>(from + c) * inverse * load<L>(m_conv.normScale + c)));
        }
    }

#ifdef __AVX512F__
    /// The same of two pixels side by side, whose channels are an odd number of half vectors.
    void fillTwoPixels(const float* from, float* to) const {
        const int channels = m_conv.inChannels;
        if (m_conv.normScale == nullptr) {
            std::memcpy(to, from, 2 * std::size_t(channels) * sizeof(float));
            return;
        }
        const float first = inverseNorm(from), second = inverseNorm(from + channels);
        const auto inverse = [&](int c) { return splat<8>(c < channels ? first : second); };
        const auto scale = [&](int c) {
            return load<8>(m_conv.normScale + (c < channels ? c : c - channels));
        };
        for (int c = 0; c < 2 * channels; c += 16) {
            const auto x = load<16>(from + c) * joined(inverse(c), inverse(c + 8));
            store<16>(to + c, silu<16>(x * joined(scale(c), scale(c + 8))));
        }
    }
#endif

    [[nodiscard]] float inverseNorm(const float* pixel) const {
        typename Lanes<L>::Float squares{};
        for (int c = 0; c < m_conv.inChannels; c += L) squares += load<L>(pixel + c) * load<L>(pixel + c);
        return 1.0f / std::max(std::sqrt(sumOf<L>(squares)), 1e-12f);
    }

    static constexpr std::size_t kLineFloats = 16;  ///< of a line of the processor's cache

    const VaeConv& m_conv;
    float* m_memory;
};

}  // namespace
}  // namespace reelgrid::kernels
