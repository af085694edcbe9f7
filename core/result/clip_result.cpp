#include "core/result/clip_result.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json.h"
#include "core/base/opened_file.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/component_hash.h"
#include "core/result/metrics_file.h"

namespace reelgrid::result {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{32} << 20;

/// What is absent is empty.
template <class T>
Result<T> readCompanion(const std::filesystem::path& file, Result<T> (*reader)(const nlohmann::json&)) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) return text.error().code == ErrorCode::NotFound ? Result(T()) : text.error();
    auto parsed = parseJson(*text, file.string());
    if (!parsed) return parsed.error();
    auto read = reader(*parsed);
    if (!read) return read.error().in(file.string());
    return read;
}

template <class T>
void take(Result<T> read, T& into, std::vector<Error>& problems) {
    if (read)
        into = *std::move(read);
    else
        problems.push_back(read.error());
}

/// Why a file beside the clip is not the one with this hash; empty: it is, or there is no hash.
std::string companionDifference(const std::filesystem::path& clip, const std::string& name,
                                const std::string& sha256) {
    if (sha256.empty()) return {};
    const auto hash = sha256OfFile(protocol::resultFolderOf(clip) / name);
    if (!hash) return hash.error().message;
    return *hash == sha256 ? "" : "its " + name + " is not the one that its manifest.json is about";
}

}  // namespace

Result<Manifest> readManifest(const std::filesystem::path& clip) {
    return readCompanion(protocol::resultFolderOf(clip) / protocol::kManifestFile, manifestFromJson);
}

ClipResult readClipResult(const std::filesystem::path& clip) {
    ClipResult result;
    const std::filesystem::path folder = protocol::resultFolderOf(clip);
    take(readCompanion(folder / protocol::kTimingFile, timingsFromJson), result.timings, result.problems);
    take(readCompanion(folder / protocol::kMetricsFile, metricsFromJson), result.metrics, result.problems);
    take(readManifest(clip), result.manifest, result.problems);
    const std::string &own = result.manifest.clipSha256, &measured = result.metrics.clipSha256;
    if (own.empty() || measured.empty() || own == measured) return result;
    result.metrics = {};
    result.problems.push_back({ErrorCode::InvalidData, (folder / protocol::kMetricsFile).string() +
                                                           ": it is of another clip than its manifest.json "
                                                           "(clip_sha256); its figures don't count"});
    return result;
}

std::string timingDifference(const std::filesystem::path& clip, const Manifest& manifest) {
    return companionDifference(clip, protocol::kTimingFile, manifest.timingSha256);
}

std::string latentsDifference(const std::filesystem::path& clip, const Manifest& manifest) {
    return companionDifference(clip, protocol::kLatentsFile, manifest.latentsSha256);
}

ClipResult readResultOfFile(const std::filesystem::path& clip) {
    ClipResult result = readClipResult(clip);
    if (const std::string other = timingDifference(clip, result.manifest);
        !other.empty() && !result.timings.empty()) {
        result.timings.clear();
        result.problems.push_back({ErrorCode::InvalidData, clip.string() + ": " + other});
    }
    if (result.manifest.clipSha256.empty()) return result;
    // Of a large clip it is kept, as the window looks at clips often.
    ComponentHasher hasher{KeptHashes::ofUser()};
    const auto hash = hasher.hashFile(clip);
    // What can't be read is said by whoever opens it.
    if (!hash || hash->sha256 == result.manifest.clipSha256) return result;
    const std::filesystem::path manifest = protocol::resultFolderOf(clip) / protocol::kManifestFile;
    ClipResult none;
    none.isOfAnotherClip = true;
    none.problems.push_back(
        {ErrorCode::InvalidData, manifest.string() + ": it is about another clip than " + clip.string() +
                                     " (clip_sha256); neither its figures nor its times count"});
    return none;
}

Result<std::filesystem::path> latentsOfClip(const std::filesystem::path& clip) {
    const std::filesystem::path latents = protocol::resultFolderOf(clip) / protocol::kLatentsFile;
    // What has no latents isn't read through for its hash.
    for (const auto& file : {clip, latents})
        if (const auto opened = openRegularFile(file); !opened) return opened.error();
    const auto hash = sha256OfFile(clip);
    if (!hash) return hash.error();
    const auto manifest = readManifest(clip);
    if (!manifest) return manifest.error();
    const std::filesystem::path folder = protocol::resultFolderOf(clip);
    if (!manifest->clipSha256.empty() && *hash != manifest->clipSha256)
        return Error{ErrorCode::InvalidData, (folder / protocol::kManifestFile).string() +
                                                 ": it is about another clip than " + clip.string() +
                                                 " (clip_sha256), whose latents aren't known"};
    if (const std::string other = latentsDifference(clip, *manifest); !other.empty())
        return Error{ErrorCode::InvalidData, clip.string() + ": " + other};
    return latents;
}

}  // namespace reelgrid::result
