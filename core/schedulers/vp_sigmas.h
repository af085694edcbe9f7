#pragma once

#include <cstdint>
#include <vector>

#include "core/schedulers/vp_training.h"

namespace reelgrid::schedulers {

/// Noise levels σ = √((1 − ᾱ) / ᾱ) of the steps of samplers that walk along them, and what the model is told
/// at each.
struct VpSigmas {
    /// How the levels between the first and the last are spaced.
    enum class Spacing {
        Timesteps,    ///< as the timesteps are
        Karras,       ///< Karras et al. (arXiv 2206.00364), eq. 5 with ρ = 7
        Exponential,  ///< evenly in log σ
    };
    enum class Final { Zero, Smallest };

    Spacing spacing = Spacing::Timesteps;
    Final final = Final::Zero;
    double least = 0, most = 0;  ///< ends of a spacing of its own; 0: those of the timesteps' levels

    /// Keys use_karras_sigmas, use_exponential_sigmas, final_sigmas_type, sigma_min, sigma_max. Throws
    /// Failure(Unsupported or InvalidData) naming key and value.
    static VpSigmas from(const weights::ModelConfig& config);

    /// The levels at `timesteps`, from noise to picture, and one more behind them; where the spacing is not
    /// theirs `timesteps` become what its levels are at. `ends`: between which levels such a spacing lies.
    [[nodiscard]] std::vector<float> at(std::vector<double>& timesteps, const VpTraining& training,
                                        const std::vector<double>& ends) const;
};

/// σ at a fraction of a training timestep: between its neighbours, linearly.
double sigmaAt(double timestep, const std::vector<double>& sigmas);

}  // namespace reelgrid::schedulers
