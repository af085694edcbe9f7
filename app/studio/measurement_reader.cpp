#include "app/studio/measurement_reader.h"

#include <algorithm>

#include "core/media/clip.h"

namespace reelgrid::studio {

namespace {

/// Files of other tools have the two whole times alone.
void addStages(result::Timing& timing) {
    if (!timing.stages.empty()) return;
    if (timing.pipeTime && timing.vaeDecodeTime)
        timing.add("denoise", std::max(0.0, *timing.pipeTime - *timing.vaeDecodeTime));
    if (timing.vaeDecodeTime) timing.add("decode", *timing.vaeDecodeTime);
}

}  // namespace

ReadFacts readClipFacts(const std::filesystem::path& clip) {
    ReadFacts read;
    if (const auto stamp = result::stampOf(clip)) read.facts.stamp = *stamp;
    result::ClipResult& result = read.facts.result;
    result = result::readResultOfFile(clip);
    for (result::Timing& timing : result.timings) addStages(timing);
    for (const Error& error : result.problems) read.problems.append(QString::fromStdString(error.message));
    // What is wrong with a clip that can't be opened the player says.
    if (const auto opened = media::Clip::open(clip)) {
        const media::ClipInfo& info = (*opened)->info();
        read.facts.frameSeconds = info.frameSeconds;
        read.facts.unequal = info.unequal;
        read.facts.track = info.track;
        read.facts.missing = info.missing;
        read.facts.rate = info.fps.value();
    }
    read.facts.origin = comparison::originOf(clip);
    return read;
}

QStringList completeClipFacts(const std::filesystem::path& clip, const comparison::ClipMeasurer& measurer,
                              ClipFacts& facts, const std::stop_token& stop) {
    if (facts.frameSeconds.empty()) return {};
    const auto measured = measurer.complete(clip, facts.result.metrics, stop);
    const bool said = !measured && measured.error().code != ErrorCode::Cancelled;
    return said ? QStringList(QString::fromStdString(measured.error().message)) : QStringList();
}

}  // namespace reelgrid::studio
