#pragma once

#include <vector>

#include "core/models/layers/added_cache.h"

namespace reelgrid::models {

/// TeaCache: skips passes in a row while the changes of the timestep's embedding from step to step, each the
/// relative L1 change put through a polynomial that foretells that of the output, add up to less than a
/// threshold. Source: Liu et al. 2024 (arXiv 2411.19108); github.com/ali-vilab/TeaCache, whose code for Wan
/// and CogVideoX looks at the embedding itself.
class TeaCache final : public AddedCache {
  public:
    /// `polynomial`: its coefficients, highest power first.
    TeaCache(double threshold, std::vector<double> polynomial, CacheAgreement agreement = {});

    [[nodiscard]] bool isClose(const at::Tensor& embedding) override;
    void keep(at::Tensor embedding, at::Tensor added_BNC) override;

  protected:
    [[nodiscard]] std::vector<double> state() const override { return {m_changes}; }
    void setState(const std::vector<double>& state) override { m_changes = state[0]; }

  private:
    double m_threshold;
    std::vector<double> m_polynomial;
    CacheAgreement m_agreement;
    double m_changes = 0;  ///< since the last whole pass, added up
};

}  // namespace reelgrid::models
