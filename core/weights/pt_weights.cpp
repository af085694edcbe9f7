#include "core/weights/pt_weights.h"

#include "core/base/result.h"
#include "core/pt/pt_file.h"
#include "core/safetensors/header.h"
#include "core/weights/pt_tensors.h"

namespace reelgrid::weights {
namespace {

using safetensors::shapeText;

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

std::optional<std::vector<std::int64_t>> PtWeights::shapeOf(const std::string& name) const {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end()) return std::nullopt;
    return found->second.sizes;
}

at::Tensor PtWeights::require(const std::string& name, at::IntArrayRef shape) {
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        throw Failure(ErrorCode::InvalidData, m_file.string() + ": tensor " + name + " is missing, shape " +
                                                  shapeText(shape) + " was needed");
    if (at::IntArrayRef(found->second.sizes) != shape)
        throw Failure(ErrorCode::InvalidData, m_file.string() + ": tensor " + name + " has shape " +
                                                  shapeText(found->second.sizes) + ", the config needs " +
                                                  shapeText(shape));
    return tensorFrom(found->second).contiguous();
}

}  // namespace reelgrid::weights
