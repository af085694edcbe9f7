#pragma once

#include <string>
#include <vector>

#include "core/models/layers/block_cache.h"

namespace reelgrid::models {

/// A cache that stands for all blocks by what they added in the last whole pass, as it was.
class AddedCache : public BlockCache {
  public:
    void keep(at::Tensor seen, at::Tensor added_BNC) override;
    [[nodiscard]] at::Tensor others(const at::Tensor& /*seen*/) const override { return m_added_BNC; }
    void save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const override;
    void restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                 at::Device device) override;

  protected:
    [[nodiscard]] bool hasKept() const { return m_added_BNC.defined(); }
    [[nodiscard]] const at::Tensor& added() const { return m_added_BNC; }
    [[nodiscard]] const at::Tensor& seen() const { return m_seen; }
    void setSeen(const at::Tensor& seen) { m_seen = seen; }
    /// What else decides about passes, as numbers, of which there are always as many.
    [[nodiscard]] virtual std::vector<double> state() const { return {}; }
    virtual void setState(const std::vector<double>& /*state*/) {}

  private:
    at::Tensor m_seen, m_added_BNC;
};

/// Σ|now − before| / Σ|before|, waited for.
double relativeChange(const at::Tensor& now, const at::Tensor& before);

}  // namespace reelgrid::models
