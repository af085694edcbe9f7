#include "core/result/component_hash.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/sha256.h"

namespace reelgrid::result {

namespace fs = std::filesystem;

Result<ComponentHash> ComponentHasher::hash(const std::vector<fs::path>& files) {
    const std::lock_guard lock(m_mutex);
    ComponentHash component;
    Sha256 whole;
    for (const fs::path& path : files) {
        auto file = hashLocked(path);
        if (!file) return file.error();
        const std::string line = file->sha256 + "  " + file->name + "\n";
        whole.add({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
        component.files.push_back(*std::move(file));
    }
    component.sha256 = whole.finish();
    return component;
}

Result<FileHash> ComponentHasher::hashFile(const fs::path& path) {
    const std::lock_guard lock(m_mutex);
    return hashLocked(path);
}

Result<ComponentHasher::Stamp> ComponentHasher::stampOf(const fs::path& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0)
        return Error{errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                     path.string() + ": " + std::strerror(errno)};
    const auto nanoseconds = [](const timespec& time) {
        return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    };
    return Stamp{std::uint64_t(found.st_size), found.st_ino, nanoseconds(found.st_mtim),
                 nanoseconds(found.st_ctim)};
}

Result<FileHash> ComponentHasher::hashLocked(const fs::path& path) {
    // Taken before the file is read: a change while it is being read shows the next time.
    auto stamp = stampOf(path);
    if (!stamp) return stamp.error();
    std::error_code failed;
    Known& known = m_known[fs::absolute(path, failed)];
    if (known.sha256.empty() || known.stamp != *stamp) {
        auto sha256 = sha256OfFile(path);
        if (!sha256) return sha256.error();
        known = {*stamp, *std::move(sha256)};
    }
    return FileHash{path.filename().string(), stamp->bytes, known.sha256};
}

}  // namespace reelgrid::result
