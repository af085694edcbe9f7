#pragma once

// Included by one source an instruction set.

#include <algorithm>
#include <cstring>

#include "kernels/cpu/vae/frame_conv_kernels.h"
#include "kernels/cpu/vae/vae_conv_vector.h"

namespace reelgrid::kernels {
namespace {

/// One frame's pixels as the convolution sees them.
template <int L>
void activateFrame(const FrameConvCall& call, const float* in, std::int64_t pixels, float* out) {
    const std::int64_t channels = call.inChannels;
    if (call.scale == nullptr) {
        std::memcpy(out, in, std::size_t(pixels * channels) * sizeof(float));
        return;
    }
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel, in += channels, out += channels)
        for (std::int64_t c = 0; c < channels; c += L)
            store<L>(out + c, silu<L>(load<L>(in + c) * load<L>(call.scale + c) + load<L>(call.shift + c)));
}

/// sum[r] += in[r, c] · weights[c] over all channels, of R pixels and 2L output channels.
template <int L, int R>
[[gnu::always_inline]] inline void addProducts(const float* in, std::int64_t channels, const float* weights,
                                               typename Lanes<L>::Float (&sum)[R][2]) {
    for (std::int64_t c = 0; c < channels; ++c, weights += 2 * L) {
        const auto first = load<L>(weights), second = load<L>(weights + L);
        for (int r = 0; r < R; ++r) {
            const float value = in[r * channels + c];
            sum[r][0] += value * first;
            sum[r][1] += value * second;
        }
    }
}

/// Where the frames around one lie, null where there is none.
struct FramesAround {
    const float* tap[kFrameConvTaps];
};

/// R pixels of one frame, `columns` output channels from `firstOut` on (at most 2L).
template <int L, int R>
void convolvePixels(const FrameConvCall& call, const FramesAround& around, std::int64_t pixel,
                    const float* weights, int firstOut, int columns, std::int64_t outPixel) {
    using Float = typename Lanes<L>::Float;
    const std::int64_t in = call.inChannels, out = call.outChannels;
    alignas(64) float edge[2 * L];
    Float sum[R][2];
    const auto begin = [&](const float* from) {
        if (columns == 2 * L) return from;
        std::copy(from, from + columns, edge);
        std::fill(edge + columns, edge + 2 * L, 0.0F);
        return static_cast<const float*>(edge);
    };
    for (int r = 0; r < R; ++r) {
        const float* bias = begin(call.bias + firstOut);
        sum[r][0] = load<L>(bias);
        sum[r][1] = load<L>(bias + L);
    }
    if (call.residual != nullptr)
        for (int r = 0; r < R; ++r) {
            const float* residual = begin(call.residual + (outPixel + r) * out + firstOut);
            sum[r][0] += load<L>(residual);
            sum[r][1] += load<L>(residual + L);
        }
    for (int tap = 0; tap < kFrameConvTaps; ++tap)
        if (around.tap[tap] != nullptr)
            addProducts<L, R>(around.tap[tap] + pixel * in, in, weights + tap * in * 2 * L, sum);
    for (int r = 0; r < R; ++r) {
        float* to = call.out + (outPixel + r) * out + firstOut;
        if (columns == 2 * L) {
            store<L>(to, sum[r][0]);
            store<L>(to + L, sum[r][1]);
        } else {
            store<L>(edge, sum[r][0]);
            store<L>(edge + L, sum[r][1]);
            std::copy(edge, edge + columns, to);
        }
    }
}

/// R: pixels at once, so many that sums fill the registers.
template <int L, int R>
void convolveFrames(const FrameConvCall& call, std::int64_t firstPixel, std::int64_t lastPixel,
                    float* scratch) {
    const std::int64_t pixels = lastPixel - firstPixel, channels = call.inChannels;
    const std::int64_t plane = pixels * channels, panel = kFrameConvTaps * channels * 2 * L;
    const auto planeOf = [&](int frame) { return scratch + (frame % kFrameConvTaps) * plane; };
    const auto activate = [&](int frame) {
        const float* in = call.in + (frame * call.pixels + firstPixel) * channels;
        if (channels % L == 0)
            activateFrame<L>(call, in, pixels, planeOf(frame));
        else
            activateFrame<8>(call, in, pixels, planeOf(frame));
    };
    activate(0);
    for (int frame = 0; frame < call.frames; ++frame) {
        const bool hasNext = frame + 1 < call.frames;
        if (hasNext) activate(frame + 1);
        const FramesAround around{{frame > 0 ? planeOf(frame - 1) : nullptr, planeOf(frame),
                                   hasNext ? planeOf(frame + 1) : nullptr}};
        const std::int64_t outPixel = frame * call.pixels + firstPixel;
        const float* weights = call.weights;
        for (int firstOut = 0; firstOut < call.outChannels; firstOut += 2 * L, weights += panel) {
            const int columns = std::min(2 * L, call.outChannels - firstOut);
            std::int64_t pixel = 0;
            for (; pixel + R <= pixels; pixel += R)
                convolvePixels<L, R>(call, around, pixel, weights, firstOut, columns, outPixel + pixel);
            for (; pixel < pixels; ++pixel)
                convolvePixels<L, 1>(call, around, pixel, weights, firstOut, columns, outPixel + pixel);
        }
    }
}

}  // namespace
}  // namespace reelgrid::kernels
