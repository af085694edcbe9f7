#include "core/base/link_check.h"

#include <string>
#include <system_error>

namespace reelgrid {

namespace fs = std::filesystem;

std::optional<Error> faultOfLink(const fs::path& path) {
    std::error_code failed;
    if (!fs::is_symlink(fs::symlink_status(path, failed))) return std::nullopt;
    const fs::file_status status = fs::status(path, failed);
    const bool isGone = status.type() == fs::file_type::not_found;
    if (!isGone && !failed) return std::nullopt;
    const std::string why = failed.message();
    std::error_code unread;
    const std::string link = path.string() + ": is a link to " + fs::read_symlink(path, unread).string();
    if (isGone) return Error{ErrorCode::NotFound, link + ", which isn't there"};
    return Error{ErrorCode::Io, link + ", which can't be followed: " + why};
}

std::optional<Error> faultOfPlace(const fs::path& path) {
    if (auto fault = faultOfLink(path)) return fault;
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (failed || !fs::is_other(status)) return std::nullopt;
    return Error{ErrorCode::InvalidData,
                 path.string() + ": neither a file nor a folder (a pipe, socket or device)"};
}

}  // namespace reelgrid
