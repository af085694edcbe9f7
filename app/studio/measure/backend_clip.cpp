#include "app/studio/measure/backend_clip.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/comparison/clip_labels.h"

namespace reelgrid::studio {

namespace {

/// When the frame with the least PSNR is shown; nothing where it wasn't measured.
std::optional<double> secondsOfLargestDrift(const ComparedClip& clip, const Playback& playback) {
    if (!clip.facts || !clip.facts->result.metrics.drift || !clip.facts->result.metrics.drift->psnr)
        return std::nullopt;
    const std::vector<double>& psnr = clip.facts->result.metrics.drift->psnr->perFrame;
    const std::vector<double> times = playback.frameTimes(clip);
    std::optional<std::size_t> worst;
    for (std::size_t frame = 0; frame < std::min(psnr.size(), times.size()); ++frame)
        if (std::isfinite(psnr[frame]) && (!worst || psnr[frame] < psnr[*worst])) worst = frame;
    if (!worst) return std::nullopt;
    return std::max(0.0, times[*worst]);
}

}  // namespace

bool showBackendClip(const Comparison& comparison, Playback& playback, widgets::VideoGrid& grid,
                     const QString& backend) {
    const auto& clips = comparison.clips();
    const auto clip = std::ranges::find_if(clips, [&](const ComparedClip& each) {
        return each.onDisk && (each.backend.isEmpty() ? each.label : each.backend) == backend;
    });
    if (clip == clips.end()) return false;
    grid.select(int(clip - clips.begin()));
    if (const auto seconds = secondsOfLargestDrift(*clip, playback)) {
        playback.player()->pause();
        playback.player()->seek(*seconds);
    }
    return true;
}

std::filesystem::path clipBeside(const std::filesystem::path& metricsFile, const QString& backend) {
    // F.files/metrics.json belongs to F.mp4.
    const auto clips =
        comparison::findClips(metricsFile.parent_path().parent_path(), comparison::defaultClipPatterns());
    if (!clips) return {};
    const auto found = std::ranges::find(*clips, backend.toStdString(), &media::LabelledClip::label);
    return found == clips->end() ? std::filesystem::path() : found->path;
}

}  // namespace reelgrid::studio
