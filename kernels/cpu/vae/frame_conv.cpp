#include "kernels/cpu/vae/frame_conv.h"

#include "kernels/cpu/vae/frame_conv_kernels.h"

namespace reelgrid::kernels {
namespace {

int panelsOf(int outChannels, int lanes) {
    return (outChannels + 2 * lanes - 1) / (2 * lanes);
}

}  // namespace

std::size_t frameConvWeightFloats(int inChannels, int outChannels, int lanes) {
    return std::size_t(panelsOf(outChannels, lanes)) * std::size_t(kFrameConvTaps * inChannels) *
           std::size_t(2 * lanes);
}

/// [panels, taps, C, 2 lanes]: as the products read them, zeros where there are no output channels.
void packFrameConvWeights(const float* weights_OCT, int inChannels, int outChannels, int lanes,
                          float* packed) {
    const int width = 2 * lanes;
    for (int panel = 0; panel < panelsOf(outChannels, lanes); ++panel)
        for (int tap = 0; tap < kFrameConvTaps; ++tap)
            for (int c = 0; c < inChannels; ++c)
                for (int column = 0; column < width; ++column) {
                    const int out = panel * width + column;
                    const std::size_t at =
                        (std::size_t(out) * std::size_t(inChannels) + std::size_t(c)) * kFrameConvTaps;
                    *packed++ = out < outChannels ? weights_OCT[at + std::size_t(tap)] : 0.0F;
                }
}

std::int64_t frameConvTasks(const FrameConvCall& call) {
    const std::int64_t each = frameConvPixels(call);
    return (call.pixels + each - 1) / each;
}

std::size_t frameConvScratchFloats(const FrameConvCall& call) {
    return std::size_t(kFrameConvTaps) * std::size_t(frameConvPixels(call)) * std::size_t(call.inChannels);
}

void runFrameConv(const FrameConvCall& call, std::atomic<std::int64_t>& nextTask, float* scratch) {
#if defined(REELGRID_X86_KERNELS)
    const std::int64_t each = frameConvPixels(call), tasks = frameConvTasks(call);
    for (std::int64_t task = nextTask++; task < tasks; task = nextTask++) {
        const std::int64_t first = task * each, last = std::min(call.pixels, first + each);
        (call.lanes == 16 ? runFrameConvAvx512 : runFrameConvAvx2)(call, first, last, scratch);
    }
#else
    static_cast<void>(call), static_cast<void>(nextTask), static_cast<void>(scratch);
#endif
}

}  // namespace reelgrid::kernels
