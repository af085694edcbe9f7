#include "kernels/cpu/vae_conv.h"

#include <array>
#include <cstdlib>

#include "kernels/cpu/vae_conv_kernels.h"
#include "kernels/cpu/vae_conv_plan.h"

namespace reelgrid::kernels {

namespace {

/// Tiles of a task: enough that the weights, read once a task and frame, don't dominate; few enough that the
/// transformed frames stay in a core's second-level cache.
constexpr std::size_t kCacheFloats = 640 * 1024 / sizeof(float);
constexpr int kFewestTiles = 24, kMostTiles = 48;

int widestLanes() {
    static const int lanes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")
                                 ? 16
                             : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 8
                                                                                               : 0;
    return lanes;
}

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
    tasksAcross = ceilDivide(tileColumns, wanted);
    taskColumns = ceilDivide(tileColumns, tasksAcross);
    taskRows = std::clamp(wanted / taskColumns, 1, tileRows);
    tasksDown = ceilDivide(tileRows, taskRows);
    taskRows = ceilDivide(tileRows, tasksDown);
    paddedTiles = ceilDivide(taskRows * taskColumns, kTileBlock) * kTileBlock;
    patchFloats = oddLines(std::size_t(taskRows * kTile + 2) * std::size_t(taskColumns * kTile + 2) *
                           std::size_t(conv.inChannels));
    positionStride = oddLines(std::size_t(paddedTiles) * std::size_t(conv.inChannels));
    sumStride = oddLines(std::size_t(paddedTiles) * std::size_t(blockWidth));
}

bool hasVaeConv() {
    return widestLanes() > 0;
}

std::size_t vaeConvWeightFloats(int inChannels, int outChannels, int timeTaps) {
    return std::size_t(kPositions) * std::size_t(timeTaps) * std::size_t(inChannels) *
           std::size_t(outChannels);
}

void packVaeConvWeights(const float* weights_OCTHW, int inChannels, int outChannels, int timeTaps,
                        float* packed, int firstOut, int lastOut) {
    const auto g = filterTransform();
    const auto width = std::size_t(channelBlockOf(outChannels, widestLanes()).width());
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
    const VaeConvPlan plan(conv, channelBlockOf(conv.outChannels, widestLanes()).width());
    return std::int64_t(plan.tasksDown) * plan.tasksAcross;
}

std::size_t vaeConvScratchFloats(const VaeConv& conv) {
    return VaeConvPlan(conv, channelBlockOf(conv.outChannels, widestLanes()).width()).scratchFloats(conv);
}

void runVaeConv(const VaeConv& conv, std::int64_t first, std::int64_t last, float* scratch) {
    const ChannelBlock block = channelBlockOf(conv.outChannels, widestLanes());
    (widestLanes() == 16 ? runVaeConvAvx512 : runVaeConvAvx2)(conv, block, first, last, scratch);
}

}  // namespace reelgrid::kernels
