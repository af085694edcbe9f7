#pragma once

#include <cstdint>
#include <vector>

namespace reelgrid::schedulers {

/// How β grows over the training timesteps.
enum class BetaSpacing {
    Linear,
    ScaledLinear,  ///< linear in √β
    SquaredCosine,  ///< from ᾱ(t) = cos²((t + 0.008) / 1.008 · π/2), β at most 0.999; start and end unused
};

/// How much of the picture the last training timestep holds.
enum class TerminalSnr {
    AsTrained,
    Zero,  ///< β rescaled so that nothing is left: Lin et al. (arXiv 2305.08891), algorithm 1
};

struct NoiseScheduleOptions {
    std::int64_t trainTimesteps = 1000;
    double betaStart = 0.0001;
    double betaEnd = 0.02;
    BetaSpacing spacing = BetaSpacing::Linear;
    TerminalSnr terminalSnr = TerminalSnr::AsTrained;
};

/// The noise that a variance-preserving model (DDPM's kind) was trained with: x = √ᾱ picture + √(1 - ᾱ)
/// noise. float32 as the reference has it. Source: diffusers 0.40, scheduling_ddim.py.
struct NoiseSchedule {
    std::vector<float> betas;
    std::vector<float> alphasCumprod;  ///< ᾱ, one a training timestep

    explicit NoiseSchedule(const NoiseScheduleOptions& options);
};

}  // namespace reelgrid::schedulers
