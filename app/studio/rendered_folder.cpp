#include "app/studio/rendered_folder.h"

#include <algorithm>

#include "core/media/labels.h"
#include "core/session/clip_measurements.h"

namespace reelgrid::studio {

Result<session::LoadedSession> readRenderedFolder(const std::filesystem::path& folder) {
    if (std::filesystem::exists(folder / kSessionFile)) return session::loadSession(folder / kSessionFile);
    auto found = media::findClips(folder, media::defaultClipPatterns());
    if (!found) return found.error();
    // The reference first, as where they were rendered.
    std::ranges::stable_sort(*found, {},
                             [](const media::LabelledClip& clip) { return clip.label != "sdpa"; });
    session::LoadedSession loaded;
    for (const media::LabelledClip& clip : *found) {
        loaded.session.clips.push_back({clip.path, clip.label, clip.label, 0});
        if (!loaded.session.request.prompt.empty()) continue;
        if (auto request = session::readClipMeasurements(clip.path).request)
            loaded.session.request = *std::move(request);
    }
    loaded.session.request.output.clear();
    return loaded;
}

}  // namespace reelgrid::studio
