#include "core/session/clip_path.h"

#include <algorithm>

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;

bool isBelow(const fs::path& path, const fs::path& folder) {
    const auto [inFolder, inPath] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return inFolder == folder.end() && inPath != path.end() && !inPath->empty();  // "folder/" is not below
}

/// Where a path leads once links are followed; parts that don't exist stay as they are.
fs::path followed(const fs::path& path) {
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(path, failed);
    return failed ? path.lexically_normal() : real;
}

}  // namespace

Result<ResolvedClip> resolveClipPath(const std::string& stored, const fs::path& folder) {
    const fs::path written(stored);
    if (stored.empty()) return Error{ErrorCode::InvalidData, "path is empty, a clip's name was needed"};
    const fs::path path = (folder / written).lexically_normal();
    if (written.is_relative() && !isBelow(path, folder))
        return Error{
            ErrorCode::InvalidData,
            "path " + stored + " leaves the session's folder: one inside it, or an absolute one, was needed"};
    // Both as written and with links followed: neither a link out of the folder nor a folder that is itself
    // reached through a link may confuse the two.
    const bool inside = isBelow(path, folder) && isBelow(followed(path), followed(folder));
    return ResolvedClip{path, inside ? ClipPlace::Inside : ClipPlace::Outside};
}

std::string storedClipPath(const fs::path& clip, const fs::path& folder) {
    std::error_code failed;
    const fs::path absolute = fs::absolute(clip, failed).lexically_normal();
    if (failed) return clip.string();
    return isBelow(absolute, folder) ? absolute.lexically_relative(folder).string() : absolute.string();
}

}  // namespace reelgrid::session
