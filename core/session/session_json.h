#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/session/session.h"

namespace reelgrid::session {

/// As a file in `folder` (absolute) has it.
nlohmann::json toJson(const Session& session, const std::filesystem::path& folder);
Result<LoadedSession> sessionFromJson(const nlohmann::json& object, const std::filesystem::path& folder);

}  // namespace reelgrid::session
