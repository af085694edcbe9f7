#include "core/base/file_check.h"

#include <string>
#include <system_error>

#include "core/base/link_check.h"

namespace reelgrid {

namespace fs = std::filesystem;

Result<void> requireFile(const fs::path& path, std::uint64_t maxBytes) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (status.type() == fs::file_type::not_found) {
        if (auto gone = faultOfLink(path)) return *std::move(gone);
        return Error{ErrorCode::NotFound, path.string() + ": no such file"};
    }
    if (failed) return Error{ErrorCode::Io, path.string() + ": " + failed.message()};
    if (fs::is_directory(status))
        return Error{ErrorCode::InvalidData, path.string() + ": it is a folder, a file was needed"};
    if (!fs::is_regular_file(status))
        return Error{ErrorCode::InvalidData,
                     path.string() + ": not a regular file (a pipe, socket or device)"};
    const std::uint64_t bytes = fs::file_size(path, failed);
    if (failed) return Error{ErrorCode::Io, path.string() + ": " + failed.message()};
    if (bytes > maxBytes)
        return Error{ErrorCode::InvalidData, path.string() + " has " + std::to_string(bytes) +
                                                 " bytes, at most " + std::to_string(maxBytes) +
                                                 " were expected"};
    return {};
}

}  // namespace reelgrid
