#include "app/studio/measurement_reader.h"

#include <algorithm>

#include "core/media/clip.h"

namespace reelgrid::studio {

namespace {

// Of RGB frames; two clips are in memory at once. Longer ones stay unmeasured, which the problem line says.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Files of other tools have the two whole times alone.
void addStages(result::Timing& timing) {
    if (!timing.stages.empty()) return;
    if (timing.pipeTime && timing.vaeDecodeTime)
        timing.add("denoise", std::max(0.0, *timing.pipeTime - *timing.vaeDecodeTime));
    if (timing.vaeDecodeTime) timing.add("decode", *timing.vaeDecodeTime);
}

}  // namespace

comparison::ClipMeasurer clipMeasurer(const std::filesystem::path& reference) {
    return comparison::ClipMeasurer(reference, kMostBytes);
}

ReadFacts readClipFacts(const std::filesystem::path& clip, comparison::ClipMeasurer& measurer,
                        const std::stop_token& stop) {
    ReadFacts read;
    result::ClipResult& result = read.facts.result;
    result = result::readClipResult(clip);
    for (result::Timing& timing : result.timings) addStages(timing);
    for (const Error& error : result.problems) read.problems.append(QString::fromStdString(error.message));
    const auto opened = media::Clip::open(clip);
    if (!opened || stop.stop_requested()) return read;  // the player says what is wrong with the clip
    read.facts.frameSeconds = opened.value()->info().frameSeconds;
    if (auto measured = measurer.complete(clip, result.metrics); !measured)
        read.problems.append(QString::fromStdString(measured.error().message));
    return read;
}

}  // namespace reelgrid::studio
