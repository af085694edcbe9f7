#include "core/models/layers/mag_cache.h"

#include <cmath>
#include <utility>

namespace reelgrid::models {

MagCache::MagCache(double threshold, int mostSkips, std::vector<double> ratios, CacheAgreement agreement)
    : m_threshold(threshold),
      m_mostSkips(mostSkips),
      m_ratios(std::move(ratios)),
      m_agreement(std::move(agreement)) {}

bool MagCache::isClose(const at::Tensor& /*embedding*/) {
    if (!hasKept()) return false;
    const auto step = static_cast<std::size_t>(m_step);
    const double ratio = m_ratio * (step < m_ratios.size() ? m_ratios[step] : 1);
    const double error = m_error + std::abs(1 - ratio);
    if (!m_agreement(error < m_threshold && m_skipped + 1 <= m_mostSkips)) return false;
    m_ratio = ratio;
    m_error = error;
    ++m_skipped;
    return true;
}

void MagCache::keep(at::Tensor embedding, at::Tensor added_BNC) {
    AddedCache::keep(std::move(embedding), std::move(added_BNC));
    m_ratio = 1;
    m_error = 0;
    m_skipped = 0;
}

void MagCache::setState(const std::vector<double>& state) {
    m_ratio = state[0];
    m_error = state[1];
    m_skipped = static_cast<int>(state[2]);
}

std::vector<double> nearestCurve(const std::vector<double>& curve, int steps) {
    if (curve.empty() || static_cast<std::size_t>(steps) == curve.size()) return curve;
    if (steps == 1) return {curve.back()};
    const double scale = static_cast<double>(curve.size() - 1) / (steps - 1);
    std::vector<double> nearest;
    for (int step = 0; step < steps; ++step)
        nearest.push_back(curve[static_cast<std::size_t>(std::nearbyint(step * scale))]);
    return nearest;
}

}  // namespace reelgrid::models
