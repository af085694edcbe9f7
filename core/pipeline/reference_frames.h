#pragma once

#include <string>

#include "core/catalog/render_settings.h"
#include "core/media/frame.h"

namespace reelgrid::pipeline {

/// The last clip that was rendered with sdpa, kept so that the drift of another backend's clip from it is
/// measured on frames before encoding.
class ReferenceFrames {
  public:
    /// The kept clip, if it is the same render but for the attention; null otherwise.
    /// `model` tells models apart, also two states of one folder.
    [[nodiscard]] const media::RgbVideo* matching(const std::string& model,
                                                  const catalog::RenderSettings& settings) const;
    /// Keeps `video` when it was rendered with sdpa throughout. `clipSha256`: of the clip that it became.
    void offer(const std::string& model, const catalog::RenderSettings& settings,
               const media::RgbVideo& video, const std::string& clipSha256);
    [[nodiscard]] const std::string& clipSha256() const { return m_clipSha256; }

  private:
    std::string m_clipSha256;
    std::string m_key;
    media::RgbVideo m_video;
};

}  // namespace reelgrid::pipeline
