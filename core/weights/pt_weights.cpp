#include "core/weights/pt_weights.h"

#include "core/base/result.h"
#include "core/pt/state_dict.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/shape_check.h"

namespace reelgrid::weights {

PtWeights::PtWeights(const std::filesystem::path& file)
    : m_file(file), m_tensors(pt::readStateDict(file).value()) {}

std::vector<std::string> PtWeights::names() const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : m_tensors) names.push_back(name);
    return names;
}

std::optional<std::vector<std::int64_t>> PtWeights::shapeOf(const std::string& name) const {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) return std::nullopt;
    return found->second.sizes;
}

at::Tensor PtWeights::require(const std::string& name, at::IntArrayRef shape) {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) throwMissing(m_file.string(), name, shape);
    requireShape(m_file.string(), name, found->second.sizes, shape);
    return tensorFrom(found->second).contiguous();
}

}  // namespace reelgrid::weights
