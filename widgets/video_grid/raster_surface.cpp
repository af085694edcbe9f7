#include "widgets/video_grid/raster_surface.h"

#include <QPainter>

#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::widgets {

namespace {
QRect rectOf(const PixelRect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}
}  // namespace

RasterSurface::RasterSurface(const GridScene* scene, QWidget* parent) : QWidget(parent), m_scene(scene) {
    setAttribute(Qt::WA_OpaquePaintEvent);
}

QImage RasterSurface::grabPicture() {
    QImage image(size() * devicePixelRatioF(), QImage::Format_RGB32);
    QPainter painter(&image);
    draw(painter);
    return image;
}

void RasterSurface::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    // Everything is placed in device pixels, so that a picture at its own size keeps its pixels.
    painter.scale(1 / devicePixelRatioF(), 1 / devicePixelRatioF());
    draw(painter);
}

void RasterSurface::draw(QPainter& painter) {
    const QSize pixels = size() * devicePixelRatioF();
    const auto placed = m_scene->place(pixels, devicePixelRatioF());
    m_converted.resize(m_scene->tiles.size());
    painter.fillRect(QRect(QPoint(0, 0), pixels), grid_colors::kBackground);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, m_scene->scaling == PixelScaling::Smooth);
    for (const GridScene::Placed& place : placed) {
        const auto index = std::size_t(place.tile);
        const GridScene::Tile& tile = m_scene->tiles[index];
        painter.fillRect(rectOf(place.cell), grid_colors::kCell);
        if (tile.picture.frame) {
            Converted& kept = m_converted[index];
            if (kept.frame != tile.picture.frame) kept = {tile.picture.frame, toImage(*tile.picture.frame)};
            const QRectF& view = m_scene->view;
            const QRectF part(view.x() * kept.image.width(), view.y() * kept.image.height(),
                              view.width() * kept.image.width(), view.height() * kept.image.height());
            painter.drawImage(QRectF(rectOf(place.picture)), kept.image, part);
        } else if (tile.what.progress >= 0) {
            PixelRect track = progressTrack(place.cell, devicePixelRatioF());
            painter.fillRect(rectOf(track), grid_colors::kProgressTrack);
            track.width = int(track.width * std::min(1.0, tile.what.progress));
            painter.fillRect(rectOf(track), tile.what.accent);
        }
        if (place.tile == m_scene->selected) {
            painter.setPen(QPen(tile.what.accent, 2 * devicePixelRatioF()));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(rectOf(place.cell).adjusted(1, 1, -1, -1));
        }
    }
    for (OverlayItem& item : m_overlay.items(*m_scene, placed, devicePixelRatioF())) {
        item.image.setDevicePixelRatio(1);
        painter.drawImage(item.at, item.image);
    }
}

}  // namespace reelgrid::widgets
