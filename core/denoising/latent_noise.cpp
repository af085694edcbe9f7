#include "core/denoising/latent_noise.h"

#include <string>

#include "core/base/result.h"

namespace reelgrid::denoising {
namespace {

/// Of a resume point: where the noise was that samplers draw.
constexpr const char* kNoiseState = "noise";

}  // namespace

LatentNoise::LatentNoise(const catalog::RenderSettings& settings, at::Device device)
    : m_device(device), m_stream(settings.seed, settings.generator == "cpu" ? at::kCPU : device) {}

at::Tensor LatentNoise::draw(at::IntArrayRef shape) {
    return m_stream.draw(shape).to(m_device);
}

void LatentNoise::save(NamedTensors& into) const {
    into[kNoiseState] = m_stream.state();
}

void LatentNoise::restore(const NamedTensors& from) {
    const auto state = from.find(kNoiseState);
    if (state == from.end())
        throw Failure(ErrorCode::InvalidData, std::string("what was kept of the render has no ") +
                                                  kNoiseState + ", which its steps need");
    const at::Tensor now = m_stream.state();
    if (state->second.scalar_type() != now.scalar_type() || state->second.sizes() != now.sizes())
        throw Failure(ErrorCode::InvalidData,
                      std::string(kNoiseState) + " is a tensor of " + c10::str(state->second.sizes()) + ", " +
                          c10::toString(state->second.scalar_type()) + "; one of " + c10::str(now.sizes()) +
                          ", " + c10::toString(now.scalar_type()) + " was needed");
    m_stream.restore(state->second);
}

}  // namespace reelgrid::denoising
