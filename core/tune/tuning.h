#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/protocol/attention_policy.h"
#include "core/tune/budget.h"
#include "core/tune/site_costs.h"

namespace reelgrid::tune {

struct TimeAndQuality {
    double seconds = 0;
    double quality = 0;  ///< as the budget measures it
};

/// One render of a tuning and what became of it.
struct TuningRender {
    std::string name;                      ///< "fav2", "policy 2"
    std::optional<Assignment> assignment;  ///< of a mixed policy; absent: one backend throughout
    protocol::AttentionPolicy policy;
    std::optional<TimeAndQuality> predicted;  ///< of a mixed policy, before it was rendered
    TimeAndQuality measured;
    /// What the figures above come from. Attention is absent where calls can't be timed.
    std::optional<double> attentionSeconds, denoiseSeconds, psnr, ssim, l1, cosine;
    /// What its first denoising steps took beyond later ones: left out of `measured`, not of denoiseSeconds.
    double warmUpSeconds = 0;
    std::filesystem::path clip;
};

/// A search for the fastest policy within a budget, as its report tells it.
struct Tuning {
    Budget budget;
    std::string prompt;
    /// Whether `seconds` are those of self-attention; else of denoising as a whole.
    bool timesAttention = false;
    int layers = 0, steps = 0;
    std::vector<std::string> backends;  ///< that may be chosen; assignments count in these
    std::vector<TuningRender> renders;
    std::string floorBackend;            ///< exact but for rounding; empty: none ran
    std::optional<double> floorQuality;  ///< that it reaches
    std::vector<TimeAndQuality> curve;   ///< predicted, from the most exact policy to the fastest
};

/// Places among Tuning::renders.
struct Verdict {
    std::optional<std::size_t> bestSingle;  ///< the fastest single backend that meets the budget
    std::optional<std::size_t> chosen;      ///< the fastest render of all that does
};
/// A mixed policy is chosen only if it was faster than the best single backend.
Verdict verdictOf(const Tuning& tuning);

/// The verdict in one or two sentences, with its figures.
std::string verdictText(const Tuning& tuning);

/// Whose first steps took longer than later ones and by how much, which the times compared leave out: one
/// line. Empty: nobody's.
std::string warmUpText(const Tuning& tuning);

}  // namespace reelgrid::tune
