#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/result/manifest.h"
#include "core/suite/suite_measures.h"
#include "core/suite/suite_plan.h"

namespace reelgrid::suite {

/// Another suite, as its suite.json has it, to be compared with.
struct OtherSuite {
    struct Job {
        Measured measured;
        std::optional<result::Manifest> manifest;  ///< comparedPart(); absent: the file doesn't say
        std::optional<std::string> remark{};       ///< SuiteRow::remark; likewise
    };
    std::filesystem::path file;
    std::map<std::string, Job> jobs;                    ///< by the job's values, keyOf()
    std::map<std::string, nlohmann::json> firstValues;  ///< of axes, by their keys

    /// Null where it has no job of these values.
    [[nodiscard]] const Job* find(const SuitePlan& plan, const SuiteJob& job) const;
};

/// Neither its clips nor their companions are looked for: folders may have been moved, and clips deleted.
/// NotFound, Io, or InvalidData naming file and what is wrong.
Result<OtherSuite> readOtherSuite(const std::filesystem::path& file);

/// BadUsage unless one job of the plan is among its jobs.
Result<void> requireSameJobs(const SuitePlan& plan, const OtherSuite& other);

}  // namespace reelgrid::suite
