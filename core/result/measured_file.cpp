#include "core/result/measured_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/metrics_file.h"
#include "core/result/writer_lock.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Of the file and of what is always measured: raised where a definition changes.
constexpr int kMeasuredVersion = 3;
constexpr std::size_t kMostMeasuredBytes = std::size_t{64} << 20;

std::string hashOf(const std::string& text) {
    return sha256Hex(text);
}

std::string keyOf(const MeasuredOf& of) {
    return hashOf(printJson(json::array({kMeasuredVersion, of.frames, of.reference, of.prompt, of.with})));
}

fs::path fileOf(const fs::path& clip) {
    return protocol::resultFolderOf(clip) / kMeasuredFile;
}

/// The file's entries; none of a file that is missing, damaged or another version's.
json measurementsIn(const fs::path& clip) {
    const auto document = readJsonObject(fileOf(clip), kMostMeasuredBytes);
    if (!document || document->value("version", json()) != kMeasuredVersion) return json::array();
    const auto list = document->find("measured");
    return list != document->end() && list->is_array() ? *list : json::array();
}

bool isOf(const json& entry, const std::string& key) {
    return entry.is_object() && entry.value("of", json()) == key;
}

}  // namespace

std::optional<metrics::ClipMetrics> findMeasured(const fs::path& clip, const MeasuredOf& of) {
    const std::string key = keyOf(of);
    for (const json& entry : measurementsIn(clip)) {
        if (!isOf(entry, key)) continue;
        const auto found = entry.find("metrics");
        if (found == entry.end() || !found->is_object()) return std::nullopt;
        // What somebody changed by hand, or half of a file, is not what was measured.
        if (entry.value("sha256", json()) != hashOf(printJson(*found))) return std::nullopt;
        auto metrics = metricsFromJson(*found);
        return metrics ? std::optional(*std::move(metrics)) : std::nullopt;
    }
    return std::nullopt;
}

Result<void> keepMeasured(const fs::path& clip, const MeasuredOf& of, const metrics::ClipMetrics& metrics) {
    const auto lock = WriterLock::acquire(protocol::resultFolderOf(clip));
    if (!lock) return lock.error();
    const std::string key = keyOf(of);
    const json written = toJson(metrics);
    json list = json::array();
    list.push_back({{"of", key}, {"sha256", hashOf(printJson(written))}, {"metrics", written}});
    for (json& entry : measurementsIn(clip))
        if (list.size() < kMostMeasured && entry.is_object() && !isOf(entry, key))
            list.push_back(std::move(entry));
    const json document = {{"version", kMeasuredVersion}, {"measured", std::move(list)}};
    return writeFile(fileOf(clip), printJson(document));
}

Result<void> saveMetrics(const fs::path& clip, const metrics::ClipMetrics& metrics) {
    const fs::path folder = protocol::resultFolderOf(clip);
    const auto lock = WriterLock::acquire(folder);
    if (!lock) return lock.error();
    return writeFile(folder / protocol::kMetricsFile, metricsJson(metrics));
}

}  // namespace reelgrid::result
