#include "widgets/video_grid/gl_textures.h"

namespace reelgrid::widgets {

using media::Plane;

namespace {

bool sameShape(const Plane& a, const Plane& b) {
    return a.width == b.width && a.height == b.height;
}

void setUpTexture(QOpenGLFunctions_3_3_Core& gl, GLint filter) {
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

}  // namespace

void PictureTextures::upload(QOpenGLFunctions_3_3_Core& gl, const media::FramePtr& frame) {
    if (frame == m_frame) return;
    if (m_names[0] == 0) gl.glGenTextures(3, m_names.data());
    const int bytesPerSample = frame->bitDepth > 8 ? 2 : 1;
    const bool keep = m_frame && (m_frame->bitDepth > 8) == (frame->bitDepth > 8) &&
                      sameShape(m_frame->y, frame->y) && sameShape(m_frame->u, frame->u);
    gl.glActiveTexture(GL_TEXTURE0);
    uploadPlane(gl, m_names[0], frame->y, bytesPerSample, keep);
    uploadPlane(gl, m_names[1], frame->u, bytesPerSample, keep);
    uploadPlane(gl, m_names[2], frame->v, bytesPerSample, keep);
    m_frame = frame;
}

void PictureTextures::uploadPlane(QOpenGLFunctions_3_3_Core& gl, GLuint texture, const Plane& plane,
                                  int bytesPerSample, bool keep) const {
    gl.glBindTexture(GL_TEXTURE_2D, texture);
    gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl.glPixelStorei(GL_UNPACK_ROW_LENGTH, plane.stride / bytesPerSample);
    const GLenum type = bytesPerSample == 1 ? GL_UNSIGNED_BYTE : GL_UNSIGNED_SHORT;
    if (keep) {
        gl.glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, plane.width, plane.height, GL_RED, type,
                           plane.bytes.data());
    } else {
        gl.glTexImage2D(GL_TEXTURE_2D, 0, bytesPerSample == 1 ? GL_R8 : GL_R16, plane.width, plane.height, 0,
                        GL_RED, type, plane.bytes.data());
        setUpTexture(gl, GL_LINEAR);
    }
    gl.glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

void PictureTextures::bind(QOpenGLFunctions_3_3_Core& gl, int firstUnit, GLint filter) const {
    for (unsigned unit = 0; unit < 3; ++unit) {
        gl.glActiveTexture(GL_TEXTURE0 + unsigned(firstUnit) + unit);
        gl.glBindTexture(GL_TEXTURE_2D, m_names[unit]);
        // Chroma stays interpolated: sharp pixels are the luma's.
        setUpTexture(gl, unit == 0 ? filter : GL_LINEAR);
    }
    gl.glActiveTexture(GL_TEXTURE0);
}

void PictureTextures::release(QOpenGLFunctions_3_3_Core& gl) {
    if (m_names[0] != 0) gl.glDeleteTextures(3, m_names.data());
    m_names = {};
    m_frame.reset();
}

OverlayTexture OverlayTexture::from(QOpenGLFunctions_3_3_Core& gl, const QImage& image) {
    OverlayTexture texture;
    gl.glGenTextures(1, &texture.name);
    gl.glBindTexture(GL_TEXTURE_2D, texture.name);
    setUpTexture(gl, GL_NEAREST);
    gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl.glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width(), image.height(), 0, GL_BGRA,
                    GL_UNSIGNED_INT_8_8_8_8_REV, image.constBits());
    return texture;
}

}  // namespace reelgrid::widgets
