#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/attention/problem.h"

namespace reelgrid::kernels {

/// What an attention backend is and can do: what the command line, `doctor` and the studio's tooltips say of
/// it.
struct BackendInfo {
    std::string_view name;          ///< as --attention-type takes it
    std::string_view title;         ///< one line
    std::string_view description;   ///< what it computes
    std::string_view cpuDeviation;  ///< where the CPU version differs from the GPU definition; may be empty
    bool causal = false;
    bool keyBias = false;
    bool logSumExp = false;
    std::int64_t maxHeadDim = 0;
    /// Runs a problem that whyNot() has nothing against; null for sdpa, which is libtorch's own.
    void (*run)(const AttentionProblem&) = nullptr;
};

/// Every backend that this build has, in the order to show them.
std::span<const BackendInfo> backends();

/// Null when there is none of that name.
const BackendInfo* findBackend(std::string_view name);

/// The names, separated by ", ", for messages.
std::string backendNames();

/// Why this backend can't run this problem, as one line with the value and what was needed; empty when it
/// can.
std::optional<std::string> whyNot(const BackendInfo& backend, const AttentionProblem& problem);

}  // namespace reelgrid::kernels
