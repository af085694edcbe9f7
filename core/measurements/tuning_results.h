#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/attention_policy.h"

namespace reelgrid::measurements {

struct TuningPoint {
    std::optional<double> seconds, quality;  ///< absent: no value (PSNR of the sdpa clip itself)
};

/// A clip that was rendered while tuning.
struct TuningRow {
    std::string name;
    bool isPolicy = false;  ///< else a single backend throughout
    protocol::AttentionPolicy policy;
    std::string clip;
    bool meetsBudget = false;
    std::optional<TuningPoint> predicted;
    TuningPoint measured;
    std::optional<double> psnr, ssim, l1, cosine;
};

/// What `tune` reports.
struct TuningResults {
    std::string budget, quality, secondsOf, prompt, verdict, chosen;
    std::vector<TuningRow> renders;
    std::vector<TuningPoint> curve;  ///< predicted
};
Result<TuningResults> tuningResultsFrom(const nlohmann::json& document);

}  // namespace reelgrid::measurements
