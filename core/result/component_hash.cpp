#include "core/result/component_hash.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "core/base/sha256.h"

namespace reelgrid::result {

namespace fs = std::filesystem;

Result<void> ComponentHasher::learn(const std::vector<fs::path>& files, const std::stop_token& stop) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < files.size() && !stop.stop_requested(); i = next++)
            (void)hashFile(files[i], stop);
    };
    constexpr std::size_t kMostThreads = 8;
    const std::size_t threads =
        std::min({files.size(), kMostThreads, std::size_t{std::thread::hardware_concurrency()}});
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
        work();
    }
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "cancelled"};
    return {};
}

Result<ComponentHash> ComponentHasher::hash(const std::vector<fs::path>& files) {
    ComponentHash component;
    Sha256 whole;
    for (const fs::path& path : files) {
        auto file = hashFile(path);
        if (!file) return file.error();
        const std::string line = file->sha256 + "  " + file->name + "\n";
        whole.add({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
        component.files.push_back(*std::move(file));
    }
    component.sha256 = whole.finish();
    return component;
}

Result<FileHash> ComponentHasher::hashFile(const fs::path& path) {
    return hashFile(path, {});
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

Result<FileHash> ComponentHasher::hashFile(const fs::path& path, const std::stop_token& stop) {
    // Taken before the file is read: a change while it is being read shows the next time.
    const auto stamp = stampOf(path);
    if (!stamp) return stamp.error();
    std::error_code failed;
    const fs::path key = fs::absolute(path, failed);
    {
        const std::lock_guard lock(m_mutex);
        const auto known = m_known.find(key);
        if (known != m_known.end() && known->second.stamp == *stamp)
            return FileHash{path.filename().string(), stamp->bytes, known->second.sha256};
    }
    const auto sha256 = sha256OfFile(path, stop);
    if (!sha256) return sha256.error();
    const std::lock_guard lock(m_mutex);
    m_known[key] = {*stamp, *sha256};
    return FileHash{path.filename().string(), stamp->bytes, *sha256};
}

}  // namespace reelgrid::result
