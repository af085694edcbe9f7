#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::result {

/// What a step's time went into ("self_attention", …, "other"), in seconds; empty: not measured.
using StepParts = std::vector<std::pair<std::string, double>>;

/// A denoising step's forward passes, where some may be skipped (--step-cache).
struct StepPasses {
    int whole = 0, skipped = 0;

    bool operator==(const StepPasses&) const = default;
};

/// From one denoising step to the next (--step-cache record), of the pass with the prompt.
struct StepChange {
    int step = 0;          ///< the later one
    double embedding = 0;  ///< relative L1 change of the timestep's embedding
    double added = 0;      ///< and of what the blocks added
    double magnitude = 0;  ///< ratio of its norms, on average over tokens

    bool operator==(const StepChange&) const = default;
};

/// What a stage is there for: the clip; the model, which a warm worker has loaded already; or what is
/// done beside the render (lockstep maps, a profile, metrics, keeping latents that --resume goes on from).
enum class StageKind { Render, Loading, Measuring };
StageKind kindOf(std::string_view stage);
/// Whether a render has a stage of that name.
bool isStage(std::string_view name);

/// Times of one repetition of a render, in seconds. What was not measured is absent.
struct Timing {
    std::optional<double> pipeTime;       ///< text, image, denoise and decode, as the reference scripts do
    std::optional<double> vaeDecodeTime;  ///< from the end of the last step to the end of the pipe
    std::vector<std::pair<std::string, double>> stages;  ///< in the order load, text, denoise, decode, …
    std::vector<double> steps;          ///< one per denoising step, both guidance branches included
    std::vector<StepParts> stepParts;   ///< one per step; empty: no step was measured by part
    std::vector<StepPasses> passes{};   ///< one per step; empty: none could be skipped
    std::vector<StepChange> changes{};  ///< in the order of steps; empty: none were recorded
    std::optional<double> wallTime;     ///< from the repetition's start to its end
    std::optional<int> frames{};        ///< of the clip
    /// The most memory that was in use at once in each stage (core/execution/memory_peak.h), the model
    /// included.
    std::vector<std::pair<std::string, std::uint64_t>> peakBytes{};

    /// The stage's seconds; absent when it was not measured.
    [[nodiscard]] std::optional<double> stage(const std::string& name) const;
    /// Of the pipe, for each frame of the clip; absent where either is unknown.
    [[nodiscard]] std::optional<double> secondsPerFrame() const;
    [[nodiscard]] std::optional<double> framesPerSecond() const;
    /// The sum of its stages of StageKind::Render.
    [[nodiscard]] double renderSeconds() const;
    void add(const std::string& stageName, double seconds);
    /// Puts an interrupted process's denoising steps before these: their times, passes, stages "denoise" and
    /// "save". By part they are not known.
    void goOnFrom(const Timing& earlier);
    void addPeak(const std::string& stageName, std::uint64_t bytes);
    /// Of its stages of StageKind::Render; absent when it was measured of none.
    [[nodiscard]] std::optional<std::uint64_t> peakOfRender() const;
    /// Its stages in the order of a render, and what follows from them: the two times above, and of the wall
    /// time what no stage took, as the stage "other".
    [[nodiscard]] Timing complete() const;
};

/// timing.json: one entry a repetition.
nlohmann::json toJson(const std::vector<Timing>& repetitions);

/// InvalidData naming what is wrong. Files of other tools may have pipe_time and vae_decode_time alone.
Result<std::vector<Timing>> timingsFromJson(const nlohmann::json& list);

}  // namespace reelgrid::result
