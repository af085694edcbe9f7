#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/benchmark/pipeline_report.h"

namespace reelgrid::benchmark {

/// An earlier measurement, read from the document that one wrote.
struct PipelineBaseline {
    std::string path;
    nlohmann::json system, model, settings;  ///< objects
    std::string attentionUsed{};             ///< as PipelineReport's; empty in older files
    std::vector<StageSeries> stages;
};

/// NotFound, Io, or InvalidData naming the file, the field and what was needed: also where a median, a count
/// or pipe_time isn't that of the times beside it, and where no stage is there that can be held.
Result<PipelineBaseline> readBaseline(const std::filesystem::path& path);

/// BadUsage naming the first thing in which the two were not the same measurement: device, processor,
/// threads, instruction set, the model's files, a setting, the backends that ran. A setting that is open
/// ("auto") is not held against it.
Result<void> requireSameMeasurement(const PipelineReport& now, const PipelineBaseline& then);

/// What may differ and is worth a word: versions, kernel, distribution; one line each.
std::vector<std::string> differencesWorthAWord(const PipelineReport& now, const PipelineBaseline& then);

enum class Verdict {
    Same,
    Lost,
    Gained,
    Noisy,   ///< only one of median and best moved: the machine wasn't quiet
    NotHeld  ///< loading, which is the disk's; what takes too small a part to tell; stages that one lacks
};
const char* nameOf(Verdict verdict);

/// One stage then and now.
struct StageChange {
    std::string stage;
    StageSeries then, now;  ///< without seconds where it wasn't measured
    Verdict verdict = Verdict::NotHeld;

    /// Whether it was measured both times, and took some time then.
    [[nodiscard]] bool isMeasured() const;
    /// How much longer the median took: 0.05 for 5 %. isMeasured().
    [[nodiscard]] double ofMedian() const;
    [[nodiscard]] double ofBest() const;
};

/// A stage is lost (or gained) when its median and its fastest repetition both changed by more than
/// `maxLoss`. What disturbs a measurement only ever adds time: a slower median alone is a machine that was
/// busy at times, a slower best alone a lucky repetition then.
std::vector<StageChange> compareStages(const PipelineReport& now, const PipelineBaseline& then,
                                       double maxLoss);
bool anyLost(const std::vector<StageChange>& changes);
/// Whether there is a verdict at all.
bool anyHeld(const std::vector<StageChange>& changes);

/// {"baseline", "max_loss", "lost", "stages": [{"stage", "then_s_p50", "now_s_p50", "change",
/// "change_of_best", "verdict"}]}.
nlohmann::json toJson(const std::vector<StageChange>& changes, const PipelineBaseline& then, double maxLoss);

}  // namespace reelgrid::benchmark
