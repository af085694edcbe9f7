#include "core/pipeline/reference_frames.h"

#include <array>
#include <nlohmann/json.hpp>

#include "core/protocol/parse_json.h"
#include "core/result/settings_json.h"

namespace reelgrid::pipeline {
namespace {

/// What doesn't decide the frames before encoding; everything else in the settings does.
constexpr std::array kNoMatter{"attention_type", "attention_policy", "num_repetitions", "fps"};

std::string keyOf(const std::string& modelId, const catalog::RenderSettings& settings) {
    nlohmann::json fields = result::toJson(settings);
    for (const char* field : kNoMatter) fields.erase(field);
    return modelId + "\n" + protocol::printJson(fields);
}

}  // namespace

const media::RgbVideo* ReferenceFrames::matching(const std::string& modelId,
                                                 const catalog::RenderSettings& settings) const {
    const bool isReference = attentionName(settings) == protocol::kReferenceBackend;
    return !isReference && m_key == keyOf(modelId, settings) ? &m_video : nullptr;
}

void ReferenceFrames::offer(const std::string& modelId, const catalog::RenderSettings& settings,
                            const media::RgbVideo& video) {
    if (attentionName(settings) != protocol::kReferenceBackend) return;
    m_key = keyOf(modelId, settings);
    m_video = video;
}

}  // namespace reelgrid::pipeline
