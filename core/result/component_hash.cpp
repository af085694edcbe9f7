#include "core/result/component_hash.h"

#include <algorithm>
#include <atomic>
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
    auto sha256 = m_kept.find(key, *stamp);
    const bool isNew = !sha256;
    if (isNew) {
        auto made = sha256OfFile(path, stop);
        if (!made) return made.error();
        sha256 = *std::move(made);
    }
    const std::lock_guard lock(m_mutex);
    m_known[key] = {*stamp, *sha256};
    if (isNew) m_kept.keep(key, *stamp, *sha256);  // within the lock: one thread at a time writes the file
    return FileHash{path.filename().string(), stamp->bytes, *sha256};
}

fs::path ComponentHasher::writtenOver(const std::vector<fs::path>& files) {
    for (const fs::path& path : files) {
        const auto now = stampOf(path);
        if (!now) continue;
        std::error_code failed;
        Known before;
        {
            const std::lock_guard lock(m_mutex);
            const auto known = m_known.find(fs::absolute(path, failed));
            if (known == m_known.end()) continue;
            before = known->second;
        }
        if (before.stamp == *now || before.stamp.inode != now->inode) continue;
        if (const auto hash = hashFile(path); hash && hash->sha256 != before.sha256) return path;
    }
    return {};
}

}  // namespace reelgrid::result
