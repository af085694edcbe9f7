#include "core/result/pending_result.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/metrics_file.h"
#include "core/result/unfinished_render.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

/// A companion, written in full but not under its name yet.
Result<PendingFile> written(const fs::path& file, const std::string& text) {
    auto pending = PendingFile::create(file);
    if (!pending) return pending;
    std::ofstream stream(pending->path(), std::ios::binary);
    stream.write(text.data(), std::streamsize(text.size()));
    stream.close();
    if (!stream)
        return Error{ErrorCode::Io, "can't write " + std::to_string(text.size()) + " bytes to " +
                                        file.string() + ": " + std::strerror(errno)};
    return pending;
}

Result<void> moveTo(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    fs::rename(from, to, failed);
    if (!failed) return {};
    return Error{ErrorCode::Io,
                 "can't rename " + from.string() + " to " + to.string() + ": " + failed.message()};
}

}  // namespace

PendingResult::PendingResult(WriterLock lock, fs::path clip)
    : m_lock(std::move(lock)), m_clip(std::move(clip)), m_folder(protocol::resultFolderOf(m_clip)) {}

PendingResult::PendingResult(PendingResult&& other) noexcept
    : m_lock(std::move(other.m_lock)),
      m_clip(std::move(other.m_clip)),
      m_folder(std::exchange(other.m_folder, {})) {}

PendingResult::~PendingResult() {
    if (m_folder.empty()) return;
    std::error_code ignored;
    fs::remove(clip(), ignored);
    fs::remove(frames(), ignored);
}

Result<PendingResult> PendingResult::create(const fs::path& clip) {
    // By the companions' folder: a.mp4 and a.gif have the same one.
    const fs::path folder = protocol::resultFolderOf(clip);
    auto lock = WriterLock::acquire(folder);
    if (!lock) return lock.error();
    // Only tried: a place that can't be written to is found before minutes are spent.
    for (const fs::path& file : {clip, folder / protocol::kManifestFile})
        if (auto probe = PendingFile::create(file); !probe) return probe.error();
    return PendingResult(*std::move(lock), clip);
}

fs::path PendingResult::clip() const {
    return m_folder / ("clip.partial" + m_clip.extension().string());
}

fs::path PendingResult::frames() const {
    return m_folder / "frames.partial.mkv";
}

fs::path PendingResult::latents() const {
    return m_folder / protocol::kPartialLatentsFile;
}

Result<std::string> PendingResult::commit(Manifest manifest, metrics::ClipMetrics metrics,
                                          const std::vector<Timing>& timings) {
    auto hash = sha256OfFile(clip());
    if (!hash) return hash.error();
    manifest.clipSha256 = metrics.clipSha256 = *hash;
    auto latentsHash = sha256OfFile(latents());
    if (!latentsHash) return latentsHash.error();
    manifest.latentsSha256 = *std::move(latentsHash);

    auto metricsFile = written(m_folder / protocol::kMetricsFile, metricsJson(metrics));
    if (!metricsFile) return metricsFile.error();
    const std::string times = printJsonIndented(toJson(timings));
    manifest.timingSha256 = sha256Hex(times);
    auto timingFile = written(m_folder / protocol::kTimingFile, times);
    if (!timingFile) return timingFile.error();
    auto manifestFile = written(m_folder / protocol::kManifestFile, printJsonIndented(toJson(manifest)));
    if (!manifestFile) return manifestFile.error();

    // From here on nothing is written, only renamed: a full disk can't come in between. The clip goes first:
    // from then on the earlier manifest doesn't fit it, whatever becomes of the others.
    if (auto done = moveTo(clip(), m_clip); !done) return done.error();
    if (auto done = moveTo(latents(), m_folder / protocol::kLatentsFile); !done) return done.error();
    const fs::path framesFile = m_folder / protocol::kFramesFile;
    if (manifest.keptFrames) {
        if (auto done = moveTo(frames(), framesFile); !done) return done.error();
    } else {
        std::error_code none;  // an earlier render's
        fs::remove(framesFile, none);
    }
    for (PendingFile* file : {&*metricsFile, &*timingFile, &*manifestFile})
        if (auto done = file->commit(); !done) return done.error();
    removeUnfinished(m_clip);
    return hash;
}

}  // namespace reelgrid::result
