#pragma once

// Shape legend: B batch, N tokens, C channels of the model.

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/models/layers/block_cache.h"

namespace reelgrid::models {

/// The first of a render's steps that may skip. The steps before settle what goes where, and what the first
/// block adds changes least in just these: skipping two of them cost the demo's clips up to 10 dB.
int firstStepThatMaySkip(int steps);

/// What a cache of so many tokens takes: fp32, and two copies of the residual stream while a pass decides.
std::uint64_t firstBlockCacheBytes(std::int64_t tokens, std::int64_t channels, int caches);

/// First-block caching: a pass whose first block adds to the residual stream nearly what it added in the last
/// pass that ran whole is given a guess at what the other blocks would add, in the place of running them.
/// Source: ParaAttention's First Block Cache, as in diffusers 0.40, hooks/first_block_cache.py, whose guess
/// is what the others added in that pass and which holds each change to the threshold by itself.
class FirstBlockCache final : public BlockCache {
  public:
    /// `threshold` > 0: what the relative L1 changes of what the first block adds, each since the last whole
    /// pass, may add up to over the passes that are skipped in a row.
    explicit FirstBlockCache(double threshold, CacheAgreement agreement = {})
        : m_threshold(threshold), m_agreement(std::move(agreement)) {}

    [[nodiscard]] bool looksAtFirstBlock() const override { return true; }
    /// Whether `first_BNC`, what the first block added in this pass, is close enough; where it is, the pass
    /// counts as one that is skipped. Waits for the device.
    [[nodiscard]] bool isClose(const at::Tensor& first_BNC) override;
    /// A pass ran whole: what its first block added, and what the others did. Both are kept, not copied, and
    /// written over by the next pass's.
    void keep(at::Tensor first_BNC, at::Tensor others_BNC) override;
    /// What the other blocks would add about here: what they added in the last whole pass, and as much more
    /// of what they changed by since the one before as the first block has gone on in its own direction from
    /// there. After keep().
    [[nodiscard]] at::Tensor others(const at::Tensor& first_BNC) const override;

    void save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const override;
    void restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                 at::Device device) override;

  private:
    [[nodiscard]] at::Tensor total(const at::Tensor& x, at::Tensor (*alone)(const at::Tensor&)) const;

    double m_threshold;
    CacheAgreement m_agreement;
    double m_changes = 0;  ///< of the passes that were skipped since the last whole one, added up
    at::Tensor m_first_BNC, m_others_BNC;
    at::Tensor m_firstStep_BNC, m_othersStep_BNC;  ///< by which these changed; undefined after one pass
};

}  // namespace reelgrid::models
