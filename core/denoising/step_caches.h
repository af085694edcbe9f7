#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/denoising/guidance.h"
#include "core/denoising/named_tensors.h"
#include "core/denoising/stage_clock.h"
#include "core/models/layers/block_cache.h"
#include "core/models/layers/taylor_series.h"
#include "core/protocol/attention_call.h"

namespace reelgrid::denoising {

/// What stands for blocks, or for whole passes, of each of guidance's two passes.
class StepCaches {
  public:
    /// What is recorded goes to the clock.
    StepCaches(const Guidance& guidance, const models::CacheAgreement& agreement, StageClock& clock);

    /// Null: the branch's passes run without.
    [[nodiscard]] models::BlockCache* blocksOf(protocol::GuidanceBranch branch);
    /// Null: nothing foretells the branch's predictions.
    [[nodiscard]] models::TaylorSeries* seriesOf(protocol::GuidanceBranch branch);

    /// By names that begin with `prefix`.
    void save(const std::string& prefix, NamedTensors& into) const;
    void restore(const std::string& prefix, const NamedTensors& from, at::Device device);

  private:
    struct OfBranch {
        std::unique_ptr<models::BlockCache> blocks;
        std::optional<models::TaylorSeries> series;
    };
    [[nodiscard]] OfBranch& of(protocol::GuidanceBranch branch);

    OfBranch m_conditional, m_unconditional;
};

/// What they keep in a render of so many tokens, whose predictions have so many values a token.
std::uint64_t stepCacheBytes(const catalog::RenderSettings& settings, std::int64_t tokens,
                             std::int64_t channels, std::int64_t outputs);

}  // namespace reelgrid::denoising
