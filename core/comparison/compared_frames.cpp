#include "core/comparison/compared_frames.h"

#include "core/base/opened_file.h"
#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;

fs::path keptFramesOf(const fs::path& clip) {
    return protocol::resultFolderOf(clip) / protocol::kFramesFile;
}

}  // namespace

std::string keptFramesFault(const fs::path& clip, const result::Manifest& manifest,
                            const std::stop_token& stop) {
    const fs::path frames = keptFramesOf(clip);
    const auto opened = openRegularFile(frames);
    if (!opened) return opened.error().message;
    if (opened->bytes != manifest.keptFrames->bytes)
        return frames.string() + ": it has " + std::to_string(opened->bytes) + " bytes, " +
               std::to_string(manifest.keptFrames->bytes) + " were needed";
    // Of a clip that took this one's place they are not the frames.
    const auto clipHash = sha256OfFile(clip, stop);
    if (!clipHash) return clipHash.error().message;
    if (*clipHash != manifest.clipSha256) return frames.string() + ": it is of another clip";
    const auto hash = sha256OfFile(frames, stop);
    if (!hash) return hash.error().message;
    return *hash == manifest.keptFrames->sha256 ? "" : frames.string() + ": it is damaged";
}

ComparedFrames comparedFrames(const fs::path& clip, const std::stop_token& stop) {
    const auto manifest = result::readManifest(clip);
    if (manifest && !manifest->keptFrames) return {clip, false, {}, {}};
    // A manifest that can't be read doesn't say whether frames were kept.
    const std::string fault = manifest ? keptFramesFault(clip, *manifest, stop) : manifest.error().message;
    if (fault.empty()) return {keptFramesOf(clip), true, {}, manifest->keptFrames->sha256};
    return {clip, false, fault + "; the encoded clip is shown and measured instead", {}};
}

ComparedPair comparedPair(const fs::path& clip, const fs::path& reference, const std::stop_token& stop) {
    const ComparedFrames own = comparedFrames(clip, stop);
    if (reference.empty()) return {own.file, {}, own.isLossless, own.remark};
    const ComparedFrames other = comparedFrames(reference, stop);
    if (own.isLossless && other.isLossless) return {own.file, other.file, true};
    ComparedPair pair{clip, reference, false};
    for (const ComparedFrames* each : {&own, &other})
        if (!each->remark.empty()) pair.remark += (pair.remark.empty() ? "" : "; ") + each->remark;
    if (pair.remark.empty() && own.isLossless != other.isLossless)
        pair.remark = (own.isLossless ? clip : reference).string() +
                      ": the encoded clip is measured, not its kept frames: " +
                      (own.isLossless ? reference : clip).string() + " has none";
    return pair;
}

Result<std::string> hashOfCompared(const fs::path& clip, const std::stop_token& stop) {
    const ComparedFrames compared = comparedFrames(clip, stop);
    return compared.sha256.empty() ? sha256OfFile(compared.file, stop) : compared.sha256;
}

}  // namespace reelgrid::comparison
