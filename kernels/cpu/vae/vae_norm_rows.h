#pragma once

// Included by one source an instruction set.

#include <algorithm>

#include "kernels/cpu/vae/vae_conv_vector.h"
#include "kernels/cpu/vae/vae_norm.h"

namespace reelgrid::kernels {
namespace {

/// Pixels whose sums are kept in fp32 before they go to fp64: few enough that they lose nothing that counts,
/// and that their channels stay in the first-level cache.
constexpr std::int64_t kPixelsOfSum = 32;

template <int L>
void addChannelSums(const VaeChannelSums& call) {
    using Float = typename Lanes<L>::Float;
    const int channels = call.channels;
    for (std::int64_t pixel = 0; pixel < call.pixels; pixel += kPixelsOfSum) {
        const std::int64_t count = std::min(kPixelsOfSum, call.pixels - pixel);
        for (int c = 0; c < channels; c += L) {
            const float* x = call.in + pixel * channels + c;
            const Float origin = load<L>(call.origin + c);
            Float sum{}, squares{};
            for (std::int64_t i = 0; i < count; ++i, x += channels) {
                const Float distance = load<L>(x) - origin;
                sum += distance;
                squares += distance * distance;
            }
            for (int i = 0; i < L; ++i) {
                call.sums[c + i] += double(sum[i]);
                call.squares[c + i] += double(squares[i]);
            }
        }
    }
}

template <int L>
void affineSilu(const VaeAffine& call, int firstRow, int lastRow) {
    const int channels = call.channels, cells = call.columns / call.columnsOfCell;
    for (int row = firstRow; row < lastRow; ++row) {
        const std::int64_t begin = std::int64_t{row} * call.columns * channels;
        const float* in = call.in + begin;
        float* out = call.out + begin;
        const std::int64_t cellRow = std::int64_t{row / call.rowsOfCell} * cells * channels;
        for (int cell = 0; cell < cells; ++cell) {
            const float* scale = call.scale + cellRow + cell * channels;
            const float* shift = call.shift + cellRow + cell * channels;
            for (int x = 0; x < call.columnsOfCell; ++x, in += channels, out += channels) {
                for (int c = 0; c < channels; c += L)
                    store<L>(out + c, silu<L>(load<L>(in + c) * load<L>(scale + c) + load<L>(shift + c)));
            }
        }
    }
}

}  // namespace
}  // namespace reelgrid::kernels
