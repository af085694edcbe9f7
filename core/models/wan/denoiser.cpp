#include "core/models/wan/denoiser.h"

#include <string>
#include <utility>

namespace reelgrid::models::wan {
namespace {

/// What the names of an expert's caches begin with in a resume point.
std::string cacheName(std::size_t expert) {
    return "cache." + std::to_string(expert) + ".";
}

}  // namespace

WanDenoiser::WanDenoiser(Experts& experts, Parts parts, const execution::Execution& execution,
                         denoising::StageClock& clock)
    : m_experts(experts), m_parts(std::move(parts)), m_execution(execution), m_clock(clock) {}

WanDenoiser::Prompted::Prompted(WanTransformer& transformer, Experts::Index expert, const WanDenoiser& render)
    : model(transformer, render.m_parts.prompts, render.m_parts.pictures),
      passes(model, render.m_parts.guidance[expert], render.m_execution, render.m_clock) {}

double WanDenoiser::timestepOf(int step) const {
    return m_parts.scheduler->timesteps()[static_cast<std::size_t>(step)];
}

Experts::Index WanDenoiser::expertAt(int step) const {
    return m_experts.at(timestepOf(step), static_cast<int>(m_parts.trainTimesteps), m_parts.boundaryRatio);
}

void WanDenoiser::begin(int firstStep) {
    static_cast<void>(prompted(expertAt(firstStep)));
    if (!m_experts.fitTogether()) return;
    for (const Experts::Index expert : {Experts::kHighNoise, Experts::kLowNoise})
        static_cast<void>(prompted(expert));
}

WanDenoiser::Prompted& WanDenoiser::prompted(Experts::Index expert) {
    // What another expert needed goes with it: its graphs are of a model that is no more.
    if (!m_experts.isLoaded(expert))
        for (auto& other : m_prompted) other.reset();
    WanTransformer& model = m_experts.use(expert, m_clock);
    std::unique_ptr<Prompted>& prompted = m_prompted[expert];
    if (!prompted) prompted = std::make_unique<Prompted>(model, expert, *this);
    return *prompted;
}

at::Tensor WanDenoiser::initialLatents() {
    return m_parts.noise->draw(m_parts.shape_BCTHW) * m_parts.scheduler->initialNoiseSigma();
}

at::Tensor WanDenoiser::predict(const at::Tensor& input_BCTHW, int step, attention::Dispatcher& attention) {
    return prompted(expertAt(step)).passes.predict(input_BCTHW, timestepOf(step), step, attention);
}

at::Tensor WanDenoiser::finished(at::Tensor latents_BCTHW) {
    return m_parts.pictures.withFirstFrame(latents_BCTHW);
}

void WanDenoiser::save(denoising::NamedTensors& into) const {
    m_parts.noise->save(into);
    for (std::size_t expert = 0; expert < m_prompted.size(); ++expert)
        if (m_prompted[expert]) m_prompted[expert]->passes.save(cacheName(expert), into);
}

void WanDenoiser::restore(const denoising::NamedTensors& from) {
    m_parts.noise->restore(from);
    for (std::size_t expert = 0; expert < m_prompted.size(); ++expert)
        if (m_prompted[expert]) m_prompted[expert]->passes.restore(cacheName(expert), from);
}

}  // namespace reelgrid::models::wan
