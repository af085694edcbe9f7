#include "core/denoising/step_caches.h"

#include "core/models/layers/change_recorder.h"
#include "core/models/layers/first_block_cache.h"
#include "core/models/layers/mag_cache.h"
#include "core/models/layers/tea_cache.h"

namespace reelgrid::denoising {
namespace {

using Method = protocol::StepCache::Method;
using protocol::GuidanceBranch;

constexpr const char *kConditional = "conditional.", *kUnconditional = "unconditional.";

/// Null for those that stand for no blocks.
std::unique_ptr<models::BlockCache> blockCache(const protocol::StepCache& asked,
                                               const models::CacheAgreement& agreement) {
    switch (asked.method) {
        case Method::FirstBlock:
            return std::make_unique<models::FirstBlockCache>(asked.threshold, agreement);
        case Method::TeaCache:
            return std::make_unique<models::TeaCache>(asked.threshold, asked.curve, agreement);
        case Method::MagCache:
            return std::make_unique<models::MagCache>(asked.threshold, asked.mostSkips, asked.curve,
                                                      agreement);
        default:
            return nullptr;
    }
}

}  // namespace

StepCaches::StepCaches(const Guidance& guidance, const models::CacheAgreement& agreement, StageClock& clock) {
    const protocol::StepCache& asked = guidance.stepCache;
    for (OfBranch* branch : {&m_conditional, &m_unconditional}) {
        branch->blocks = blockCache(asked, agreement);
        if (asked.method == Method::TaylorSeer) branch->series.emplace(asked.order);
    }
    // The first pass decides for both, so its curve is the one to know.
    if (asked.method == Method::Record)
        m_conditional.blocks =
            std::make_unique<models::ChangeRecorder>([&clock](const models::PassChange& change) {
                clock.noteChange({change.step, change.embedding, change.added, change.magnitude});
            });
}

StepCaches::OfBranch& StepCaches::of(GuidanceBranch branch) {
    return branch == GuidanceBranch::Conditional ? m_conditional : m_unconditional;
}

models::BlockCache* StepCaches::blocksOf(GuidanceBranch branch) {
    return of(branch).blocks.get();
}

models::TaylorSeries* StepCaches::seriesOf(GuidanceBranch branch) {
    auto& series = of(branch).series;
    return series ? &*series : nullptr;
}

void StepCaches::save(const std::string& prefix, NamedTensors& into) const {
    for (const auto& [name, branch] :
         {std::pair{kConditional, &m_conditional}, std::pair{kUnconditional, &m_unconditional}}) {
        if (branch->blocks) branch->blocks->save(prefix + name, into);
        if (branch->series) branch->series->save(prefix + name, into);
    }
}

void StepCaches::restore(const std::string& prefix, const NamedTensors& from, at::Device device) {
    for (const auto& [name, branch] :
         {std::pair{kConditional, &m_conditional}, std::pair{kUnconditional, &m_unconditional}}) {
        if (branch->blocks) branch->blocks->restore(prefix + name, from, device);
        if (branch->series) branch->series->restore(prefix + name, from, device);
    }
}

std::uint64_t stepCacheBytes(const catalog::RenderSettings& settings, std::int64_t tokens,
                             std::int64_t channels, std::int64_t outputs) {
    const protocol::StepCache& asked = settings.stepCache;
    if (!asked.isOn()) return 0;
    const int caches = isGuided(settings) && asked.method != Method::Record ? 2 : 1;
    if (asked.method == Method::FirstBlock) return models::firstBlockCacheBytes(tokens, channels, caches);
    // What blocks added, and the residual stream as it was while they run.
    const std::int64_t values = asked.method == Method::TaylorSeer
                                    ? tokens * outputs * (asked.order + 1) * caches
                                    : tokens * channels * (caches + 1);
    return static_cast<std::uint64_t>(values) * sizeof(float);
}

}  // namespace reelgrid::denoising
