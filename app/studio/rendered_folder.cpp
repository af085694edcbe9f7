#include "app/studio/rendered_folder.h"

#include "core/comparison/clip_labels.h"
#include "core/comparison/entry.h"
#include "core/result/clip_result.h"

namespace reelgrid::studio {

Result<session::LoadedSession> readRenderedFolder(const std::filesystem::path& folder) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / kSessionFile, ignored))
        return session::loadSession(folder / kSessionFile);
    auto found = comparison::findClips(folder, comparison::defaultClipPatterns());
    if (!found) return found.error();
    comparison::putReferenceFirst(*found, &media::LabelledClip::label);
    session::LoadedSession loaded;
    for (const media::LabelledClip& clip : *found) {
        loaded.session.clips.push_back({clip.path, clip.label, clip.label, 0});
        if (!loaded.session.request.prompt.empty()) continue;
        if (auto request = result::readClipResult(clip.path).manifest.request)
            loaded.session.request = *std::move(request);
    }
    loaded.session.request.output.clear();
    protocol::forgetFilesToWrite(loaded.session.request);
    return loaded;
}

}  // namespace reelgrid::studio
