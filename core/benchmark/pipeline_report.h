#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/benchmark/system.h"
#include "core/catalog/render_settings.h"
#include "core/result/timing.h"

namespace reelgrid::benchmark {

/// The series that stands for a denoising step: the median step of each repetition.
inline constexpr const char* kStep = "step";
/// Text, denoising and decoding together, as the reference scripts measure them.
inline constexpr const char* kPipeTime = "pipe_time";
inline constexpr const char* kLoad = "load";
inline constexpr const char* kDenoise = "denoise";

/// How long one part of a render took, in each repetition that had it.
struct StageSeries {
    std::string stage;
    std::vector<double> seconds;

    [[nodiscard]] double p50() const;
    [[nodiscard]] double best() const;
    [[nodiscard]] double worst() const;
};

/// Whole renders of one request.
struct PipelineReport {
    System system;
    std::string model;                               ///< as it was asked for
    std::map<std::string, std::string> modelHashes;  ///< of each component
    catalog::RenderSettings settings;                ///< as they ran
    /// The backends that served what --attention-type covers, "fav2+sdpa"; empty: not recorded.
    std::string attentionUsed{};
    int warmup = 0;
    std::vector<result::Timing> repetitions;

    /// The stages in their order, a step behind denoising, pipe_time last.
    [[nodiscard]] std::vector<StageSeries> stages() const;
    /// Each denoising step's seconds, one a repetition.
    [[nodiscard]] std::vector<StageSeries> steps() const;
};

/// {"system", "model": {"id", "hashes"}, "settings", "attention_used", "warmup", "repetitions", "stages":
/// [{"stage", "s_p50", "s_min", "s_max", "seconds"}], "steps": [the same, "stage" its number]}.
nlohmann::json toJson(const PipelineReport& report);

}  // namespace reelgrid::benchmark
