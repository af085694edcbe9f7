#pragma once

#include <filesystem>

#include "core/session/session.h"

namespace reelgrid::studio {

inline constexpr const char* kSessionFile = "session.json";

/// The comparison that renders left in a folder: its session, or, where none was saved, the clips as their
/// names and manifests tell of them. Blocks on the disk. NotFound when there is neither.
Result<session::LoadedSession> readRenderedFolder(const std::filesystem::path& folder);

}  // namespace reelgrid::studio
