#pragma once

// Shape legend: B batch, N tokens, C channels of the model.

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>

namespace reelgrid::models {

/// Who says whether a cache stands for blocks of a pass: what the cache sees of it, or another pass.
enum class Skip { WhereClose, Yes, No };

/// What a pass with a cache came to.
struct CachedPass {
    at::Tensor prediction;  ///< as that of a pass without
    bool skipped = false;   ///< all blocks, or all but the first
};

/// How ranks that share a pass come to one decision; what isn't there changes nothing.
struct CacheAgreement {
    std::function<at::Tensor(const at::Tensor&)> sum{};  ///< over those that share the tokens
    std::function<bool(bool)> decided{};                 ///< by those whose pass decides for all

    [[nodiscard]] bool operator()(bool mine) const { return decided ? decided(mine) : mine; }
};

/// Stands for blocks of passes that would change little: one for each expert and each of guidance's passes.
class BlockCache {
  public:
    virtual ~BlockCache() = default;

    /// Whether it sees what the first block adds, which then always runs; else the timestep's embedding.
    [[nodiscard]] virtual bool looksAtFirstBlock() const { return false; }
    /// The step of the render whose pass comes.
    virtual void beginStep(int /*step*/) {}
    /// Whether it may stand for the other blocks of a pass in which it has seen this; where it may, the pass
    /// counts as one that is skipped. May wait for the device.
    [[nodiscard]] virtual bool isClose(const at::Tensor& seen) = 0;
    /// A pass ran whole: what was seen, and what the blocks added to the residual stream (BNC), all of them
    /// or all but the first. Both are kept, not copied, and may be written over.
    virtual void keep(at::Tensor seen, at::Tensor others_BNC) = 0;
    /// What those blocks would add about here. After keep().
    [[nodiscard]] virtual at::Tensor others(const at::Tensor& seen) const = 0;

    /// As tensors whose names begin with `prefix`, for a render that is taken up again; none before keep().
    virtual void save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const = 0;
    /// Throws Failure(InvalidData) naming a tensor that save() would have written beside others and isn't
    /// there.
    virtual void restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from,
                         at::Device device) = 0;
};

/// What save() left, by its name; throws as BlockCache::restore().
at::Tensor keptTensor(const std::map<std::string, at::Tensor>& from, const std::string& name);

}  // namespace reelgrid::models
