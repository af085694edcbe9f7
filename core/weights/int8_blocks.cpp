#include "core/weights/int8_blocks.h"

#include <algorithm>
#include <string_view>

#include "core/weights/scalar_type.h"

namespace reelgrid::weights {
namespace {

std::string besideWeight(const std::string& name, std::string_view ending) {
    constexpr std::string_view kWeightEnding = ".weight";
    if (!name.ends_with(kWeightEnding)) return {};
    return name.substr(0, name.size() - kWeightEnding.size()).append(ending);
}

}  // namespace

std::string int8NameOf(const std::string& weightName) {
    return besideWeight(weightName, ".int8_weight");
}

std::string int8ScaleNameOf(const std::string& weightName) {
    return besideWeight(weightName, ".scale");
}

at::Tensor ofInt8Blocks(const at::Tensor& integers_OI, const at::Tensor& scales) {
    const std::int64_t out = integers_OI.size(0), in = integers_OI.size(1);
    if (integers_OI.is_meta()) return at::empty({out, in}, integers_OI.options().dtype(at::kFloat));
    at::Tensor weight_OI = integers_OI.to(at::kFloat);
    for (std::int64_t block = 0; block < int8BlocksOf(out); ++block) {
        const std::int64_t first = block * kInt8Block;
        weight_OI.narrow(0, first, std::min(kInt8Block, out - first))
            .mul_(scales[block].to(at::kFloat).repeat_interleave(kInt8Block).narrow(0, 0, in));
    }
    return weight_OI;
}

bool Int8BlockWeights::isInIntegers(const std::string& name) const {
    const std::string integers = int8NameOf(name);
    return !integers.empty() && !m_checkpoint->has(name) && m_checkpoint->has(integers);
}

at::Tensor Int8BlockWeights::require(const std::string& name, at::IntArrayRef shape) {
    if (!isInIntegers(name) || shape.size() != 2) return m_checkpoint->require(name, shape);
    const std::string integerName = int8NameOf(name), scaleName = int8ScaleNameOf(name);
    const at::Tensor integers_OI = m_checkpoint->require(integerName, shape);
    const at::Tensor scales =
        m_checkpoint->require(scaleName, {int8BlocksOf(shape[0]), int8BlocksOf(shape[1])});
    if (!integers_OI.is_meta()) requireInt8(integers_OI.scalar_type(), m_checkpoint->whereIs(integerName));
    requireFloatingPoint(scales.scalar_type(), m_checkpoint->whereIs(scaleName));
    return ofInt8Blocks(integers_OI, scales);
}

}  // namespace reelgrid::weights
