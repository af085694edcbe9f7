#include "core/pipeline/reference_frames.h"

namespace reelgrid::pipeline {
namespace {

std::string keyOf(const std::string& model, const catalog::RenderSettings& settings) {
    return model + "\n" + protocol::pictureKey(settings);
}

}  // namespace

const media::RgbVideo* ReferenceFrames::matching(const std::string& model,
                                                 const catalog::RenderSettings& settings) const {
    const bool isReference = attentionName(settings) == protocol::kReferenceBackend;
    return !isReference && m_key == keyOf(model, settings) ? &m_video : nullptr;
}

void ReferenceFrames::offer(const std::string& model, const catalog::RenderSettings& settings,
                            const media::RgbVideo& video, const std::string& clipSha256) {
    if (attentionName(settings) != protocol::kReferenceBackend) return;
    m_key = keyOf(model, settings);
    m_video = video;
    m_clipSha256 = clipSha256;
}

}  // namespace reelgrid::pipeline
