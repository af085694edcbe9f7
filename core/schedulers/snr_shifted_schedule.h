#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/execution/fused_values.h"

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::schedulers {

/// Which of the training timesteps are walked. Source: Lin et al. (arXiv 2305.08891), table 2.
enum class TimestepSpacing { Linspace, Leading, Trailing };

/// A noise schedule x = √ᾱ picture + √(1 - ᾱ) noise whose signal-to-noise ratio is shifted. In float64 as the
/// reference has it. Source: diffusers 0.40, scheduling_ddim_cogvideox.py.
class SnrShiftedSchedule {
  public:
    /// The schedule of a CogVideoXDDIMScheduler's or CogVideoXDPMScheduler's scheduler_config.json. Throws
    /// Failure(Unsupported or InvalidData) naming key and value.
    static SnrShiftedSchedule from(const weights::ModelConfig& config);

    /// The timesteps of so many steps, from noise to picture. Throws Failure(BadUsage) when that many can't
    /// be made.
    [[nodiscard]] std::vector<std::int64_t> timesteps(std::int64_t steps) const;

    /// ᾱ at a training timestep; below the first one that of the picture.
    [[nodiscard]] double alphaCumprod(std::int64_t timestep) const;
    /// The timestep that a step from `timestep` leads to, of so many steps; below 0: the picture.
    [[nodiscard]] std::int64_t previous(std::int64_t timestep, std::int64_t steps) const;

  private:
    std::vector<double> m_alphasCumprod;
    double m_finalAlphaCumprod = 1;
    TimestepSpacing m_spacing = TimestepSpacing::Leading;
    std::int64_t m_stepsOffset = 0;
};

/// √(1 - ᾱ) at each of the timesteps, and at the end of the last step.
std::vector<float> noiseShares(const SnrShiftedSchedule& schedule,
                               const std::vector<std::int64_t>& timesteps);

/// The picture that a model means which predicts v = √ᾱ noise - √(1 - ᾱ) picture.
execution::FusedValues::Value pictureOfVelocity(double alphaCumprod,
                                                const execution::FusedValues::Value& sample,
                                                const execution::FusedValues::Value& velocity);

}  // namespace reelgrid::schedulers
