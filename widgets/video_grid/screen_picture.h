#pragma once

#include <QImage>
#include <QRectF>
#include <vector>

#include "core/media/frame.h"

namespace reelgrid::widgets {

/// A part of a decoded picture in the pixels that it has on screen: planes become RGB at that size, so that
/// no pixel is made that nobody sees. As the OpenGL shaders have it: luma and chroma interpolated, or each of
/// the picture's pixels a square of one colour. Rows may be drawn by several threads at once.
class ScreenPicture {
  public:
    enum class Pixels { Smooth, Squares };
    /// `view`: the part on show, in fractions of the picture. Null where there is no memory for it.
    ScreenPicture(media::FramePtr frame, const QRectF& view, const QSize& size, Pixels pixels);

    void drawRows(int from, int to);
    [[nodiscard]] const QImage& image() const { return m_image; }

  private:
    /// For each pixel on screen the two samples that it lies between, and how much of the second one counts.
    struct Axis {
        std::vector<int> low, high;
        std::vector<float> part;
    };
    static Axis axisOf(const std::vector<double>& luma, double scale, double shift, int samples);
    void blend(const media::Plane& plane, const Axis& rows, int y, std::vector<float>& out) const;

    media::FramePtr m_frame;
    QImage m_image;
    uchar* m_bits = nullptr;  // of m_image, which threads must not detach
    Axis m_lumaColumns, m_lumaRows, m_chromaColumns, m_chromaRows;
};

/// Draws all of these, on as many threads as the processor has cores.
void drawAll(const std::vector<ScreenPicture*>& pictures);

}  // namespace reelgrid::widgets
