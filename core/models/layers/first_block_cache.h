#pragma once

// Shape legend: B batch, N tokens, C channels of the model.

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace reelgrid::models {

/// Who says whether a cache stands for the other blocks: what the first block adds, or another pass.
enum class Skip { WhereClose, Yes, No };

/// What a pass with a cache came to.
struct CachedPass {
    at::Tensor prediction;  ///< as that of a pass without
    bool skipped = false;   ///< all blocks but the first
};

/// The first of a render's steps that may skip. The steps before settle what goes where, and what the first
/// block adds changes least in just these: skipping two of them cost the demo's clips up to 10 dB.
int firstStepThatMaySkip(int steps);

/// What a cache of so many tokens takes: fp32, and two copies of the residual stream while a pass decides.
std::uint64_t firstBlockCacheBytes(std::int64_t tokens, std::int64_t channels, int caches);

/// How ranks that share a pass come to one decision; what isn't there changes nothing.
struct CacheAgreement {
    std::function<at::Tensor(const at::Tensor&)> sum{};  ///< over those that share the tokens
    std::function<bool(bool)> decided{};                 ///< by those whose pass decides for all
};

/// First-block caching: a pass whose first block adds to the residual stream nearly what it added in the last
/// pass that ran whole is given a guess at what the other blocks would add, in the place of running them. One
/// of these for each expert and each of guidance's passes.
/// Source: ParaAttention's First Block Cache, as in diffusers 0.40, hooks/first_block_cache.py, whose guess
/// is what the others added in that pass and which holds each change to the threshold by itself.
class FirstBlockCache {
  public:
    /// `threshold` > 0: what the relative L1 changes of what the first block adds, each since the last whole
    /// pass, may add up to over the passes that are skipped in a row.
    explicit FirstBlockCache(double threshold, CacheAgreement agreement = {})
        : m_threshold(threshold), m_agreement(std::move(agreement)) {}

    /// Whether `first_BNC`, what the first block added in this pass, is close enough; where it is, the pass
    /// counts as one that is skipped. Waits for the device.
    [[nodiscard]] bool isClose(const at::Tensor& first_BNC);
    /// A pass ran whole: what its first block added, and what the others did. Both are kept, not copied, and
    /// written over by the next pass's.
    void keep(at::Tensor first_BNC, at::Tensor others_BNC);
    /// What the other blocks would add about here: what they added in the last whole pass, and as much more
    /// of what they changed by since the one before as the first block has gone on in its own direction from
    /// there. After keep().
    [[nodiscard]] at::Tensor others(const at::Tensor& first_BNC) const;

    /// As tensors whose names begin with `prefix`, for a render that is taken up again; none before keep().
    void save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const;
    /// Throws Failure(InvalidData) naming a tensor that save() would have written beside others and isn't
    /// there.
    void restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from, at::Device device);

  private:
    [[nodiscard]] at::Tensor total(const at::Tensor& x, at::Tensor (*alone)(const at::Tensor&)) const;

    double m_threshold;
    CacheAgreement m_agreement;
    double m_changes = 0;  ///< of the passes that were skipped since the last whole one, added up
    at::Tensor m_first_BNC, m_others_BNC;
    at::Tensor m_firstStep_BNC, m_othersStep_BNC;  ///< by which these changed; undefined after one pass
};

}  // namespace reelgrid::models
