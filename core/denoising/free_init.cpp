#include "core/denoising/free_init.h"

#include <cmath>
#include <string>

#include "core/base/result.h"

namespace reelgrid::denoising {
namespace {

/// Of a state: the first time's noise.
constexpr const char* kFirstNoise = "free_init_noise";

}  // namespace

at::Tensor freeInitFilter(std::int64_t frames, std::int64_t rows, std::int64_t columns) {
    constexpr double kStop = 0.25, kOrder = 4;
    const at::Tensor filter_THW = at::empty({frames, rows, columns}, at::kFloat);
    auto values = filter_THW.accessor<float, 3>();
    const auto square = [](std::int64_t index, std::int64_t count) {
        const double distance = 2.0 * static_cast<double>(index) / static_cast<double>(count) - 1;
        return distance * distance;
    };
    for (std::int64_t t = 0; t < frames; ++t)
        for (std::int64_t h = 0; h < rows; ++h)
            for (std::int64_t w = 0; w < columns; ++w) {
                const double distance = square(t, frames) + square(h, rows) + square(w, columns);
                values[t][h][w] = static_cast<float>(1 / (1 + std::pow(distance / (kStop * kStop), kOrder)));
            }
    return filter_THW;
}

at::Tensor mixedFrequencies(const at::Tensor& low_BCTHW, const at::Tensor& high_BCTHW,
                            const at::Tensor& filter_THW) {
    const std::vector<std::int64_t> axes{-3, -2, -1};
    const auto frequencies = [&](const at::Tensor& x) {
        return at::fft_fftshift(at::fft_fftn(x, std::nullopt, axes), axes);
    };
    const at::Tensor mixed = frequencies(low_BCTHW) * filter_THW + frequencies(high_BCTHW) * (1 - filter_THW);
    return at::real(at::fft_ifftn(at::fft_ifftshift(mixed, axes), std::nullopt, axes)).contiguous();
}

void FreeInit::setTimesteps(std::int64_t steps) {
    m_steps = steps;
    m_sampler->setTimesteps(steps);
    m_timesteps.clear();
    m_sigmas.clear();
    for (int i = 0; i < m_iterations; ++i) {
        m_timesteps.insert(m_timesteps.end(), m_sampler->timesteps().begin(), m_sampler->timesteps().end());
        m_sigmas.insert(m_sigmas.end(), m_sampler->sigmas().begin(), m_sampler->sigmas().end() - 1);
    }
    m_sigmas.push_back(m_sampler->sigmas().back());
}

at::Tensor FreeInit::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const std::int64_t steps = stepsOfOne();
    at::Tensor next_BCTHW = m_sampler->step(modelOutput, i % steps, sample);
    if ((i + 1) % steps != 0 || i + 1 == steps * m_iterations) return next_BCTHW;
    const at::Tensor noisy_BCTHW =
        std::sqrt(m_alphaCumprod) * next_BCTHW + std::sqrt(1 - m_alphaCumprod) * m_noise_BCTHW;
    const at::Tensor filter_THW =
        freeInitFilter(sample.size(2), sample.size(3), sample.size(4)).to(sample.device());
    const at::Tensor begin_BCTHW = mixedFrequencies(noisy_BCTHW, m_draw(), filter_THW);
    m_sampler->setTimesteps(m_steps);
    return begin_BCTHW * m_sampler->initialNoiseSigma();
}

std::optional<schedulers::SchedulerState> FreeInit::state() const {
    auto state = m_sampler->state();
    if (state) (*state)[kFirstNoise] = m_noise_BCTHW;
    return state;
}

void FreeInit::restore(std::int64_t next, const schedulers::SchedulerState& state) {
    const auto noise = state.find(kFirstNoise);
    if (noise == state.end())
        throw Failure(ErrorCode::InvalidData,
                      std::string("what was kept of the render has no ") + kFirstNoise);
    m_noise_BCTHW = noise->second;
    if (next % stepsOfOne() != 0) m_sampler->restore(next % stepsOfOne(), state);
}

}  // namespace reelgrid::denoising
