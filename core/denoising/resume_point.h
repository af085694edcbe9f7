#pragma once

#include <optional>
#include <string>

#include "core/denoising/named_tensors.h"

namespace reelgrid::denoising {

/// All that a denoising loop is once `done` steps are done: a loop that begins with it makes the same bits.
struct ResumePoint {
    int done = 0;
    int steps = 0;         ///< of how many, where it is kept
    NamedTensors tensors;  ///< "latents", and whatever else the loop remembers
    std::string source{};  ///< where it was read from, for errors
};

/// Keeps a render's points while it denoises, and has the one at which an interrupted render stopped. Lives
/// on the model's thread.
class ResumePoints {
  public:
    virtual ~ResumePoints() = default;

    /// Where to begin, its tensors in host memory; nullopt: at the first step. Taken once.
    [[nodiscard]] virtual std::optional<ResumePoint> takeStart() = 0;
    /// Whether the state of a loop of `steps` is wanted once `done` of them are.
    [[nodiscard]] virtual bool wants(int done, int steps) const = 0;
    /// Called between two steps, within StageClock::aside(). Throws Failure when it can't be written.
    virtual void keep(const ResumePoint& point) = 0;
};

/// What a render's time goes into while its points are kept.
inline constexpr const char* kSaveStage = "save";

}  // namespace reelgrid::denoising
