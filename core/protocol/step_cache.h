#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// How a render's denoising steps leave work out: which cache stands for a network's blocks, and when.
struct StepCache {
    enum class Method {
        FirstBlock,  ///< where the first block adds nearly what it added
        TeaCache,    ///< where the timestep's embedding has moved little, rescaled by a polynomial
        MagCache,    ///< where the known curve of magnitudes says that little changes
        TaylorSeer,  ///< in all steps but every n-th, by a Taylor series of the prediction
        Record,      ///< never: what TeaCache and MagCache have to know is written down
    };

    StepCache() = default;
    /// First-block caching, as a bare number means it; 0: none.
    StepCache(double most) : threshold(most) {}  // NOLINT(google-explicit-constructor)

    Method method = Method::FirstBlock;
    double threshold = 0;     ///< of the first three
    int mostSkips = 2;        ///< MagCache: passes in a row
    double wholeShare = 0.2;  ///< MagCache: of the steps, that run whole first
    int interval = 3;         ///< TaylorSeer: steps from one that runs whole to the next
    int order = 1;            ///< TaylorSeer: of the series
    /// TeaCache: the polynomial, highest power first. MagCache: of each step the mean magnitude of what
    /// blocks add, relative to the step before. Empty: those that were published for the model.
    std::vector<double> curve{};
    /// The model that the curve was recorded of, as it was called; empty: nobody says.
    std::string curveModel{};

    [[nodiscard]] bool isOn() const { return method != Method::FirstBlock || threshold > 0; }
    /// Whether it needs a curve.
    [[nodiscard]] bool needsCurve() const { return method == Method::TeaCache || method == Method::MagCache; }

    bool operator==(const StepCache&) const = default;
};

/// "0.28", "teacache:0.1", "magcache:0.12:2:0.2", "taylorseer:3:1", "record"; what is usual is left out.
std::string textOf(const StepCache& cache);
/// A name alone has usual numbers (teacache:0.1, magcache:0.12). BadUsage naming the text and what was
/// needed.
Result<StepCache> stepCacheFrom(const std::string& text);
/// What no cache may be, named with what was needed; nothing where it is fine.
std::optional<std::string> problemOf(const StepCache& cache);

/// A ratio of magnitudes from one step to the next, as a render can have it: above 0, and no larger than
/// anything that was ever recorded by far.
inline constexpr double kMostStepRatio = 1000;
inline constexpr const char* kStepRatios = "a number above 0 and at most 1000";
bool isStepRatio(double ratio);

/// "cache-0.28", "teacache-0.1", "magcache-0.12", "taylorseer-3"; empty without one.
std::string stepCacheName(const StepCache& cache);

}  // namespace reelgrid::protocol
