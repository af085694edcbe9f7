#include "core/pipeline/reference_frames.h"

#include <sstream>

namespace reelgrid::pipeline {
namespace {

constexpr const char* kReferenceType = "sdpa";

/// Everything that decides the picture except the attention.
std::string keyOf(const std::string& modelId, const catalog::RenderSettings& settings) {
    std::ostringstream key;
    key.precision(17);
    key << modelId << '\n'
        << settings.task << '\n'
        << settings.prompt << '\n'
        << settings.negativePrompt << '\n'
        << settings.width << 'x' << settings.height << 'x' << settings.numFrames << '\n'
        << settings.numInferenceSteps << ' ' << settings.guidanceScale << ' ' << settings.seed << ' '
        << settings.dtype << ' ' << settings.device << ' ' << settings.scheduler.value_or("") << ' '
        << settings.flowShift.value_or(0);
    return key.str();
}

}  // namespace

const media::RgbVideo* ReferenceFrames::matching(const std::string& modelId,
                                                 const catalog::RenderSettings& settings) const {
    const bool isReference = attentionName(settings) == kReferenceType;
    return !isReference && m_key == keyOf(modelId, settings) ? &m_video : nullptr;
}

void ReferenceFrames::offer(const std::string& modelId, const catalog::RenderSettings& settings,
                            const media::RgbVideo& video) {
    if (attentionName(settings) != kReferenceType) return;
    m_key = keyOf(modelId, settings);
    m_video = video;
}

}  // namespace reelgrid::pipeline
