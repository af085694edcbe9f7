#include "core/weights/scaled_fp8.h"

#include <cmath>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::weights {

namespace {

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
    return fp8.to(at::kFloat).mul_(factor).to(at::kBFloat16);
}

}  // namespace reelgrid::weights
