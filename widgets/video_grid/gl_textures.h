#pragma once

#include <QImage>
#include <QOpenGLFunctions_3_3_Core>
#include <array>
#include <string>

#include "core/media/frame.h"

namespace reelgrid::widgets {

/// Three single-channel textures holding the planes of the frame last uploaded. The context must be current
/// for every call; release() comes before the context goes.
class PictureTextures {
  public:
    /// Does nothing when this very frame is already there.
    void upload(QOpenGLFunctions_3_3_Core& gl, const media::FramePtr& frame);
    /// Binds Y, U, V to three texture units from `firstUnit` on.
    void bind(QOpenGLFunctions_3_3_Core& gl, int firstUnit, GLint filter) const;
    void release(QOpenGLFunctions_3_3_Core& gl);

  private:
    void uploadPlane(QOpenGLFunctions_3_3_Core& gl, GLuint texture, const media::Plane& plane,
                     int bytesPerSample, bool keep) const;

    std::array<GLuint, 3> m_names{};
    media::FramePtr m_frame;
};

/// One RGBA texture made from a premultiplied image.
struct OverlayTexture {
    GLuint name = 0;
    bool used = false;  ///< in the paint under way; those left unused are freed
    static OverlayTexture from(QOpenGLFunctions_3_3_Core& gl, const QImage& image);
};

}  // namespace reelgrid::widgets
