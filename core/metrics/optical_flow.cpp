#include "core/metrics/optical_flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace reelgrid::metrics {
namespace {

constexpr int kWindowRadius = 4;
constexpr int kIterations = 4;
constexpr int kSmallestSide = 12;  // of the coarsest level
// Added to the diagonal of the normal equations, for luma in 0…1: where nothing is to be seen, the flow stays
// what the coarser level said.
constexpr float kRegularisation = 2e-6F;
// An update of more than the window is a wrong one.
constexpr float kLongestUpdate = 2.0F;

/// Half the size, after a 1-2-1 blur both ways.
Plane halved(const Plane& plane) {
    Plane half((plane.width + 1) / 2, (plane.height + 1) / 2);
    for (int y = 0; y < half.height; ++y)
        for (int x = 0; x < half.width; ++x) {
            float sum = 0;
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i)
                    sum += float((2 - std::abs(i)) * (2 - std::abs(j))) *
                           plane.at(std::clamp(2 * x + i, 0, plane.width - 1),
                                    std::clamp(2 * y + j, 0, plane.height - 1));
            half.at(x, y) = sum / 16;
        }
    return half;
}

constexpr float kShare = 1.0F / float(2 * kWindowRadius + 1);

/// The window's means along N lines of `count` values each, by running sums. A line's values lie `step`
/// apart, the lines `apart`. Lines side by side keep several additions under way: each sum waits for the one
/// before it.
template <std::size_t N>
void blurLines(float* first, int count, std::size_t step, std::size_t apart, std::vector<float>& memory) {
    memory.resize(std::size_t(count) * N);
    float* const lines = memory.data();
    for (std::size_t i = 0; i < std::size_t(count); ++i)
        for (std::size_t n = 0; n < N; ++n) lines[i * N + n] = first[i * step + n * apart];
    const auto values = [&](int i) { return lines + std::size_t(std::clamp(i, 0, count - 1)) * N; };
    std::array<float, N> sums{};
    for (int i = -kWindowRadius; i <= kWindowRadius; ++i)
        for (std::size_t n = 0; n < N; ++n) sums[n] += values(i)[n];
    for (int i = 0; i < count; ++i) {
        const float *enters = values(i + kWindowRadius + 1), *leaves = values(i - kWindowRadius);
        std::array<float, N> means;
        for (std::size_t n = 0; n < N; ++n) means[n] = sums[n] * kShare;
        for (std::size_t n = 0; n < N; ++n) sums[n] += enters[n] - leaves[n];
        for (std::size_t n = 0; n < N; ++n) first[std::size_t(i) * step + n * apart] = means[n];
    }
}

/// `lines` of them, the one at `first` and those `apart` from it.
void blurAll(float* first, int lines, int count, std::size_t step, std::size_t apart) {
    constexpr int kTogether = 16;
    std::vector<float> memory;
    int line = 0;
    for (; line + kTogether <= lines; line += kTogether)
        blurLines<kTogether>(first + std::size_t(line) * apart, count, step, apart, memory);
    for (; line < lines; ++line) blurLines<1>(first + std::size_t(line) * apart, count, step, apart, memory);
}

/// The mean over the window, along rows and then columns.
void boxBlur(Plane& plane) {
    const auto width = std::size_t(plane.width);
    blurAll(plane.values.data(), plane.height, plane.width, 1, width);
    blurAll(plane.values.data(), plane.width, plane.height, width, 1);
}

/// Without the window's mean: a light that gets brighter is no motion.
Plane withoutMean(const Plane& plane) {
    Plane mean = plane;
    boxBlur(mean);
    for (std::size_t i = 0; i < mean.values.size(); ++i) mean.values[i] = plane.values[i] - mean.values[i];
    return mean;
}

/// ∂/∂x and ∂/∂y by central differences.
std::array<Plane, 2> gradients(const Plane& plane) {
    std::array<Plane, 2> slope{Plane(plane.width, plane.height), Plane(plane.width, plane.height)};
    for (int y = 0; y < plane.height; ++y)
        for (int x = 0; x < plane.width; ++x) {
            slope[0].at(x, y) =
                (plane.at(std::min(x + 1, plane.width - 1), y) - plane.at(std::max(x - 1, 0), y)) / 2;
            slope[1].at(x, y) =
                (plane.at(x, std::min(y + 1, plane.height - 1)) - plane.at(x, std::max(y - 1, 0))) / 2;
        }
    return slope;
}

Plane product(const Plane& a, const Plane& b) {
    Plane result(a.width, a.height);
    for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = a.values[i] * b.values[i];
    boxBlur(result);
    return result;
}

FlowPicture::Level levelOf(const Plane& plane) {
    FlowPicture::Level level;
    level.detail = withoutMean(plane);
    level.slope = gradients(level.detail);
    const auto& [gx, gy] = level.slope;
    level.slopeXX = product(gx, gx);
    level.slopeXY = product(gx, gy);
    level.slopeYY = product(gy, gy);
    return level;
}

/// What the flow leaves of the difference; 0 where it leaves the picture, which is no evidence.
void subtractWarped(const Plane& from, const Plane& to, const Flow& flow, Plane& difference) {
    for (int y = 0; y < from.height; ++y)
        for (int x = 0; x < from.width; ++x) {
            const float toX = float(x) + flow.dx.at(x, y), toY = float(y) + flow.dy.at(x, y);
            difference.at(x, y) = to.contains(toX, toY) ? from.at(x, y) - to.sampleWithin(toX, toY) : 0;
        }
}

/// Solves each pixel's two equations and adds what comes out to the flow.
void addUpdates(const FlowPicture::Level& from, const Plane& xt, const Plane& yt, Flow& flow) {
    const float *xx = from.slopeXX.values.data(), *xy = from.slopeXY.values.data(),
                *yy = from.slopeYY.values.data(), *slopeX = xt.values.data(), *slopeY = yt.values.data();
    float* __restrict toX = flow.dx.values.data(), * __restrict toY = flow.dy.values.data();
    for (std::size_t i = 0; i < xt.values.size(); ++i) {
        const float a = xx[i] + kRegularisation, b = xy[i], c = yy[i] + kRegularisation;
        const float determinant = a * c - b * b;
        const float dx = (c * slopeX[i] - b * slopeY[i]) / determinant;
        const float dy = (a * slopeY[i] - b * slopeX[i]) / determinant;
        toX[i] += std::clamp(dx, -kLongestUpdate, kLongestUpdate);
        toY[i] += std::clamp(dy, -kLongestUpdate, kLongestUpdate);
    }
}

void refine(const FlowPicture::Level& from, const Plane& to, Flow& flow) {
    Plane difference(to.width, to.height);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        subtractWarped(from.detail, to, flow, difference);
        addUpdates(from, product(from.slope[0], difference), product(from.slope[1], difference), flow);
        // Neighbours move together: what one window got wrong, those around it correct.
        boxBlur(flow.dx);
        boxBlur(flow.dy);
    }
}

Plane enlarged(const Plane& coarse, int width, int height) {
    Plane fine(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) fine.at(x, y) = 2 * coarse.sample(float(x) / 2, float(y) / 2);
    return fine;
}

}  // namespace

FlowPicture::FlowPicture(const Plane& luma) {
    Plane plane = luma;
    for (;;) {
        m_levels.push_back(levelOf(plane));
        if (std::min(plane.width, plane.height) < 2 * kSmallestSide) return;
        plane = halved(plane);
    }
}

Flow opticalFlow(const FlowPicture& from, const FlowPicture& to) {
    const Plane& coarsest = from.levels().back().detail;
    Flow flow{Plane(coarsest.width, coarsest.height), Plane(coarsest.width, coarsest.height)};
    for (std::size_t level = from.levels().size(); level-- > 0;) {
        const FlowPicture::Level& a = from.levels()[level];
        if (level + 1 < from.levels().size())
            flow = {enlarged(flow.dx, a.detail.width, a.detail.height),
                    enlarged(flow.dy, a.detail.width, a.detail.height)};
        refine(a, to.levels()[level].detail, flow);
    }
    return flow;
}

}  // namespace reelgrid::metrics
