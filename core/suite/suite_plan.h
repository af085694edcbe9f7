#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/render_request.h"

namespace reelgrid::suite {

/// What is varied: a field of the request, or "model".
struct Axis {
    std::string key;
    std::vector<nlohmann::json> values;  ///< the first is what the others are compared with
};

/// A value as people read it: a text as it is, else JSON.
std::string valueText(const nlohmann::json& value);

/// One render: a place on every axis.
struct SuiteJob {
    std::vector<std::size_t> at;  ///< by axis
    protocol::RenderRequest request;
    std::size_t subject = 0;    ///< jobs of one differ in attention_type alone
    std::size_t reference = 0;  ///< the job that shows the same with the first value of all that is attention
};

struct SuitePlan {
    std::vector<Axis> axes;
    std::vector<SuiteJob> jobs;  ///< by subject; a subject's reference first
    std::size_t subjects = 0;

    [[nodiscard]] const Axis* axis(const std::string& key) const;
    /// The job's value on the axis of that key; null without one.
    [[nodiscard]] const nlohmann::json* value(const SuiteJob& job, const std::string& key) const;
    /// The same as people read it; empty without such an axis.
    [[nodiscard]] std::string text(const SuiteJob& job, const std::string& key) const;
    /// The job's values by key.
    [[nodiscard]] nlohmann::json values(const SuiteJob& job) const;
};

inline constexpr std::size_t kMostSuiteJobs = 20000;
/// The axis of the backends: the last one, where there is one.
inline constexpr const char* kBackendAxis = "attention_type";

/// Whether an axis of that key varies how attention is computed.
bool decidesAttention(const std::string& key);

/// Makes the jobs of the plan's axes anew, the last axis running fastest, their requests still empty.
/// BadUsage where they are too many.
Result<void> expand(SuitePlan& plan);

/// A suite's file: a request's fields, of which lists are axes; "prompts" (a list, or a file of prompts
/// relative to `folder`), "seeds", "types", "models" and "policies" are names of their fields' axes. BadUsage
/// naming key and value.
Result<SuitePlan> suitePlanFrom(const nlohmann::json& file, const std::filesystem::path& folder);

}  // namespace reelgrid::suite
