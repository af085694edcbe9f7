#include "core/models/layers/first_block_cache.h"

#include <utility>

namespace reelgrid::models {

bool FirstBlockCache::isClose(const at::Tensor& first_BNC) const {
    if (!m_first_BNC.defined()) return false;
    const at::Tensor change = (first_BNC - m_first_BNC).abs_().mean();
    return (change / m_first_BNC.abs().mean()).item<double>() <= m_threshold;
}

void FirstBlockCache::keep(at::Tensor first_BNC, at::Tensor others_BNC) {
    m_first_BNC = std::move(first_BNC);
    m_others_BNC = std::move(others_BNC);
}

void FirstBlockCache::save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const {
    if (!m_first_BNC.defined()) return;
    into[prefix + "first"] = m_first_BNC;
    into[prefix + "others"] = m_others_BNC;
}

void FirstBlockCache::restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                              at::Device device) {
    const auto first = from.find(prefix + "first"), others = from.find(prefix + "others");
    if (first == from.end() || others == from.end()) return;
    keep(first->second.to(device), others->second.to(device));
}

}  // namespace reelgrid::models
