#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace reelgrid::metrics {

/// How far outputs O' are from the reference's O, both flattened, in fp32. NaN where nothing was measured.
struct OutputErrors {
    std::vector<double> cosine;
    std::vector<double> relativeL1;  ///< Σ|O−O'| / Σ|O|
    std::vector<double> rmse;

    bool operator==(const OutputErrors&) const = default;
};

/// The three measures as tables, files and pages go through them.
struct OutputMeasure {
    const char* key;  ///< in metrics.json
    const char* title;
    std::vector<double> OutputErrors::*values;
};
inline constexpr OutputMeasure kOutputMeasures[] = {
    {"cosine", "cosine", &OutputErrors::cosine},
    {"l1", "relative L1", &OutputErrors::relativeL1},
    {"rmse", "RMSE", &OutputErrors::rmse},
};

/// What one backend computed from the inputs that the reference had, where it ran.
struct LockstepBackend {
    std::string name;
    OutputErrors attention;       ///< one a site, of self- or joint attention
    std::vector<double> seconds;  ///< one a site, of the same calls; empty: not measured
    OutputErrors flow;            ///< one a step: of the prediction that the step is made with
    std::string why;              ///< why it did not run everywhere; empty: it did

    bool operator==(const LockstepBackend&) const = default;
};

/// The errors of single calls and steps on one clip's own latents, apart from what accumulates: at every step
/// each backend gets what the reference gets. A site is one layer in one step, both guidance branches
/// together: step · layers + layer.
struct LockstepMap {
    int layers = 0;
    int steps = 0;
    std::string reference;         ///< the backend that the clip was made with
    std::vector<double> seconds;   ///< the reference's, one a site; empty: not measured
    std::vector<double> stepSize;  ///< one a step: RMS of how the latents changed over RMS of the prediction
    std::vector<LockstepBackend> backends;

    [[nodiscard]] std::size_t sites() const { return std::size_t(layers) * std::size_t(steps); }
    [[nodiscard]] std::size_t site(int layer, int step) const {
        return std::size_t(step) * std::size_t(layers) + std::size_t(layer);
    }
    [[nodiscard]] const LockstepBackend* find(const std::string& name) const {
        for (const LockstepBackend& backend : backends)
            if (backend.name == name) return &backend;
        return nullptr;
    }
    bool operator==(const LockstepMap&) const = default;
};

/// The mean of what was measured; NaN when nothing was.
inline double meanOfFinite(const std::vector<double>& values) {
    double sum = 0;
    std::size_t count = 0;
    for (const double value : values)
        if (std::isfinite(value)) {
            sum += value;
            ++count;
        }
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / double(count);
}

}  // namespace reelgrid::metrics
