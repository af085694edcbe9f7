#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace reelgrid::session {

enum class ClipPlace { Inside, Outside };

struct ResolvedClip {
    std::filesystem::path path;  ///< absolute
    ClipPlace where = ClipPlace::Inside;
};

/// The clip that a session in `folder` (absolute) names. A relative path must stay in the folder as written
/// (InvalidData else); one that leaves it through a symbolic link, or an absolute path elsewhere, is Outside.
Result<ResolvedClip> resolveClipPath(const std::string& stored, const std::filesystem::path& folder);

/// How a session in `folder` (absolute) names `clip`: relative when below the folder, else absolute.
std::string storedClipPath(const std::filesystem::path& clip, const std::filesystem::path& folder);

}  // namespace reelgrid::session
