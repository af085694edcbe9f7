#include "core/result/kept_hashes.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/cache_folder.h"
#include "core/base/hex.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::int64_t kYoung = 2'000'000'000;  // nanoseconds

/// The newest last; none of a file that is missing, damaged or another version's.
json entriesIn(const fs::path& file) {
    const auto document = readJsonObject(file, kMostBytes);
    if (!document || document->value("version", json()) != kVersion) return json::array();
    const auto list = document->find("files");
    return list != document->end() && list->is_array() ? *list : json::array();
}

json toJson(const FileStamp& stamp) {
    return json::array({stamp.bytes, stamp.inode, stamp.modified, stamp.changed});
}

bool isOf(const json& entry, const fs::path& path) {
    return entry.is_object() && entry.value("path", json()) == path.string();
}

}  // namespace

std::optional<std::string> KeptHashes::find(const fs::path& path, const FileStamp& stamp) const {
    if (m_file.empty() || stamp.bytes < m_leastBytes) return std::nullopt;
    for (const json& entry : entriesIn(m_file)) {
        if (!isOf(entry, path) || entry.value("stamp", json()) != toJson(stamp)) continue;
        const json sha256 = entry.value("sha256", json());
        if (sha256.is_string() && isHex(sha256.get_ref<const std::string&>(), kSha256Digits))
            return sha256.get<std::string>();
    }
    return std::nullopt;
}

void KeptHashes::keep(const fs::path& path, const FileStamp& stamp, const std::string& sha256) const {
    if (m_file.empty() || stamp.bytes < m_leastBytes) return;
    const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
    const auto after = stampOf(path);
    if (now - stamp.changed < kYoung || !after || *after != stamp) return;
    json list = json::array();
    for (json& entry : entriesIn(m_file))
        if (entry.is_object() && !isOf(entry, path)) list.push_back(std::move(entry));
    while (list.size() >= kMostFiles) list.erase(list.begin());
    list.push_back({{"path", path.string()}, {"stamp", toJson(stamp)}, {"sha256", sha256}});
    std::error_code failed;
    fs::create_directories(m_file.parent_path(), failed);
    (void)writeFile(m_file, printJson({{"version", kVersion}, {"files", std::move(list)}}));
}

KeptHashes KeptHashes::ofUser() {
    const fs::path folder = cacheFolder();
    return KeptHashes(folder.empty() ? fs::path() : folder / "file-hashes.json");
}

}  // namespace reelgrid::result
