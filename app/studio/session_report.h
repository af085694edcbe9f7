#pragma once

#include <filesystem>

#include "core/session/session.h"

namespace reelgrid::studio {

inline constexpr const char* kReportFile = "report.html";

/// Writes the page that `reelgrid-cli compare` writes, of a session's clips as their companions tell of them;
/// what those lack is measured. Blocks; for a background thread. Fails where neither a manifest nor the
/// session's request says what was rendered.
/// Whether something that is no report of ours stands under that name. Blocks on the disk.
bool isForeign(const std::filesystem::path& file);

Result<void> writeReport(const session::Session& session, const std::filesystem::path& file);

}  // namespace reelgrid::studio
