#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comparison/render_differences.h"
#include "core/suite/suite_plan.h"

namespace reelgrid::suite {

using comparison::FieldDifference;

/// Jobs that can't be compared with another suite's of the same axes, all of them for the same reason.
struct NotCompared {
    enum class What {
        All,   ///< another picture, or computed another way
        Cost,  ///< time and memory: other choices that take some
        Drift  ///< what is measured against the job's reference: theirs is another
    };
    What what = What::All;
    std::vector<FieldDifference> fields;
    std::vector<std::size_t> jobs;  ///< of the plan
};

/// What is to be said beside a comparison with another suite.
struct AgainstNotes {
    std::string folder;  ///< the other suite's
    /// What the clips that were compared were rendered on, each once: "cpu: AMD EPYC 9B14, avx512, 2 threads;
    /// libtorch 2.11.0, reelgrid 0.1.0".
    std::vector<std::string> here, there;
    std::size_t otherMachines = 0;  ///< of those clips, that were rendered on another machine there
    std::size_t untold = 0;         ///< of those clips, whose suite.json doesn't say what was rendered
    std::vector<NotCompared> notCompared;
};

/// One line each; most important first, and not more of one kind than a person reads.
std::vector<std::string> linesOf(const AgainstNotes& notes, const SuitePlan& plan);

nlohmann::json toJson(const AgainstNotes& notes);
/// Of an untrusted document about so many jobs. InvalidData naming what is wrong.
Result<AgainstNotes> againstNotesFromJson(const nlohmann::json& object, std::size_t jobs);

}  // namespace reelgrid::suite
