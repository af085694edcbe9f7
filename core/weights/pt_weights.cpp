#include "core/weights/pt_weights.h"

#include "core/base/result.h"
#include "core/pt/pt_file.h"
#include "core/weights/pt_tensors.h"
#include "core/weights/shape_check.h"

namespace reelgrid::weights {
namespace {

const pt::Dict* stateDictOf(const pt::Value& file) {
    const auto* dict = file.as<pt::Dict>();
    const pt::Value* inner = dict == nullptr ? nullptr : dict->find("state_dict");
    return inner == nullptr ? dict : inner->as<pt::Dict>();
}

}  // namespace

PtWeights::PtWeights(const std::filesystem::path& file) : m_file(file) {
    const pt::Value value = pt::readPt(file).value();
    if (const pt::Dict* dict = stateDictOf(value))
        for (const pt::Entry& entry : dict->entries) {
            const auto* name = entry.key.as<std::string>();
            const auto* tensor = entry.value.as<pt::Tensor>();
            if (name != nullptr && tensor != nullptr) m_tensors.insert_or_assign(*name, *tensor);
        }
    if (m_tensors.empty())
        throw Failure(ErrorCode::InvalidData,
                      file.string() + ": holds no named tensors, a state dict was needed");
}

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
