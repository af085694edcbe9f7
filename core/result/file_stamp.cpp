#include "core/result/file_stamp.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace reelgrid::result {

Result<FileStamp> stampOf(const std::filesystem::path& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0)
        return Error{errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                     path.string() + ": " + std::strerror(errno)};
    const auto nanoseconds = [](const timespec& time) {
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    };
    return FileStamp{std::uint64_t(found.st_size), found.st_ino, nanoseconds(found.st_mtim),
                     nanoseconds(found.st_ctim)};
}

}  // namespace reelgrid::result
