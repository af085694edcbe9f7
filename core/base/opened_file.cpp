#include "core/base/opened_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/file_check.h"

namespace reelgrid {

Result<OpenedFile> openRegularFile(const std::filesystem::path& path, std::uint64_t maxBytes) {
    if (auto readable = requireFile(path, maxBytes); !readable) return readable.error();
    // Another file may take the name at any time: what was opened is looked at once more, and a pipe that
    // took it opens at once.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FileHandle file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "rb"));
    struct stat status {};
    if (!file || ::fstat(descriptor, &status) != 0)
        return Error{ErrorCode::Io, "can't read " + path.string() + ": " + std::strerror(errno)};
    const auto bytes = std::uint64_t(status.st_size);
    if (!S_ISREG(status.st_mode) || bytes > maxBytes)
        return Error{ErrorCode::InvalidData, path.string() + ": it changed while it was opened"};
    return OpenedFile{std::move(file), bytes};
}

}  // namespace reelgrid
