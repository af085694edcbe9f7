#include "core/denoising/guided_passes.h"

#include <utility>

#include "core/base/result.h"

namespace reelgrid::denoising {

using attention::GuidanceBranch;
using models::Skip;

namespace {

/// Identifies a branch's prompt to CUDA graphs, and the pass without some layers.
constexpr int kBranches[] = {0, 1}, kWithoutLayers = 2;

const int* identityOf(GuidanceBranch branch) {
    return &kBranches[branch == GuidanceBranch::Conditional ? 0 : 1];
}

/// All ranks of a mesh skip the same passes: those of the first branch decide, by all their tokens.
models::CacheAgreement agreementOn(parallel::Mesh* mesh, execution::PartClock& parts) {
    models::CacheAgreement agreement;
    if (mesh == nullptr) return agreement;
    if (mesh->degrees().tokens() > 1)
        agreement.sum = [mesh, &parts](const at::Tensor& x) {
            const execution::PartScope scope(&parts, execution::Part::Communication);
            return mesh->tokens().sum(x);
        };
    if (mesh->degrees().cfg > 1)
        agreement.decided = [mesh, &parts](bool mine) {
            const execution::PartScope scope(&parts, execution::Part::Communication);
            return mesh->branches().fromFirst(at::full({1}, mine ? 1 : 0, at::kByte)).item<int>() != 0;
        };
    return agreement;
}

}  // namespace

models::CachedPass GuidedModel::forward(GuidanceBranch, const attention::LayerContext&, models::BlockCache&,
                                        Skip) {
    throw Failure(ErrorCode::Internal, "this family's passes know no step cache");
}

at::Tensor GuidedModel::forwardSkippingLayers(const attention::LayerContext&) {
    throw Failure(ErrorCode::Internal, "this family's passes leave no layers out");
}

GuidedPasses::GuidedPasses(GuidedModel& model, Guidance guidance, const execution::Execution& execution,
                           StageClock& clock)
    : m_model(model),
      m_guidance(std::move(guidance)),
      m_device(execution.device),
      m_mesh(execution.mesh),
      m_clock(clock) {
    if (m_guidance.stepCache.isOn())
        m_caches.emplace(m_guidance, agreementOn(m_mesh, m_clock.parts()), m_clock);
    if (m_guidance.passes == Guidance::Passes::Graphed) m_graphed.emplace(execution);
}

at::Tensor GuidedPasses::predict(const at::Tensor& input, double timestep, int step,
                                 attention::Dispatcher& attention) {
    m_model.beginStep(input, timestep);
    // The first pass decides for both: if only one of them skipped, guidance would amplify the difference.
    const bool maySkip = step >= m_guidance.stepCacheFrom && step < m_guidance.stepCacheBefore;
    Skip skip = maySkip ? Skip::WhereClose : Skip::No;
    attention.beginPass(step, GuidanceBranch::Conditional);
    if (m_mesh != nullptr && m_mesh->degrees().cfg > 1) return predictOnRanks(step, skip, attention);
    const at::Tensor conditional = pass(GuidanceBranch::Conditional, step, skip, attention);
    if (!m_guidance.scale) return conditional;
    attention.beginPass(step, GuidanceBranch::Unconditional);
    const at::Tensor unconditional = pass(GuidanceBranch::Unconditional, step, skip, attention);
    const at::Tensor prediction = guided(conditional, unconditional, m_guidance.scale(step));
    if (!m_guidance.skippedLayers || !m_guidance.skippedLayers->isOf(step)) return prediction;
    attention.beginPass(step, GuidanceBranch::Conditional);
    return prediction + (conditional - passWithoutLayers(attention)) * m_guidance.skippedLayers->scale;
}

at::Tensor GuidedPasses::passWithoutLayers(attention::Dispatcher& attention) {
    if (m_graphed)
        return m_graphed->run(
            &kWithoutLayers, m_model.stepTensors(), [&] { return m_model.forwardSkippingLayers(attention); },
            attention);
    return m_model.forwardSkippingLayers({attention, &m_clock.parts()});
}

/// Each half of the ranks computes one of the two passes.
at::Tensor GuidedPasses::predictOnRanks(int step, Skip& skip, attention::Dispatcher& attention) {
    if (!m_guidance.scale)
        throw Failure(ErrorCode::BadUsage,
                      "--cfg-parallel 2: without guidance (--guidance-scale above 1) a "
                      "step has one pass, 1 was needed");
    parallel::Communicator& branches = m_mesh->branches();
    const GuidanceBranch branch =
        branches.rank() == 0 ? GuidanceBranch::Conditional : GuidanceBranch::Unconditional;
    attention.beginPass(step, branch);
    const at::Tensor mine = pass(branch, step, skip, attention);
    const at::Tensor both = branches.gather(mine);
    return guided(both[0], both[1], m_guidance.scale(step));
}

at::Tensor GuidedPasses::pass(GuidanceBranch branch, int step, Skip& skip, attention::Dispatcher& attention) {
    if (m_graphed)
        return m_graphed->run(
            identityOf(branch), m_model.stepTensors(), [&] { return m_model.forward(branch, attention); },
            attention);
    const attention::LayerContext context(attention, &m_clock.parts(), m_mesh);
    if (!m_caches) return m_model.forward(branch, context);
    if (auto* series = m_caches->seriesOf(branch)) return foretoldPass(branch, step, *series, context);
    auto* const cache = m_caches->blocksOf(branch);
    if (cache == nullptr) return m_model.forward(branch, context);
    cache->beginStep(step);
    auto pass = m_model.forward(branch, context, *cache, skip);
    m_clock.countPass(pass.skipped ? PassWork::Skipped : PassWork::Whole);
    skip = pass.skipped ? Skip::Yes : Skip::No;
    return std::move(pass.prediction);
}

at::Tensor GuidedPasses::foretoldPass(GuidanceBranch branch, int step, models::TaylorSeries& series,
                                      const attention::LayerContext& context) {
    if (!series.computes(step, m_guidance.stepCache.interval)) {
        m_clock.countPass(PassWork::Skipped);
        return series.at(step);
    }
    at::Tensor prediction = m_model.forward(branch, context);
    series.keep(step, prediction);
    m_clock.countPass(PassWork::Whole);
    return prediction;
}

void GuidedPasses::save(const std::string& prefix, NamedTensors& into) const {
    if (m_caches) m_caches->save(prefix, into);
}

void GuidedPasses::restore(const std::string& prefix, const NamedTensors& from) {
    if (m_caches) m_caches->restore(prefix, from, m_device);
}

}  // namespace reelgrid::denoising
