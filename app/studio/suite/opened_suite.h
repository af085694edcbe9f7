#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/session/blind_vote.h"
#include "core/suite/suite_result.h"

namespace reelgrid::studio {

/// A suite as it was read, and the votes about its clips.
struct OpenedSuite {
    std::filesystem::path file;
    std::shared_ptr<const suite::SuiteResult> result;
    std::vector<session::BlindVote> votes;
};

/// Of an untrusted document, and of the votes beside `file`, which it was read from.
Result<OpenedSuite> openedSuiteFrom(const nlohmann::json& document, const std::filesystem::path& file);

}  // namespace reelgrid::studio
