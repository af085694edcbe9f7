#include "core/metrics/optical_flow.h"

#include <algorithm>
#include <array>
#include <cmath>

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

/// The mean over the window, by running sums along rows and then columns.
void boxBlur(Plane& plane) {
    constexpr float kShare = 1.0F / float(2 * kWindowRadius + 1);
    std::vector<float> line;
    const auto blur = [&](float* first, int count, std::size_t stride) {
        line.resize(std::size_t(count));
        for (int i = 0; i < count; ++i) line[std::size_t(i)] = first[std::size_t(i) * stride];
        const auto value = [&](int i) { return line[std::size_t(std::clamp(i, 0, count - 1))]; };
        float sum = 0;
        for (int i = -kWindowRadius; i <= kWindowRadius; ++i) sum += value(i);
        for (int i = 0; i < count; ++i) {
            first[std::size_t(i) * stride] = sum * kShare;
            sum += value(i + kWindowRadius + 1) - value(i - kWindowRadius);
        }
    };
    const auto width = std::size_t(plane.width);
    for (int y = 0; y < plane.height; ++y) blur(&plane.values[std::size_t(y) * width], plane.width, 1);
    for (int x = 0; x < plane.width; ++x) blur(&plane.values[std::size_t(x)], plane.height, width);
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

void refine(const Plane& from, const Plane& to, Flow& flow) {
    const auto [gx, gy] = gradients(from);
    const Plane xx = product(gx, gx), xy = product(gx, gy), yy = product(gy, gy);
    Plane difference(from.width, from.height);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        for (int y = 0; y < from.height; ++y)
            for (int x = 0; x < from.width; ++x) {
                const float toX = float(x) + flow.dx.at(x, y), toY = float(y) + flow.dy.at(x, y);
                // What left the picture is no evidence.
                difference.at(x, y) = to.contains(toX, toY) ? from.at(x, y) - to.sample(toX, toY) : 0;
            }
        const Plane xt = product(gx, difference), yt = product(gy, difference);
        for (std::size_t i = 0; i < difference.values.size(); ++i) {
            const float a = xx.values[i] + kRegularisation, b = xy.values[i],
                        c = yy.values[i] + kRegularisation;
            const float determinant = a * c - b * b;
            const float dx = (c * xt.values[i] - b * yt.values[i]) / determinant;
            const float dy = (a * yt.values[i] - b * xt.values[i]) / determinant;
            flow.dx.values[i] += std::clamp(dx, -kLongestUpdate, kLongestUpdate);
            flow.dy.values[i] += std::clamp(dy, -kLongestUpdate, kLongestUpdate);
        }
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

float Plane::sample(float x, float y) const {
    x = std::clamp(x, 0.0F, float(width - 1));
    y = std::clamp(y, 0.0F, float(height - 1));
    const int left = std::min(int(x), std::max(0, width - 2));
    const int top = std::min(int(y), std::max(0, height - 2));
    const int right = std::min(left + 1, width - 1), bottom = std::min(top + 1, height - 1);
    const float u = x - float(left), v = y - float(top);
    return (1 - v) * ((1 - u) * at(left, top) + u * at(right, top)) +
           v * ((1 - u) * at(left, bottom) + u * at(right, bottom));
}

Flow opticalFlow(const Plane& from, const Plane& to) {
    std::vector<std::pair<Plane, Plane>> levels{{from, to}};
    while (std::min(levels.back().first.width, levels.back().first.height) >= 2 * kSmallestSide)
        levels.emplace_back(halved(levels.back().first), halved(levels.back().second));
    Flow flow{Plane(levels.back().first.width, levels.back().first.height),
              Plane(levels.back().first.width, levels.back().first.height)};
    for (std::size_t level = levels.size(); level-- > 0;) {
        const auto& [a, b] = levels[level];
        if (level + 1 < levels.size())
            flow = {enlarged(flow.dx, a.width, a.height), enlarged(flow.dy, a.width, a.height)};
        refine(withoutMean(a), withoutMean(b), flow);
    }
    return flow;
}

}  // namespace reelgrid::metrics
