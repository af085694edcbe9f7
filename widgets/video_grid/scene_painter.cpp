#include "widgets/video_grid/scene_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "widgets/video_grid/difference.h"
#include "widgets/video_grid/screen_picture.h"
#include "widgets/video_grid/wipe_geometry.h"

namespace reelgrid::widgets {

namespace {

QRect rectOf(const PixelRect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

/// The area's part on the other side of the wipe's line.
QPainterPath beyond(const WipeGeometry& wipe, const PixelRect& area) {
    const QPointF along = wipe.along() * (2.0 * (area.width + area.height));
    const QPointF across(-along.y(), along.x());
    QPainterPath half;
    half.addPolygon(QPolygonF({wipe.centre() - along, wipe.centre() + along, wipe.centre() + along + across,
                               wipe.centre() - along + across}));
    half.closeSubpath();
    return half;
}

void outline(const PixelRect& cell, const QColor& color, QPainter& painter, double pixelRatio) {
    painter.setPen(QPen(color, 2 * pixelRatio));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rectOf(cell).adjusted(1, 1, -1, -1));
}

}  // namespace

ScenePainter::Key ScenePainter::keyOf(const GridScene& scene, const GridScene::Placed& place, int tile) {
    GridScene::Placed own = place;
    own.tile = tile;
    return {tile, place.picture.width, place.picture.height, scene.nearest(own)};
}

/// Those that show another frame, or another part of it, than before.
void ScenePainter::drawNewPictures(const GridScene& scene, const std::vector<GridScene::Placed>& placed) {
    std::map<Key, ScreenPicture> drawn;
    for (auto& [key, shown] : m_shown) shown.used = false;
    for (const GridScene::Placed& place : placed) {
        if (place.picture.width <= 0 || place.picture.height <= 0) continue;
        for (const int tile : {place.tile, place.against}) {
            if (tile < 0) continue;
            const Key key = keyOf(scene, place, tile);
            Shown& shown = m_shown[key];
            shown.used = true;
            const media::FramePtr& frame = scene.tiles[std::size_t(tile)].picture.frame;
            if (shown.frame == frame && shown.view == scene.view()) continue;
            shown = {frame, scene.view(), {}, true};
            const auto pixels = key.squares ? ScreenPicture::Pixels::Squares : ScreenPicture::Pixels::Smooth;
            drawn.try_emplace(key, frame, scene.view(), QSize(key.width, key.height), pixels);
        }
    }
    std::erase_if(m_shown, [](const auto& entry) { return !entry.second.used; });
    std::vector<ScreenPicture*> pictures;
    for (auto& [key, picture] : drawn) pictures.push_back(&picture);
    drawAll(pictures);
    for (const auto& [key, picture] : drawn) m_shown[key].image = picture.image();
}

const QImage& ScenePainter::imageOf(const GridScene& scene, const GridScene::Placed& place) {
    const Shown& own = m_shown[keyOf(scene, place, place.tile)];
    if (place.against < 0) return own.image;
    const Shown& reference = m_shown[keyOf(scene, place, place.against)];
    Difference& kept = m_differences[std::size_t(place.tile)];
    const session::ViewState& look = scene.look;
    if (kept.frame != own.frame || kept.against != reference.frame || kept.view != own.view ||
        kept.size != own.image.size() || kept.kind != look.difference || kept.gain != look.gain)
        kept = {own.frame,
                reference.frame,
                own.view,
                own.image.size(),
                look.difference,
                look.gain,
                differenceImage(own.image, reference.image, look.difference, look.gain)};
    return kept.image;
}

void ScenePainter::drawPicture(const GridScene& scene, const GridScene::Placed& place, QPainter& painter,
                               double pixelRatio) {
    painter.save();
    const WipeGeometry wipe(scene.look.wipe, place.picture);
    const bool wiped = place.drawing == GridScene::Drawing::BeyondWipe;
    if (wiped) painter.setClipPath(beyond(wipe, place.picture));
    if (place.drawing == GridScene::Drawing::Blended) painter.setOpacity(scene.look.onionOpacity);
    painter.drawImage(QRect(rectOf(place.picture)), imageOf(scene, place));
    if (wiped) {
        painter.setClipRect(rectOf(place.picture));
        painter.setPen(QPen(grid_colors::kWipeLine, kWipeLineWidth * pixelRatio));
        const QPointF reach = wipe.along() * (2.0 * (place.picture.width + place.picture.height));
        painter.drawLine(wipe.centre() - reach, wipe.centre() + reach);
    }
    painter.restore();
}

void ScenePainter::drawEmpty(const GridScene::Tile& tile, const PixelRect& cell, QPainter& painter,
                             double pixelRatio) {
    if (tile.what.progress < 0) return;
    PixelRect track = progressTrack(cell, pixelRatio);
    painter.fillRect(rectOf(track), grid_colors::kProgressTrack);
    track.width = int(track.width * std::min(1.0, tile.what.progress));
    painter.fillRect(rectOf(track), tile.what.accent);
}

void ScenePainter::draw(const GridScene& scene, QPainter& painter, const QSize& pixels, double pixelRatio) {
    const auto placed = scene.place(pixels, pixelRatio);
    m_differences.resize(scene.tiles.size());
    drawNewPictures(scene, placed);
    painter.fillRect(QRect(QPoint(0, 0), pixels), grid_colors::kBackground);
    for (const GridScene::Placed& place : placed) {
        const GridScene::Tile& tile = scene.tiles[std::size_t(place.tile)];
        if (place.drawing == GridScene::Drawing::Whole)
            painter.fillRect(rectOf(place.cell), grid_colors::kCell);
        if (place.picture.width > 0)
            drawPicture(scene, place, painter, pixelRatio);
        else
            drawEmpty(tile, place.cell, painter, pixelRatio);
        if (place.tile == scene.dropTarget)
            outline(place.cell, grid_colors::kDropTarget, painter, pixelRatio);
        else if (place.tile == scene.selected && scene.outlinesSelected())
            outline(place.cell, tile.what.accent, painter, pixelRatio);
    }
    for (OverlayItem& item : m_overlay.items(scene, placed, pixelRatio)) {
        item.image.setDevicePixelRatio(1);
        painter.drawImage(item.at, item.image);
    }
}

}  // namespace reelgrid::widgets
