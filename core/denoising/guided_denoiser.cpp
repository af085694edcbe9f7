#include "core/denoising/guided_denoiser.h"

#include <utility>

namespace reelgrid::denoising {
namespace {

/// What the names of its caches begin with in a resume point.
constexpr const char* kCaches = "cache.";

}  // namespace

GuidedDenoiser::GuidedDenoiser(Parts parts, const execution::Execution& execution, StageClock& clock)
    : m_parts(std::move(parts)), m_passes(*m_parts.model, std::move(m_parts.guidance), execution, clock) {}

at::Tensor GuidedDenoiser::predict(const at::Tensor& input, int step, attention::Dispatcher& attention) {
    const double timestep = m_parts.scheduler->timesteps()[static_cast<std::size_t>(step)];
    return m_passes.predict(input, timestep, step, attention);
}

void GuidedDenoiser::save(NamedTensors& into) const {
    m_parts.noise->save(into);
    m_passes.save(kCaches, into);
}

void GuidedDenoiser::restore(const NamedTensors& from) {
    m_parts.noise->restore(from);
    m_passes.restore(kCaches, from);
}

}  // namespace reelgrid::denoising
