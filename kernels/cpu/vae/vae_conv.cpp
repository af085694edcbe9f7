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
constexpr std::size_t kCacheFloats = 672 * 1024 / sizeof(float);
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

/// Filters of neighbouring output channels, transformed together: what they become lies side by side.
class FilterGroup {
  public:
    static constexpr std::size_t kFilters = 8;
    using Transform = std::array<std::array<double, 3>, kTileInput>;

    /// Filters of 3×3 that lie `apart` floats from each other.
    void read(const float* filters, std::size_t apart) {
        for (std::size_t i = 0; i < 9; ++i)
            for (std::size_t n = 0; n < kFilters; ++n) m_filters[i][n] = double(filters[n * apart + i]);
    }

    /// A position's factors side by side, the positions `apart` floats from each other.
    void write(const Transform& g, float* to, std::size_t apart) const {
        for (std::size_t i = 0; i < kTileInput; ++i) {
            std::array<Numbers, 3> half;
            for (std::size_t x = 0; x < 3; ++x)
                half[x] = weighted(g[i], m_filters[x], m_filters[3 + x], m_filters[6 + x]);
            for (std::size_t j = 0; j < kTileInput; ++j, to += apart) {
                const Numbers whole = weighted(g[j], half[0], half[1], half[2]);
                for (std::size_t n = 0; n < kFilters; ++n) to[n] = float(whole[n]);
            }
        }
    }

  private:
    using Numbers = std::array<double, kFilters>;

    static Numbers weighted(const std::array<double, 3>& by, const Numbers& a, const Numbers& b,
                            const Numbers& c) {
        Numbers sum;
        for (std::size_t n = 0; n < kFilters; ++n) sum[n] = by[0] * a[n] + by[1] * b[n] + by[2] * c[n];
        return sum;
    }

    std::array<Numbers, 9> m_filters{};
};

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
    const auto width = std::size_t(channelBlockOf(outChannels, lanes).width());
    const auto in = std::size_t(inChannels), taps = std::size_t(timeTaps);
    const FilterGroup::Transform g = filterTransform();
    FilterGroup group;
    for (auto o = std::size_t(firstOut); o < std::size_t(lastOut); o += FilterGroup::kFilters) {
        for (std::size_t c = 0; c < in; ++c) {
            for (std::size_t t = 0; t < taps; ++t) {
                group.read(weights_OCTHW + ((o * in + c) * taps + t) * 9, in * taps * 9);
                // [block of O][position][tap][C][O within the block]
                float* to = packed + ((o / width * kPositions * taps + t) * in + c) * width + o % width;
                group.write(g, to, taps * in * width);
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
