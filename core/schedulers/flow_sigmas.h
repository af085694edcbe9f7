#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::schedulers {

/// How the levels between the first and the last are spaced.
enum class SigmaSpacing {
    Shifted,      ///< as the shift leaves them
    Karras,       ///< Karras et al. (arXiv 2206.00364), eq. 5 with ρ = 7
    Exponential,  ///< evenly in log σ
};

/// The key of a scheduler_config.json that asks for it; not for Shifted.
const char* keyOf(SigmaSpacing spacing);

/// The noise levels of flow matching: x = (1 - σ) picture + σ noise.
struct FlowSigmas {
    std::int64_t trainTimesteps = 1000;
    double shift = 1.0;          ///< pushes levels towards noise; larger for larger pictures
    double shiftTerminal = 0.0;  ///< stretches the levels to end here; 0: leaves them
    SigmaSpacing spacing = SigmaSpacing::Shifted;

    /// The levels that a scheduler_config.json and the request's own shift ask for. `shiftKey` is what the
    /// class calls its shift. Throws Failure naming key and value.
    static FlowSigmas from(const weights::ModelConfig& config, const char* shiftKey,
                           const std::optional<double>& requestedShift);

    /// shift σ / (1 + (shift - 1) σ), then the stretch, then the spacing.
    void apply(std::vector<double>& sigmas) const;
};

/// numpy.linspace, rounding included.
std::vector<double> linspace(double first, double last, std::int64_t count);

/// Throws Failure(BadUsage) unless 1 ≤ steps ≤ the number of training timesteps.
void checkStepCount(std::int64_t steps, std::int64_t trainTimesteps);

}  // namespace reelgrid::schedulers
