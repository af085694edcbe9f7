#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reelgrid::metrics {

struct ClipMetrics;

/// Frame correlations that tt-animatediff asks of a run, and of its temporal module.
inline constexpr double kLeastOfRun = 0.6, kLeastOfModule = 0.7;
/// Above it successive changes are one change: a cross-fade, where flow doesn't explain it either.
inline constexpr double kMostRepeated = 0.8;
/// Share of the change between frames that flow explains at least where something moves.
inline constexpr double kLeastExplained = 0.5;

/// What tells motion from a cross-fade, whose frames are as alike as a moving clip's.
struct ChangeMeasures {
    /// Correlation of the change from the clip's beginning to its middle with that from there to its end: 1
    /// where one picture turns into another, about 0 or less where something moves on. NaN: nothing changes.
    double repeated = 0;
    double squared = 0;  ///< mean squared difference of consecutive frames, RGB in 0…1
};

/// Takes a clip's frames one after another and keeps small pictures of them.
class ChangeFollower {
  public:
    void add(std::span<const std::uint8_t> rgb, int width, int height);
    /// Absent for fewer than three frames.
    [[nodiscard]] std::optional<ChangeMeasures> measures() const;

  private:
    std::vector<std::vector<float>> m_small;  ///< luma
    std::vector<std::uint8_t> m_before;
    double m_squared = 0;
};

enum class Coherence { Coherent, Incoherent, CrossFaded, Frozen, Flat };

/// "coherent", "cross-faded", … as files and people have it.
const char* nameOf(Coherence verdict);

/// What a clip's measures come to. Nothing where its frames can't be judged: fewer than three, or of a file
/// that has no such measures.
std::optional<Coherence> coherenceOf(const ClipMetrics& metrics);

/// The verdict with the figures that it rests on, and the thresholds beside them.
std::string coherenceText(const ClipMetrics& metrics);

}  // namespace reelgrid::metrics
