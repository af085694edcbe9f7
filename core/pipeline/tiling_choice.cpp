#include "core/pipeline/tiling_choice.h"

namespace reelgrid::pipeline {

std::string settledTiling(
    const std::function<std::uint64_t(const catalog::RenderSettings& settings)>& workingBytes,
    catalog::RenderSettings settings, std::uint64_t availableBytes) {
    if (settings.vaeTiling != protocol::kTilingAuto) return settings.vaeTiling;
    settings.vaeTiling = protocol::kTilingOff;
    const std::uint64_t whole = workingBytes(settings);
    if (whole <= availableBytes) return protocol::kTilingOff;
    settings.vaeTiling = protocol::kTilingOn;
    return workingBytes(settings) < whole ? protocol::kTilingOn : protocol::kTilingOff;
}

}  // namespace reelgrid::pipeline
