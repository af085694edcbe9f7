#pragma once

#include "core/models/layers/first_block_cache.h"

namespace reelgrid::models {

/// A step cache for each of guidance's passes.
struct GuidanceCaches {
    FirstBlockCache conditional, unconditional;

    explicit GuidanceCaches(double threshold, const CacheAgreement& agreement = {})
        : conditional(threshold, agreement), unconditional(threshold, agreement) {}

    /// FirstBlockCache's of both.
    void save(const std::string& prefix, std::map<std::string, at::Tensor>& into) const;
    void restore(const std::string& prefix, const std::map<std::string, at::Tensor>& from, at::Device device);
};

/// What they take in a render of so many tokens: nothing with a threshold of 0, one cache without guidance.
std::uint64_t guidanceCacheBytes(double threshold, double guidanceScale, std::int64_t tokens,
                                 std::int64_t channels);

}  // namespace reelgrid::models
