#include "core/pipeline/tiling_choice.h"

namespace reelgrid::pipeline {

std::string settledTiling(const denoising::VideoModel& video, catalog::RenderSettings settings,
                          std::uint64_t availableBytes) {
    if (settings.vaeTiling != protocol::kTilingAuto) return settings.vaeTiling;
    settings.vaeTiling = protocol::kTilingOff;
    const std::uint64_t whole = video.workingBytes(settings);
    if (whole <= availableBytes) return protocol::kTilingOff;
    settings.vaeTiling = protocol::kTilingOn;
    return video.workingBytes(settings) < whole ? protocol::kTilingOn : protocol::kTilingOff;
}

}  // namespace reelgrid::pipeline
