#include "kernels/cpu/vae/vae_conv.h"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/vae/vae_conv_kernels.h"
#include "kernels/cpu/vae/vae_conv_plan.h"

namespace reelgrid::kernels {

namespace {

/// Tiles of a task: enough that the weights, read once a task and frame, don't dominate; few enough that the
/// transformed frames stay in a core's second-level cache.
constexpr std::size_t kCacheFloats = 640 * 1024 / sizeof(float);
constexpr int kFewestTiles = 24, kMostTiles = 48;
/// Sums of one tile and output channel over activating and copying one input pixel, roughly, per input
/// channel.
constexpr double kTileWork = 36 * 3 / 16.0 / 2.5;

int ceilDivide(int a, int b) {
    return (a + b - 1) / b;
}

/// Rows of the stride between positions, odd in cache lines so that they don't fall on the same cache sets.
std::size_t oddLines(std::size_t floats) {
    const std::size_t lines = (floats + 15) / 16;
    return (lines | 1) * 16;
}

/// The filter's transform, G: row i is (1, p, p²) / Π(p − other points), the last (0, 0, 1) for infinity.
std::array<std::array<double, 3>, kTileInput> filterTransform() {
    constexpr std::array<double, 5> points{0, 1, -1, 0.5, -2};
    std::array<std::array<double, 3>, kTileInput> g{};
    for (std::size_t i = 0; i < points.size(); ++i) {
        double scale = 1;
        for (std::size_t j = 0; j < points.size(); ++j) scale *= j == i ? 1 : points[i] - points[j];
        g[i] = {1 / scale, points[i] / scale, points[i] * points[i] / scale};
    }
    g.back() = {0, 0, 1};
    return g;
}

}  // namespace

VaeConvPlan::VaeConvPlan(const VaeConv& conv, int blockWidth)
    : tileRows(ceilDivide(conv.rows, kTile)), tileColumns(ceilDivide(conv.columns, kTile)) {
    const std::size_t floatsPerTile =
        std::size_t(kPositions) * std::size_t(conv.timeTaps * conv.inChannels + blockWidth);
    const int wanted = std::clamp(int(kCacheFloats / floatsPerTile), kFewestTiles, kMostTiles);
    // The patch with the least work: few pixels seen by two patches, few tiles that only fill up.
    double least = std::numeric_limits<double>::infinity();
    for (int candidate = 1; candidate <= std::min(wanted, tileRows); ++candidate) {
        const int down = ceilDivide(tileRows, candidate),
                  across = ceilDivide(tileColumns, wanted / candidate);
        const int high = ceilDivide(tileRows, down), wide = ceilDivide(tileColumns, across);
        const int filled = ceilDivide(high * wide, kTileBlock) * kTileBlock;
        const double work =
            double(down) * across *
            (kTileWork * conv.outChannels * filled + (high * kTile + 2.0) * (wide * kTile + 2.0));
        if (work >= least) continue;
        least = work;
        taskRows = high;
        taskColumns = wide;
        tasksDown = down;
        tasksAcross = across;
        paddedTiles = filled;
    }
    patchFloats = oddLines(std::size_t(taskRows * kTile + 2) * std::size_t(taskColumns * kTile + 2) *
                           std::size_t(conv.inChannels));
    positionStride = oddLines(std::size_t(paddedTiles) * std::size_t(conv.inChannels));
    sumStride = oddLines(std::size_t(paddedTiles) * std::size_t(blockWidth));
}

int vaeConvLanes() {
#if defined(REELGRID_X86_KERNELS)
    switch (selectedInstructionSet(Products::Fp32)) {
        case InstructionSet::Portable:
            return 0;
        case InstructionSet::Avx2:
            return 8;
        case InstructionSet::Avx512:
        case InstructionSet::Amx:
            return 16;
    }
#endif
    return 0;
}

std::size_t vaeConvWeightFloats(int inChannels, int outChannels, int timeTaps) {
    return std::size_t(kPositions) * std::size_t(timeTaps) * std::size_t(inChannels) *
           std::size_t(outChannels);
}

void packVaeConvWeights(const float* weights_OCTHW, int inChannels, int outChannels, int timeTaps, int lanes,
                        float* packed, int firstOut, int lastOut) {
    const auto g = filterTransform();
    const auto width = std::size_t(channelBlockOf(outChannels, lanes).width());
    const auto in = std::size_t(inChannels), taps = std::size_t(timeTaps);
    for (auto o = std::size_t(firstOut); o < std::size_t(lastOut); ++o) {
        for (std::size_t c = 0; c < in; ++c) {
            for (std::size_t t = 0; t < taps; ++t) {
                const float* w = weights_OCTHW + ((o * in + c) * taps + t) * 9;
                std::array<std::array<double, 3>, kTileInput> half{};
                for (std::size_t i = 0; i < kTileInput; ++i) {
                    for (std::size_t x = 0; x < 3; ++x) {
                        half[i][x] =
                            g[i][0] * double(w[x]) + g[i][1] * double(w[3 + x]) + g[i][2] * double(w[6 + x]);
                    }
                }
                // [block of O][position][tap][C][O within the block]
                float* to = packed + ((o / width * kPositions * taps + t) * in + c) * width + o % width;
                for (std::size_t i = 0; i < kTileInput; ++i) {
                    for (std::size_t j = 0; j < kTileInput; ++j, to += taps * in * width) {
                        *to = float(half[i][0] * g[j][0] + half[i][1] * g[j][1] + half[i][2] * g[j][2]);
                    }
                }
            }
        }
    }
}

std::int64_t vaeConvTasks(const VaeConv& conv) {
    const VaeConvPlan plan(conv, channelBlockOf(conv.outChannels, conv.lanes).width());
    return std::int64_t(plan.tasksDown) * plan.tasksAcross;
}

std::size_t vaeConvScratchFloats(const VaeConv& conv) {
    return VaeConvPlan(conv, channelBlockOf(conv.outChannels, conv.lanes).width()).scratchFloats(conv);
}

void runVaeConv(const VaeConv& conv, std::atomic<std::int64_t>& nextTask, float* scratch) {
#if defined(REELGRID_X86_KERNELS)
    const ChannelBlock block = channelBlockOf(conv.outChannels, conv.lanes);
    (conv.lanes == 16 ? runVaeConvAvx512 : runVaeConvAvx2)(conv, block, nextTask, scratch);
#else
    static_cast<void>(conv), static_cast<void>(nextTask), static_cast<void>(scratch);
#endif
}

}  // namespace reelgrid::kernels
