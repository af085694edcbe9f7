#include "core/benchmark/synthetic_video.h"

namespace reelgrid::benchmark {

at::Tensor syntheticVideo(std::int64_t frames, std::int64_t height, std::int64_t width) {
    // Time, rows and columns from 0 to 1; sharpness of edges as a share of the picture.
    const at::Tensor t = at::arange(frames, at::kFloat).view({frames, 1, 1}) / double(frames);
    const at::Tensor y = at::arange(height, at::kFloat).view({1, height, 1}) / double(height);
    const at::Tensor x = at::arange(width, at::kFloat).view({1, 1, width}) / double(width);
    const auto disc = [&](const at::Tensor& cx, const at::Tensor& cy, double radius) {
        return at::sigmoid((radius - ((x - cx).pow(2) + (y - cy).pow(2)).sqrt()) * 80);
    };
    const at::Tensor red = disc(t, 0.3 + 0.2 * at::sin(6 * t), 0.15);
    const at::Tensor green = disc(1 - 0.8 * t, 0.7 - 0.3 * t, 0.2);
    const at::Tensor bar = at::sigmoid((0.05 - (x - 0.5 - 0.3 * at::cos(4 * t)).abs()) * 100) + 0 * y;
    const at::Tensor weave = 0.04 * at::sin(90 * (x + 0.1 * t)) * at::sin(70 * (y - 0.1 * t));
    const at::Tensor sky = 0.5 * y + 0.3 * x + weave;
    return (at::stack({sky + red, sky * 0.8 + green, 1 - sky + bar}, 0).unsqueeze(0) * 2 - 1).clamp(-1, 1);
}

}  // namespace reelgrid::benchmark
