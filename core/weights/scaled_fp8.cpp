#include "core/weights/scaled_fp8.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/result.h"
#include "core/safetensors/header.h"
#include "core/weights/scalar_type.h"

namespace reelgrid::weights {

namespace {

constexpr std::int64_t kByteValues = 256;

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kScales[] = {".scale_weight", ".weight_scale"};
constexpr std::string_view kOthers[] = {".scale_input", ".input_scale", ".comfy_quant"};

std::string withEnding(const std::string& name, std::string_view ending, std::string_view replacement) {
    if (!name.ends_with(ending)) return {};
    return name.substr(0, name.size() - ending.size()).append(replacement);
}

}  // namespace

std::vector<std::string> scaleNamesOf(const std::string& weightName) {
    std::vector<std::string> names;
    for (const std::string_view scale : kScales)
        if (std::string name = withEnding(weightName, kWeight, scale); !name.empty())
            names.push_back(std::move(name));
    return names;
}

std::string weightNameOf(const std::string& scaleName) {
    for (const auto& endings : {std::span<const std::string_view>(kScales), {kOthers}})
        for (const std::string_view ending : endings)
            if (std::string name = withEnding(scaleName, ending, kWeight); !name.empty()) return name;
    return {};
}

at::Tensor dequantised(const at::Tensor& fp8, const at::Tensor& scale, const std::string& where) {
    const std::int64_t rows = fp8.dim() > 0 ? fp8.size(0) : 1;
    const bool isOfRows =
        scale.numel() == rows && (scale.dim() == 1 || (scale.dim() == 2 && scale.size(1) == 1));
    if (scale.numel() != 1 && !isOfRows)
        throw Failure(ErrorCode::InvalidData, where + " has shape " + safetensors::shapeText(scale.sizes()) +
                                                  ", one number or one for each of " + std::to_string(rows) +
                                                  " rows was needed");
    requireFloatingPoint(scale.scalar_type(), where);
    const at::Tensor factors = scale.to(at::kFloat).flatten();
    for (std::int64_t i = 0; i < factors.numel(); ++i)
        if (const float factor = factors[i].item<float>(); !std::isfinite(factor) || factor <= 0)
            throw Failure(ErrorCode::InvalidData,
                          where + " has " + std::to_string(factor) + ", positive numbers were needed");
    if (scale.numel() != 1) {
        std::vector<std::int64_t> shape(static_cast<std::size_t>(fp8.dim()), 1);
        shape.front() = rows;
        return fp8.to(at::kFloat).mul_(factors.view(shape)).to(at::kBFloat16);
    }
    const auto widened = [factor = factors.item<float>()](const at::Tensor& values) {
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
