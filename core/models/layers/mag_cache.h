#pragma once

#include <vector>

#include "core/models/layers/added_cache.h"

namespace reelgrid::models {

/// MagCache: skips passes in a row while the error that a known curve foretells, |1 − the product of the
/// magnitudes' ratios since the last whole pass|, adds up to less than a threshold, and no more of them than
/// `mostSkips`. Source: Ma et al. 2025 (arXiv 2506.09045); github.com/Zehong-Ma/MagCache; diffusers 0.40,
/// hooks/mag_cache.py.
class MagCache final : public AddedCache {
  public:
    /// `ratios`: of each step of the render the mean magnitude of what the blocks add, relative to that of
    /// the step before; 1 for steps behind its end.
    MagCache(double threshold, int mostSkips, std::vector<double> ratios, CacheAgreement agreement = {});

    void beginStep(int step) override { m_step = step; }
    [[nodiscard]] bool isClose(const at::Tensor& embedding) override;
    void keep(at::Tensor embedding, at::Tensor added_BNC) override;

  protected:
    [[nodiscard]] std::vector<double> state() const override { return {m_ratio, m_error, double(m_skipped)}; }
    void setState(const std::vector<double>& state) override;

  private:
    double m_threshold;
    int m_mostSkips;
    std::vector<double> m_ratios;
    CacheAgreement m_agreement;
    int m_step = 0;
    /// Since the last whole pass.
    double m_ratio = 1, m_error = 0;
    int m_skipped = 0;
};

/// A curve over other steps: at each of `steps` the nearest of its own.
std::vector<double> nearestCurve(const std::vector<double>& curve, int steps);

}  // namespace reelgrid::models
