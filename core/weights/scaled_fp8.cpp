#include "core/weights/scaled_fp8.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <cstdint>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::weights {

namespace {

constexpr std::int64_t kByteValues = 256;

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kScale = ".scale_weight", kInputScale = ".scale_input";

std::string withEnding(const std::string& name, std::string_view ending, std::string_view replacement) {
    if (!name.ends_with(ending)) return {};
    return name.substr(0, name.size() - ending.size()).append(replacement);
}

}  // namespace

std::string scaleNameOf(const std::string& weightName) {
    return withEnding(weightName, kWeight, kScale);
}

std::string weightNameOf(const std::string& scaleName) {
    const std::string name = withEnding(scaleName, kScale, kWeight);
    return name.empty() ? withEnding(scaleName, kInputScale, kWeight) : name;
}

at::Tensor dequantised(const at::Tensor& fp8, const at::Tensor& scale, const std::string& where) {
    if (scale.numel() != 1)
        throw Failure(ErrorCode::InvalidData, where + " has shape " + safetensors::shapeText(scale.sizes()) +
                                                  ", one number was needed");
    const float factor = scale.to(at::kFloat).item<float>();
    if (!std::isfinite(factor) || factor <= 0)
        throw Failure(ErrorCode::InvalidData,
                      where + " is " + std::to_string(factor) + ", a positive number was needed");
    const auto widened = [factor](const at::Tensor& values) {
        return values.to(at::kFloat).mul_(factor).to(at::kBFloat16);
    };
    if (!fp8.is_cpu() || !fp8.is_contiguous()) return widened(fp8);
    // A byte has few values: libtorch widens them one by one, a table does it once.
    const at::Tensor table = widened(at::arange(kByteValues, at::kByte).view(fp8.scalar_type()));
    at::Tensor out = at::empty(fp8.sizes(), fp8.options().dtype(at::kBFloat16));
    const auto* known = table.const_data_ptr<at::BFloat16>();
    const auto* from = static_cast<const std::uint8_t*>(fp8.const_data_ptr());
    auto* to = out.mutable_data_ptr<at::BFloat16>();
    constexpr std::int64_t kGrain = std::int64_t{1} << 16;
    at::parallel_for(0, fp8.numel(), kGrain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) to[i] = known[from[i]];
    });
    return out;
}

}  // namespace reelgrid::weights
