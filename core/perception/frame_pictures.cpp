#include "core/perception/frame_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace reelgrid::perception {
namespace {

constexpr double kMostCode = 255;

at::Tensor normalisedBy(const at::Tensor& codes_P3YX, const std::array<double, 3>& mean,
                        const std::array<double, 3>& deviation) {
    const auto perColor = [&](const std::array<double, 3>& values) {
        return at::tensor(at::ArrayRef<double>(values), at::kDouble)
            .to(codes_P3YX.device(), at::kFloat)
            .view({1, 3, 1, 1});
    };
    return (codes_P3YX.to(at::kFloat) / kMostCode - perColor(mean)) / perColor(deviation);
}

/// Half of it, halves to the even number as Python rounds.
std::int64_t halfOf(std::int64_t number) {
    return std::int64_t(std::nearbyint(double(number) / 2));
}

}  // namespace

at::Tensor picturesOf(const media::RgbVideo& frames, at::Device device) {
    return at::from_blob(const_cast<std::uint8_t*>(frames.pixels.data()),
                         {frames.frameCount(), frames.height, frames.width, 3}, at::kByte)
        .permute({0, 3, 1, 2})
        .to(device)
        .clone(at::MemoryFormat::Contiguous);
}

at::Tensor aroundZero(const at::Tensor& bytes_P3YX) {
    return bytes_P3YX.to(at::kFloat) / (kMostCode / 2) - 1;
}

at::Tensor shorterSideAt(const at::Tensor& bytes_P3YX, std::int64_t side, Samples samples) {
    const auto rows = bytes_P3YX.size(2), columns = bytes_P3YX.size(3);
    if (std::min(rows, columns) == side) return bytes_P3YX.to(at::kFloat);
    const std::int64_t longer = side * std::max(rows, columns) / std::min(rows, columns);
    const std::array size = rows <= columns ? std::array{side, longer} : std::array{longer, side};
    const at::Tensor values = bytes_P3YX.to(at::kFloat);
    const at::Tensor sampled = samples == Samples::Bilinear ? at::upsample_bilinear2d(values, size, false)
                                                            : at::upsample_bicubic2d(values, size, false);
    return sampled.clamp(0, kMostCode).round_();
}

at::Tensor middleSquare(const at::Tensor& pictures_P3YX, std::int64_t side) {
    const auto top = halfOf(pictures_P3YX.size(2) - side), left = halfOf(pictures_P3YX.size(3) - side);
    return pictures_P3YX.narrow(2, top, side).narrow(3, left, side);
}

at::Tensor normalisedForClip(const at::Tensor& codes_P3YX) {
    return normalisedBy(codes_P3YX, {0.48145466, 0.4578275, 0.40821073},
                        {0.26862954, 0.26130258, 0.27577711});
}

at::Tensor normalisedForDino(const at::Tensor& codes_P3YX) {
    return normalisedBy(codes_P3YX, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225});
}

}  // namespace reelgrid::perception
