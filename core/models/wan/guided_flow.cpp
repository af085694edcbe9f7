#include "core/models/wan/guided_flow.h"

#include <utility>

namespace reelgrid::models::wan {

using attention::GuidanceBranch;

namespace {

/// What the names of an expert's caches begin with in a resume point.
std::string cacheName(std::size_t expert) {
    return "cache." + std::to_string(expert) + ".";
}

}  // namespace

GuidedFlow::GuidedFlow(Experts& experts, Conditions conditions, int trainTimesteps, Passes passes,
                       const execution::Execution& execution, pipeline::StageClock& clock)
    : m_experts(experts),
      m_conditions(std::move(conditions)),
      m_trainTimesteps(trainTimesteps),
      m_passes(passes),
      m_execution(execution),
      m_clock(clock) {}

void GuidedFlow::prepare(double firstTimestep) {
    static_cast<void>(preparedFor(m_experts.at(firstTimestep, m_trainTimesteps)));
    if (!m_experts.fitTogether()) return;
    for (const Experts::Index expert : {Experts::kHighNoise, Experts::kLowNoise})
        static_cast<void>(preparedFor(expert));
}

GuidedFlow::Prepared& GuidedFlow::preparedFor(Experts::Index expert) {
    // What another expert needed goes with it: its graphs are of a model that is no more.
    if (!m_experts.isLoaded(expert))
        for (auto& other : m_prepared) other.reset();
    WanTransformer& model = m_experts.use(expert, m_clock);
    std::unique_ptr<Prepared>& prepared = m_prepared[expert];
    if (prepared) return *prepared;
    prepared = std::make_unique<Prepared>();
    prepared->prompt = model.prepareText(m_conditions.prompt, m_conditions.imageEmbedding);
    if (m_conditions.negative.defined())
        prepared->negative = model.prepareText(m_conditions.negative, m_conditions.imageEmbedding);
    if (m_conditions.stepCache > 0) prepared->caches.emplace(m_conditions.stepCache);
    if (m_passes == Passes::Graphed) prepared->graphed = std::make_unique<GraphedForward>(model, m_execution);
    return *prepared;
}

/// A frame that is given has no noise: its tokens are at timestep 0.
StepEmbedding GuidedFlow::embed(const WanTransformer& model, const at::Tensor& latents_BCTHW,
                                double timestep) const {
    if (!m_conditions.firstFrame_BC1HW.defined()) return model.embedTimestep(timestep);
    const auto& patch = model.config().patchSize;
    const auto tokens = latents_BCTHW.size(3) / patch[1] * (latents_BCTHW.size(4) / patch[2]);
    return model.embedTimesteps(tokens, 0, timestep);
}

at::Tensor GuidedFlow::predict(const at::Tensor& latents_BCTHW, double timestep, int step,
                               attention::Dispatcher& attention) {
    const Experts::Index expert = m_experts.at(timestep, m_trainTimesteps);
    Prepared& prepared = preparedFor(expert);
    WanTransformer& model = m_experts.use(expert, m_clock);
    at::Tensor input = withFirstFrame(latents_BCTHW);
    if (m_conditions.givenFrames_BCTHW.defined()) input = at::cat({input, m_conditions.givenFrames_BCTHW}, 1);
    const StepEmbedding embedding = embed(model, input, timestep);
    // The first pass decides for both: guidance draws apart what two passes made of different steps.
    auto skip = step < m_conditions.stepCacheFrom ? Skip::No : Skip::WhereClose;
    const attention::LayerContext context{attention, &m_clock.parts()};
    const auto forward = [&](const PreparedText& text, FirstBlockCache GuidanceCaches::*cache) {
        if (prepared.graphed) return prepared.graphed->forward(input, embedding, text, attention);
        if (!prepared.caches) return model.forward(input, embedding, text, context);
        auto pass = model.forward(input, embedding, text, context, (*prepared.caches).*cache, skip);
        m_clock.countPass(pass.skipped ? pipeline::PassWork::Skipped : pipeline::PassWork::Whole);
        skip = pass.skipped ? Skip::Yes : Skip::No;
        return std::move(pass.flow_BZFYX);
    };
    attention.beginPass(step, GuidanceBranch::Conditional);
    const at::Tensor conditional = forward(prepared.prompt, &GuidanceCaches::conditional);
    if (!prepared.negative) return conditional;
    attention.beginPass(step, GuidanceBranch::Unconditional);
    const at::Tensor unconditional = forward(*prepared.negative, &GuidanceCaches::unconditional);
    return unconditional + m_conditions.guidance[expert] * (conditional - unconditional);
}

void GuidedFlow::save(std::map<std::string, at::Tensor>& into) const {
    for (std::size_t expert = 0; expert < Experts::kMost; ++expert)
        if (m_prepared[expert] && m_prepared[expert]->caches)
            m_prepared[expert]->caches->save(cacheName(expert), into);
}

void GuidedFlow::restore(const std::map<std::string, at::Tensor>& from) {
    for (std::size_t expert = 0; expert < Experts::kMost; ++expert)
        if (m_prepared[expert] && m_prepared[expert]->caches)
            m_prepared[expert]->caches->restore(cacheName(expert), from, m_execution.device);
}

at::Tensor GuidedFlow::withFirstFrame(const at::Tensor& latents_BCTHW) const {
    if (!m_conditions.firstFrame_BC1HW.defined()) return latents_BCTHW;
    return at::cat({m_conditions.firstFrame_BC1HW, latents_BCTHW.narrow(2, 1, latents_BCTHW.size(2) - 1)}, 2);
}

}  // namespace reelgrid::models::wan
