#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "core/execution/fused_values.h"
#include "core/schedulers/noise_schedule.h"

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::schedulers {

/// Which of the training timesteps are walked. Source: Lin et al. (arXiv 2305.08891), table 2.
enum class VpSpacing { Linspace, Leading, Trailing };

/// What a model of DDPM's kind predicts of x = √ᾱ picture + √(1 − ᾱ) noise.
enum class VpPrediction {
    Noise,
    Picture,
    Velocity,  ///< √ᾱ noise − √(1 − ᾱ) picture
};

/// How a variance-preserving model was trained, and which of its timesteps are walked: what the
/// scheduler_config.json of its samplers have in common. Source: diffusers 0.40, schedulers/scheduling_*.py.
struct VpTraining {
    std::vector<float> alphasCumprod;  ///< ᾱ, one a training timestep
    VpPrediction prediction = VpPrediction::Noise;
    VpSpacing spacing = VpSpacing::Leading;
    std::int64_t stepsOffset = 0;
    TerminalSnr terminalSnr = TerminalSnr::AsTrained;

    /// `usual` and `usualNoise`: of a class whose configuration doesn't say. Throws Failure(Unsupported or
    /// InvalidData) naming key and value.
    static VpTraining from(const weights::ModelConfig& config, VpSpacing usual,
                           const NoiseScheduleOptions& usualNoise = {});

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(alphasCumprod.size()); }
    /// The whole timesteps of so many steps, from noise to picture, as DDIM takes them. Throws
    /// Failure(BadUsage) when that many can't be made.
    [[nodiscard]] std::vector<std::int64_t> timesteps(std::int64_t steps) const;

    /// √((1 − ᾱ) / ᾱ) of each training timestep. With no signal left at the last one it is 4096 there.
    [[nodiscard]] std::vector<double> sigmas() const;
};

using Value = execution::FusedValues::Value;

/// The picture that a model's output means at ᾱ.
Value pictureOf(VpPrediction prediction, double alphaCumprod, const Value& sample, const Value& output);
/// The noise that it means.
Value noiseOf(VpPrediction prediction, double alphaCumprod, const Value& sample, const Value& output);

/// √(1 − share²) picture + share · noise.
at::Tensor mixedByShare(const at::Tensor& picture, const at::Tensor& noise, double share);

/// How a scheduler_config.json clips predicted pictures: `clip_sample` and its range; `usual` where it
/// doesn't say. 0: it doesn't. Throws Failure(Unsupported) for dynamic thresholding.
double clipRangeOf(const weights::ModelConfig& config, bool usual);

}  // namespace reelgrid::schedulers
