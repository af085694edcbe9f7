#include "widgets/video_grid/grid_overlay.h"

#include <QFont>
#include <QFontMetrics>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

#include "widgets/theme/local_number.h"
#include "widgets/video_grid/overlay_pictures.h"
#include "widgets/video_grid/wipe_geometry.h"
#include "widgets/video_grid/yuv_conversion.h"

namespace reelgrid::widgets {

namespace {

constexpr std::size_t kMostKept = 256;  // drawn texts; frame numbers of long clips would add up
constexpr int kMargin = 8;              // logical pixels from a picture's edge
}  // namespace

const QImage& GridOverlay::kept(const QString& key, const std::function<QImage()>& draw) {
    auto found = m_drawn.find(key);
    if (found == m_drawn.end()) found = m_drawn.emplace(key, draw()).first;
    return found->second;
}

namespace {

QString label(const GridScene& scene, const GridScene::Placed& place) {
    const QString& own = scene.tiles[std::size_t(place.tile)].what.label;
    if (place.against < 0) return own;
    return own + QString::fromUtf8(" − ") + scene.tiles[std::size_t(place.against)].what.label;
}

QString detail(const GridScene& scene, const GridScene::Placed& place) {
    const GridScene::Tile& tile = scene.tiles[std::size_t(place.tile)];
    const QString times = QString(QChar(0xd7)) + significantText(scene.look.gain, 3);
    if (place.against >= 0) switch (scene.look.difference) {
            case session::DifferenceKind::Signed:
                return QGuiApplication::translate("GridOverlay", "signed %1").arg(times);
            case session::DifferenceKind::Absolute:
                return QGuiApplication::translate("GridOverlay", "absolute");
            case session::DifferenceKind::Amplified:
                return QGuiApplication::translate("GridOverlay", "absolute %1").arg(times);
            case session::DifferenceKind::HeatMap:
                return QGuiApplication::translate("GridOverlay", "largest channel");
        }
    if (scene.look.mode == session::ViewMode::Difference && place.tile == scene.reference())
        return QGuiApplication::translate("GridOverlay", "reference");
    if (place.drawing == GridScene::Drawing::Blended)
        return QString::number(std::lround(100 * scene.look.onionOpacity)) + " %";
    return tile.what.detail;
}

QString number(int value) {
    return value > 0   ? "+" + QString::number(value)
           : value < 0 ? QChar(0x2212) + QString::number(-value)
                       : "0";
}

/// The place under the pointer in a frame's own pixels.
QPoint probedPixel(const GridScene& scene, const media::YuvFrame& frame) {
    return {std::clamp(int(scene.probe->x() * frame.width), 0, frame.width - 1),
            std::clamp(int(scene.probe->y() * frame.height), 0, frame.height - 1)};
}

QRgb probedColor(const GridScene& scene, int tile) {
    const media::YuvFrame& frame = *scene.tiles[std::size_t(tile)].picture.frame;
    const QPoint at = probedPixel(scene, frame);
    return colorAt(frame, at.x(), at.y());
}

}  // namespace

PixelValues pixelValues(const GridScene& scene, int tile) {
    PixelValues values;
    if (!scene.probe || !scene.tiles[std::size_t(tile)].picture.frame) return values;
    const QPoint at = probedPixel(scene, *scene.tiles[std::size_t(tile)].picture.frame);
    const QRgb color = probedColor(scene, tile);
    values.text = QString("%1, %2:  %3 %4 %5")
                      .arg(at.x())
                      .arg(at.y())
                      .arg(qRed(color))
                      .arg(qGreen(color))
                      .arg(qBlue(color));
    const int held = scene.reference();
    if (held == tile || held < 0 || !scene.tiles[std::size_t(held)].picture.frame) return values;
    const QRgb against = probedColor(scene, held);
    values.difference = QString::fromUtf8("Δ %1 %2 %3")
                            .arg(number(qRed(color) - qRed(against)), number(qGreen(color) - qGreen(against)),
                                 number(qBlue(color) - qBlue(against)));
    return values;
}

namespace {

/// Texts in one corner of a picture, each further from the edge than the one before.
struct CornerStack {
    PixelRect area;
    int margin = 0;
    Corner corner = Corner::TopLeft;
    int used = 0;

    void put(const QImage& image, std::vector<OverlayItem>& out) {
        if (image.isNull()) return;
        out.push_back({placeOf(image), image});
        used += image.height() + margin / 2;
    }
    /// Likewise, behind what is there already.
    void putClear(const QImage& image, std::vector<OverlayItem>& out) {
        const auto isCovered = [&](const OverlayItem& item) {
            return QRect(item.at, item.image.size()).intersects(QRect(placeOf(image), image.size()));
        };
        while (used < area.height && std::ranges::any_of(out, isCovered)) used += margin / 2;
        put(image, out);
    }

  private:
    [[nodiscard]] QPoint placeOf(const QImage& image) const {
        const bool right = corner == Corner::TopRight || corner == Corner::BottomRight;
        const bool bottom = corner == Corner::BottomLeft || corner == Corner::BottomRight;
        return {right ? area.x + area.width - image.width() - margin : area.x + margin,
                bottom ? area.y + area.height - margin - used - image.height() : area.y + margin + used};
    }
};

}  // namespace

void GridOverlay::addMark(const GridScene& scene, const GridScene::Placed& place, double pixelRatio,
                          std::vector<OverlayItem>& out) {
    const media::YuvFrame& frame = *scene.tiles[std::size_t(place.tile)].picture.frame;
    const QRectF view = scene.view();
    const QPoint at = probedPixel(scene, frame);
    const double wide = place.picture.width / (frame.width * view.width());
    const double high = place.picture.height / (frame.height * view.height());
    const int around = 2 * std::max(1, int(pixelRatio));
    const int width = std::max(int(9 * pixelRatio), int(std::lround(wide)) + 2 * around);
    const int height = std::max(int(9 * pixelRatio), int(std::lround(high)) + 2 * around);
    const double x = place.picture.x + (at.x() + 0.5 - view.x() * frame.width) * wide;
    const double y = place.picture.y + (at.y() + 0.5 - view.y() * frame.height) * high;
    const QString key = QString("P%1x%2/%3").arg(width).arg(height).arg(pixelRatio);
    out.push_back({{int(std::lround(x - width / 2.0)), int(std::lround(y - height / 2.0))},
                   kept(key, [&] { return pixelMark(width, height, pixelRatio); })});
}

void GridOverlay::addTexts(const GridScene& scene, const GridScene::Placed& place, double pixelRatio,
                           std::vector<OverlayItem>& out) {
    const GridScene::Tile& tile = scene.tiles[std::size_t(place.tile)];
    const bool drawn = place.picture.width > 0;
    const PixelRect& area = drawn ? place.picture : place.cell;
    const int margin = int(kMargin * pixelRatio);
    const int maxWidth = int(area.width / pixelRatio) - 2 * kMargin;
    const QString size = QString::number(maxWidth) + '/' + QString::number(pixelRatio) + '/' +
                         QString::number(QGuiApplication::font().pixelSize()) + '/';
    const auto text = [&](const QString& strong, const QString& quiet,
                          const QColor& accent) -> const QImage& {
        const QString key = "L" + size + accent.name(QColor::HexArgb) + strong + '\n' + quiet;
        return kept(key, [&] { return pill(strong, quiet, accent, maxWidth, pixelRatio); });
    };
    CornerStack atLabel{area, margin, place.label};
    if (const QString shown = label(scene, place); !shown.isEmpty()) {
        atLabel.put(text(shown, detail(scene, place), tile.what.accent), out);
        if (place.against < 0 && !tile.what.origin.isEmpty())
            atLabel.put(text(tile.what.origin, QString(), QColor()), out);
    }
    if (!drawn) {
        if (tile.message().isEmpty()) return;
        const bool isError = tile.what.isError || tile.picture.isError;
        const QString key = "M" + size + (isError ? "!" : "") + tile.message();
        const QImage& said =
            kept(key, [&] { return message(tile.message(), isError, maxWidth, pixelRatio); });
        out.push_back(
            {{area.x + (area.width - said.width()) / 2, area.y + (area.height - said.height()) / 2}, said});
        return;
    }
    const bool two =
        place.drawing != GridScene::Drawing::Whole || place.label != Corner::TopLeft ||
        (scene.look.mode != session::ViewMode::Grid && scene.look.mode != session::ViewMode::Difference);
    if (scene.look.frameNumbers && !tile.picture.note.isEmpty()) {
        CornerStack atEnd{area, margin, Corner::BottomRight};
        (two ? atLabel : atEnd).put(text(QString(), tile.picture.note, QColor()), out);
    }
    if (scene.look.pixelValues && scene.probe) {
        const PixelValues values = pixelValues(scene, place.tile);
        CornerStack atStart{area, margin, Corner::BottomLeft};
        (two ? atLabel : atStart).put(text(values.text, values.difference, QColor()), out);
        if (place.drawing == GridScene::Drawing::Whole) addMark(scene, place, pixelRatio, out);
    }
}

std::vector<OverlayItem> GridOverlay::items(const GridScene& scene,
                                            const std::vector<GridScene::Placed>& placed, double pixelRatio) {
    if (m_drawn.size() > kMostKept) m_drawn.clear();
    std::vector<OverlayItem> out;
    for (const GridScene::Placed& place : placed) addTexts(scene, place, pixelRatio, out);
    for (const GridScene::Placed& place : placed) {
        if (place.drawing == GridScene::Drawing::BeyondWipe) {
            const WipeGeometry wipe(scene.look.wipe, place.picture);
            const QImage& handle =
                kept(QString("W%1").arg(pixelRatio), [&] { return wipeHandle(pixelRatio); });
            for (const int which : {0, 1}) {
                const QPointF at = wipe.handle(which);
                out.push_back({{int(std::lround(at.x() - handle.width() / 2.0)),
                                int(std::lround(at.y() - handle.height() / 2.0))},
                               handle});
            }
        }
    }
    // One scale of colours is enough for all tiles.
    if (scene.look.difference == session::DifferenceKind::HeatMap) {
        const auto shown = std::ranges::find_if(placed, [](const auto& place) { return place.against >= 0; });
        if (shown != placed.end()) {
            const QString key = QString("H%1/%2").arg(scene.look.gain).arg(pixelRatio);
            CornerStack corner{shown->picture, int(kMargin * pixelRatio), Corner::TopRight};
            corner.putClear(kept(key, [&] { return heatLegend(scene.look.gain, pixelRatio); }), out);
        }
    }
    std::erase_if(out, [](const OverlayItem& item) { return item.image.isNull(); });
    return out;
}

PixelRect progressTrack(const PixelRect& cell, double pixelRatio) {
    const int width = std::min(cell.width / 2, int(260 * pixelRatio));
    const int height = std::max(2, int(4 * pixelRatio));
    return {cell.x + (cell.width - width) / 2, cell.y + cell.height / 2 + int(26 * pixelRatio), width,
            height};
}

}  // namespace reelgrid::widgets
