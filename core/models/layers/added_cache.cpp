#include "core/models/layers/added_cache.h"

#include <utility>

namespace reelgrid::models {
namespace {

constexpr const char *kSeen = "seen", *kAdded = "added", *kState = "state";

}  // namespace

void AddedCache::keep(at::Tensor seen, at::Tensor added_BNC) {
    m_seen = std::move(seen);
    m_added_BNC = std::move(added_BNC);
}

void AddedCache::save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const {
    if (!hasKept()) return;
    into[prefix + kSeen] = m_seen;
    into[prefix + kAdded] = m_added_BNC;
    into[prefix + kState] = at::tensor(state(), at::kDouble);
}

void AddedCache::restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                         at::Device device) {
    if (!from.contains(prefix + kAdded)) return;
    m_added_BNC = keptTensor(from, prefix + kAdded).to(device);
    m_seen = keptTensor(from, prefix + kSeen).to(device);
    const at::Tensor numbers = keptTensor(from, prefix + kState).cpu().to(at::kDouble).contiguous();
    const auto* const first = numbers.const_data_ptr<double>();
    std::vector<double> read(first, first + numbers.numel());
    read.resize(state().size());
    setState(read);
}

double relativeChange(const at::Tensor& now, const at::Tensor& before) {
    const at::Tensor change = (now - before).abs_().sum(at::kDouble);
    return (change / before.abs().sum(at::kDouble)).item<double>();
}

}  // namespace reelgrid::models
