#include "widgets/video_grid/raster_surface.h"

#include <QPainter>

namespace reelgrid::widgets {

RasterSurface::RasterSurface(const GridScene* scene, QWidget* parent) : QWidget(parent), m_scene(scene) {
    setAttribute(Qt::WA_OpaquePaintEvent);
}

QImage RasterSurface::grabPicture() {
    QImage image(size() * devicePixelRatioF(), QImage::Format_RGB32);
    QPainter painter(&image);
    m_painter.draw(*m_scene, painter, image.size(), devicePixelRatioF());
    return image;
}

void RasterSurface::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    // Everything is placed in device pixels, so that a picture at its own size keeps its pixels.
    painter.scale(1 / devicePixelRatioF(), 1 / devicePixelRatioF());
    m_painter.draw(*m_scene, painter, size() * devicePixelRatioF(), devicePixelRatioF());
}

}  // namespace reelgrid::widgets
