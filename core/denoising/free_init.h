#pragma once

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns.

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/schedulers/scheduler.h"

namespace reelgrid::denoising {

/// FreeInit (arXiv 2312.07537): a clip is denoised several times, each but the first from noise whose low
/// frequencies, in space and time, are those of the last result. To a SamplingLoop it is one sampler, whose
/// steps are those of all times. Source: diffusers 0.40, free_init_utils.py (a Butterworth filter of order 4
/// that stops at a quarter).
class FreeInit final : public schedulers::Scheduler {
  public:
    /// `alphaCumprod`: ᾱ of the noisiest training timestep. `draw` gives fresh unit noise of the latents'
    /// shape.
    FreeInit(std::unique_ptr<schedulers::Scheduler> sampler, int iterations, double alphaCumprod,
             std::function<at::Tensor()> draw)
        : m_sampler(std::move(sampler)),
          m_iterations(iterations),
          m_alphaCumprod(alphaCumprod),
          m_draw(std::move(draw)) {}

    /// The unit noise that the first time begins with; before the first step, unless restore() follows.
    void beginWith(const at::Tensor& noise_BCTHW) { m_noise_BCTHW = noise_BCTHW; }

    void setTimesteps(std::int64_t steps) override;
    [[nodiscard]] double initialNoiseSigma() const override { return m_sampler->initialNoiseSigma(); }
    [[nodiscard]] at::Tensor scaleModelInput(const at::Tensor& sample, std::int64_t i) const override {
        return m_sampler->scaleModelInput(sample, i % stepsOfOne());
    }
    [[nodiscard]] at::Tensor noised(const at::Tensor& picture, const at::Tensor& noise,
                                    std::int64_t i) const override {
        return m_sampler->noised(picture, noise, i % stepsOfOne());
    }
    at::Tensor step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) override;
    [[nodiscard]] std::optional<schedulers::SchedulerState> state() const override;
    void restore(std::int64_t next, const schedulers::SchedulerState& state) override;

  private:
    [[nodiscard]] std::int64_t stepsOfOne() const {
        return static_cast<std::int64_t>(m_sampler->timesteps().size());
    }

    std::unique_ptr<schedulers::Scheduler> m_sampler;
    int m_iterations;
    double m_alphaCumprod;
    std::function<at::Tensor()> m_draw;
    std::int64_t m_steps = 0;  ///< as they were asked for
    at::Tensor m_noise_BCTHW;
};

/// What of each frequency is kept, from 0 to 1: fp32 [T, H, W], no frequency in the middle. Source:
/// diffusers' _get_free_init_freq_filter.
at::Tensor freeInitFilter(std::int64_t frames, std::int64_t rows, std::int64_t columns);

/// The frequencies of `low` as far as the filter keeps them, else those of `high`. fp32 [B, C, T, H, W].
at::Tensor mixedFrequencies(const at::Tensor& low_BCTHW, const at::Tensor& high_BCTHW,
                            const at::Tensor& filter_THW);

}  // namespace reelgrid::denoising
