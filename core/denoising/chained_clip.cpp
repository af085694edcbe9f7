#include "core/denoising/chained_clip.h"

#include <string>

#include "core/base/result.h"
#include "core/weights/finite_check.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::denoising {
namespace {

/// Of a file of latents.
constexpr const char* kLatentsName = "latents";

}  // namespace

at::Tensor ChainedClip::held(const at::Tensor& latents_BCTHW, std::int64_t i) const {
    at::Tensor changed_BCTHW = latents_BCTHW.clone();
    changed_BCTHW.select(2, 0).copy_(m_sampler->noised(m_frame_BCHW, m_noise_BCHW, i));
    return changed_BCTHW;
}

at::Tensor ChainedClip::begunWith(const at::Tensor& noise_BCTHW) {
    m_noise_BCHW = noise_BCTHW.select(2, 0).clone();
    const double sigma = initialNoiseSigma();
    return holds(0) ? held(noise_BCTHW * sigma, 0) / sigma : noise_BCTHW;
}

void ChainedClip::setTimesteps(std::int64_t steps) {
    m_sampler->setTimesteps(steps);
    m_timesteps = m_sampler->timesteps();
    m_sigmas = m_sampler->sigmas();
}

at::Tensor ChainedClip::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const at::Tensor next_BCTHW = m_sampler->step(modelOutput, i, sample);
    const bool isLast = i + 1 == static_cast<std::int64_t>(m_timesteps.size());
    return !isLast && holds(i + 1) ? held(next_BCTHW, i + 1) : next_BCTHW;
}

std::optional<schedulers::SchedulerState> ChainedClip::state() const {
    auto state = m_sampler->state();
    if (state) (*state)[kHeldNoise] = m_noise_BCHW;
    return state;
}

void ChainedClip::restore(std::int64_t next, const schedulers::SchedulerState& state) {
    const auto noise = state.find(kHeldNoise);
    if (noise == state.end())
        throw Failure(ErrorCode::InvalidData,
                      std::string("what was kept of the render has no ") + kHeldNoise);
    m_noise_BCHW = noise->second;
    m_sampler->restore(next, state);
}

at::Tensor lastLatentFrame(const std::filesystem::path& file, at::IntArrayRef shape_BCTHW) {
    weights::SafetensorsFolder kept(file);
    kept.requireUnchanged();
    const auto shape = kept.shapeOf(kLatentsName);
    const auto needed = [&] {
        return "[1, " + std::to_string(shape_BCTHW[1]) + ", frames, " + std::to_string(shape_BCTHW[3]) +
               ", " + std::to_string(shape_BCTHW[4]) + "]";
    };
    const bool fits = shape && shape->size() == 5 && (*shape)[0] == 1 && (*shape)[1] == shape_BCTHW[1] &&
                      (*shape)[2] > 0 && (*shape)[3] == shape_BCTHW[3] && (*shape)[4] == shape_BCTHW[4];
    if (!fits)
        throw Failure(
            ErrorCode::InvalidData,
            "--chain-from " + file.string() + ": " +
                (shape ? "its latents are " + c10::str(at::IntArrayRef(*shape)) : "it has no latents") +
                ", " + needed() + " was needed, of the same model and size");
    const at::Tensor latents_BCTHW = kept.require(kLatentsName, *shape);
    if (!latents_BCTHW.is_floating_point() || latents_BCTHW.element_size() < 2)
        throw Failure(ErrorCode::InvalidData, "--chain-from " + file.string() + ": its latents are of " +
                                                  at::toString(latents_BCTHW.scalar_type()) +
                                                  ", Float, Half or BFloat16 was needed");
    const at::Tensor frame_BCHW = latents_BCTHW.select(2, latents_BCTHW.size(2) - 1).to(at::kFloat).clone();
    if (!weights::isFinite(frame_BCHW))
        throw Failure(ErrorCode::InvalidData,
                      "--chain-from " + file.string() + ": its latents have NaN or infinite values");
    return frame_BCHW;
}

}  // namespace reelgrid::denoising
