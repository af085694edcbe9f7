#include "core/models/layers/tea_cache.h"

#include <utility>

namespace reelgrid::models {

TeaCache::TeaCache(double threshold, std::vector<double> polynomial, CacheAgreement agreement)
    : m_threshold(threshold), m_polynomial(std::move(polynomial)), m_agreement(std::move(agreement)) {}

bool TeaCache::isClose(const at::Tensor& embedding) {
    if (!hasKept()) return false;
    const double change = relativeChange(embedding, seen());
    double foretold = 0;
    for (const double coefficient : m_polynomial) foretold = foretold * change + coefficient;
    // A polynomial may go below 0; a threshold of 0 skips nothing all the same.
    const double changes = m_changes + foretold;
    const bool isClose = m_agreement(m_threshold > 0 && changes < m_threshold);
    if (!isClose) return false;
    m_changes = changes;
    setSeen(embedding);
    return true;
}

void TeaCache::keep(at::Tensor embedding, at::Tensor added_BNC) {
    AddedCache::keep(std::move(embedding), std::move(added_BNC));
    m_changes = 0;
}

}  // namespace reelgrid::models
