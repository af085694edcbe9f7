#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/result/manifest.h"
#include "core/suite/against_notes.h"
#include "core/suite/gate.h"
#include "core/suite/statistics.h"
#include "core/suite/suite_measures.h"
#include "core/suite/suite_plan.h"

namespace reelgrid::suite {

/// What became of one job.
struct SuiteRow {
    std::size_t job = 0;  ///< of the plan
    std::filesystem::path clip;
    std::optional<Error> error;
    Measured measured;
    /// What was rendered and on what (comparedPart()); absent where nothing was, and in a suite that was
    /// read.
    std::optional<result::Manifest> manifest{};
    /// comparison::Caption::remark: "ran sdpa" where that took the place of what was asked for.
    std::string remark{};
    /// comparison::attentionRemarks(): what ran in place of what, why, and what a backend left out.
    std::vector<std::string> why{};
};

/// A measure of all clips with one value of an axis.
struct MeasureSummary {
    const SuiteMeasure* measure = nullptr;
    Estimate all;
    /// Against the clips that have the axis's first value and all others the same; absent for that value
    /// itself.
    std::optional<Estimate> difference;
    std::optional<double> winRate;  ///< share of those pairs in which it is better; a tie isn't
};

struct ValueSummary {
    std::string axis;
    nlohmann::json value;
    std::vector<MeasureSummary> measures;
    std::vector<std::size_t> worst;  ///< rows with the lowest PSNR, the worst first
    /// Of a backend what ran in its place: "ran sdpa" where that is so of all its clips, "2 of 4 clips ran
    /// sdpa" where it is of some; empty where all ran as asked. Clips that failed don't count.
    std::string remark{};
};

struct GateOutcome {
    std::string value;  ///< of attention_type; empty without such an axis
    std::size_t met = 0, clips = 0;
    bool passed = false;
    std::string remark{};  ///< ValueSummary's
};

struct SuiteResult {
    SuitePlan plan;
    std::vector<SuiteRow> rows;  ///< one a job
    std::vector<ValueSummary> values;
    std::optional<Gate> gate;
    std::vector<GateOutcome> gates;
    /// The same jobs of another suite: how much this one's are higher.
    struct Against {
        std::string folder;
        std::string value;  ///< of attention_type
        std::vector<MeasureSummary> measures;
        std::string remark{};  ///< ValueSummary's
    };
    std::vector<Against> against;
    std::optional<AgainstNotes> againstNotes{};  ///< absent: compared with no other suite

    [[nodiscard]] bool passed() const;
};

/// ValueSummary::remark of a backend among what was summed up.
std::string remarkOf(const std::vector<ValueSummary>& values, const std::string& backend);

/// "cudnn (ran sdpa)"
std::string withRemark(const std::string& name, const std::string& remark);

/// What didn't run as asked in any of the clips, and why, each line once, those of most clips first, and no
/// more than a person reads: "2 clips: self-attention: cudnn was asked for, sdpa ran 8 calls (it runs on an
/// NVIDIA GPU only)".
std::vector<std::string> whyLinesOf(const std::vector<SuiteRow>& rows);

/// Sums up rows; `gate` may be absent. A job that failed fails the gate.
SuiteResult sumUp(SuitePlan plan, std::vector<SuiteRow> rows, std::optional<Gate> gate);

/// suite.json, with paths relative to `folder`.
nlohmann::json toJson(const SuiteResult& result, const std::filesystem::path& folder);

}  // namespace reelgrid::suite
