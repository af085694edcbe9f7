#include "core/vision/antialiased_picture.h"

#include <algorithm>
#include <vector>

namespace reelgrid::vision {
namespace {

/// Along one axis: 1, 1 + 2, … values that sum to 1.
struct Blur {
    double sigma = 0;
    std::int64_t taps = 1;

    /// For a side that becomes `to` pixels long.
    static Blur of(std::int64_t from, std::int64_t to) {
        constexpr double kLeastSigma = 0.001, kLeastTaps = 3;
        const double factor = static_cast<double>(from) / static_cast<double>(to);
        const double sigma = std::max((factor - 1) / 2, kLeastSigma);
        const auto taps = static_cast<std::int64_t>(std::max(4 * sigma, kLeastTaps));
        return {sigma, taps % 2 == 0 ? taps + 1 : taps};
    }
    [[nodiscard]] at::Tensor kernel() const {
        const at::Tensor offsets = at::arange(taps, at::kFloat) - static_cast<double>(taps / 2);
        // The reference's deviation is a float32.
        const double deviation = static_cast<float>(sigma);
        const at::Tensor weights = at::exp(-offsets.square() / (2 * deviation * deviation));
        return weights / weights.sum();
    }
};

}  // namespace

at::Tensor antialiasedPicture(const media::RgbImage& image, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t kColors = 3;
    const at::Tensor bytes_YX3 = at::from_blob(const_cast<std::uint8_t*>(image.pixels.data()),
                                               {image.height, image.width, kColors}, at::kByte);
    at::Tensor x_13YX = (bytes_YX3.to(at::kFloat) / 255 * 2 - 1).permute({2, 0, 1}).unsqueeze(0).contiguous();
    const Blur across = Blur::of(image.width, columns), down = Blur::of(image.height, rows);
    // A mirror image goes on where the picture ends, of which there is less than the picture's own length.
    const auto fits = [](const Blur& blur, std::int64_t side) { return blur.taps / 2 < side; };
    const auto filtered = [](const at::Tensor& wide_13YX, const at::Tensor& kernel_11YX) {
        const std::vector<std::int64_t> one{1, 1}, none{0, 0};
        return at::conv2d(wide_13YX, kernel_11YX.expand({kColors, 1, -1, -1}), {}, one, none, one, kColors);
    };
    if (fits(across, image.width)) {
        const std::int64_t beyond = across.taps / 2;
        x_13YX = filtered(at::reflection_pad2d(x_13YX, {beyond, beyond, 0, 0}),
                          across.kernel().view({1, 1, 1, -1}));
    }
    if (fits(down, image.height)) {
        const std::int64_t beyond = down.taps / 2;
        x_13YX =
            filtered(at::reflection_pad2d(x_13YX, {0, 0, beyond, beyond}), down.kernel().view({1, 1, -1, 1}));
    }
    return at::upsample_bicubic2d(x_13YX, {rows, columns}, /*align_corners=*/true);
}

}  // namespace reelgrid::vision
