#include "core/fleet/connection_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/folder.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNameStart = "reelgrid-remote-";
constexpr const char* kLockFile = ".lock";

/// Nothing where another process holds it, or there is none.
jobs::FileDescriptor lockIn(const fs::path& folder, int flags) {
    jobs::FileDescriptor file(
        ::open((folder / kLockFile).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, S_IRUSR | S_IWUSR));
    if (file.open() && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
    return file;
}

bool isOurs(const fs::path& folder) {
    struct stat facts {};
    return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid();
}

void removeLeftBelow(const fs::path& folder) {
    const auto entries = entriesOf(folder);
    if (!entries) return;
    for (const auto& entry : *entries) {
        if (!entry.path().filename().string().starts_with(kNameStart) || !isOurs(entry.path())) continue;
        const jobs::FileDescriptor lock = lockIn(entry.path(), 0);
        std::error_code ignored;
        if (lock.open()) fs::remove_all(entry.path(), ignored);
    }
}

}  // namespace

Result<ConnectionFolder> ConnectionFolder::create() {
    const auto parent = folderOfTemporaryFiles();
    if (!parent) return parent.error();
    removeLeftBelow(*parent);
    std::string pattern = (*parent / (std::string(kNameStart) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr)
        return Error{ErrorCode::Io, pattern + ": can't be made: " + std::strerror(errno)};
    jobs::FileDescriptor lock = lockIn(pattern, O_CREAT);
    if (!lock.open()) return Error{ErrorCode::Io, pattern + ": can't be locked: " + std::strerror(errno)};
    return ConnectionFolder(pattern, std::move(lock));
}

ConnectionFolder::~ConnectionFolder() {
    std::error_code ignored;
    if (!m_path.empty()) fs::remove_all(m_path, ignored);
}

}  // namespace reelgrid::fleet
