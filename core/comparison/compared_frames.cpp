#include "core/comparison/compared_frames.h"

#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;

/// What is wrong with frames that were kept; empty: nothing.
std::string faultOf(const fs::path& clip, const fs::path& frames, const result::Manifest& manifest,
                    const std::stop_token& stop) {
    std::error_code unknown;
    const std::uintmax_t bytes = fs::file_size(frames, unknown);
    if (unknown) return "it is not there";
    if (bytes != manifest.keptFrames->bytes)
        return "it has " + std::to_string(bytes) + " bytes, " + std::to_string(manifest.keptFrames->bytes) +
               " were needed";
    // Of a clip that took this one's place they are not the frames.
    const auto clipHash = sha256OfFile(clip, stop);
    if (!clipHash || *clipHash != manifest.clipSha256) return "it is of another clip";
    const auto hash = sha256OfFile(frames, stop);
    if (!hash || *hash != manifest.keptFrames->sha256) return "it is damaged";
    return {};
}

}  // namespace

ComparedFrames comparedFrames(const fs::path& clip, const std::stop_token& stop) {
    const result::ClipResult result = result::readClipResult(clip);
    if (!result.manifest.keptFrames) return {clip, false, {}, {}};
    const fs::path frames = protocol::resultFolderOf(clip) / protocol::kFramesFile;
    const std::string fault = faultOf(clip, frames, result.manifest, stop);
    if (fault.empty()) return {frames, true, {}, result.manifest.keptFrames->sha256};
    return {
        clip, false, frames.string() + ": " + fault + "; the encoded clip is shown and measured instead", {}};
}

Result<std::string> hashOfCompared(const fs::path& clip, const std::stop_token& stop) {
    const ComparedFrames compared = comparedFrames(clip, stop);
    return compared.sha256.empty() ? sha256OfFile(compared.file, stop) : compared.sha256;
}

}  // namespace reelgrid::comparison
