#include "widgets/video_grid/grid_overlay.h"

#include <QFont>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace reelgrid::widgets {

namespace {

constexpr std::size_t kMostKept = 256;  // drawn texts; frame numbers of long clips would add up
constexpr int kMargin = 8;              // logical pixels from a picture's edge
const QColor kPlate(10, 12, 16, 205);
const QColor kText(0xf2, 0xf4, 0xf8);
const QColor kQuiet(0xb4, 0xbc, 0xca);
const QColor kWrong(0xff, 0x8a, 0x80);

QImage canvas(int width, int height, double pixelRatio) {
    QImage image(int(std::ceil(width * pixelRatio)), int(std::ceil(height * pixelRatio)),
                 QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(pixelRatio);
    image.fill(Qt::transparent);
    return image;
}

QFont labelFont(bool strong) {
    QFont font = QGuiApplication::font();
    font.setWeight(strong ? QFont::DemiBold : QFont::Normal);
    return font;
}

}  // namespace

QImage GridOverlay::pill(const QString& text, const QString& detail, const QColor& accent, int maxWidth,
                         double pixelRatio) {
    const QFontMetrics strong(labelFont(true));
    const QFontMetrics quiet(labelFont(false));
    const int mark = accent.isValid() ? 16 : 0;
    const int room = maxWidth - 16 - mark;
    if (room < 16) return {};
    const QString shown = strong.elidedText(text, Qt::ElideMiddle, room);
    const int textWidth = strong.horizontalAdvance(shown);
    const int beforeDetail = shown.isEmpty() ? 0 : 8;
    const int detailRoom = room - textWidth - beforeDetail;
    const bool withDetail = !detail.isEmpty() && quiet.horizontalAdvance(detail) <= detailRoom;
    const int width =
        16 + mark + textWidth + (withDetail ? beforeDetail + quiet.horizontalAdvance(detail) : 0);
    const int height = strong.height() + 8;

    QImage image = canvas(width, height, pixelRatio);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(kPlate);
    painter.drawRoundedRect(QRectF(0, 0, width, height), 5, 5);
    if (accent.isValid()) {
        painter.setBrush(accent);
        painter.drawRoundedRect(QRectF(8, height / 2.0 - 4.5, 9, 9), 2.5, 2.5);
    }
    painter.setFont(labelFont(true));
    painter.setPen(kText);
    const int baseline = 4 + strong.ascent();
    painter.drawText(8 + mark, baseline, shown);
    if (withDetail) {
        painter.setFont(labelFont(false));
        painter.setPen(kQuiet);
        painter.drawText(8 + mark + textWidth + beforeDetail, baseline, detail);
    }
    return image;
}

QImage GridOverlay::message(const QString& text, bool isError, int maxWidth, double pixelRatio) {
    if (maxWidth < 32) return {};
    const QFontMetrics metrics(labelFont(false));
    const int flags = Qt::AlignHCenter | Qt::TextWrapAnywhere | Qt::TextWordWrap;
    const QRect bounds = metrics.boundingRect(QRect(0, 0, maxWidth, 4000), flags, text);
    QImage image = canvas(maxWidth, std::min(bounds.height(), 400), pixelRatio);
    QPainter painter(&image);
    painter.setFont(labelFont(false));
    painter.setPen(isError ? kWrong : kQuiet);
    painter.drawText(QRect(0, 0, maxWidth, bounds.height()), flags, text);
    return image;
}

std::vector<OverlayItem> GridOverlay::items(const GridScene& scene,
                                            const std::vector<GridScene::Placed>& placed, double pixelRatio) {
    if (m_drawn.size() > kMostKept) m_drawn.clear();
    const auto kept = [&](const QString& key, auto draw) -> const QImage& {
        auto found = m_drawn.find(key);
        if (found == m_drawn.end()) found = m_drawn.emplace(key, draw()).first;
        return found->second;
    };
    std::vector<OverlayItem> out;
    const int margin = int(kMargin * pixelRatio);
    for (const GridScene::Placed& place : placed) {
        const GridScene::Tile& tile = scene.tiles[std::size_t(place.tile)];
        const PixelRect& area = tile.picture.frame ? place.picture : place.cell;
        const int maxWidth = int(area.width / pixelRatio) - 2 * kMargin;
        const QString size = QString::number(maxWidth) + '/' + QString::number(pixelRatio) + '/' +
                             QString::number(QGuiApplication::font().pixelSize()) + '/';
        const QString& label = tile.what.label;
        if (!label.isEmpty()) {
            const QString key = "L" + size + tile.what.accent.name() + label + '\n' + tile.what.detail;
            out.push_back({{area.x + margin, area.y + margin}, kept(key, [&] {
                               return pill(label, tile.what.detail, tile.what.accent, maxWidth, pixelRatio);
                           })});
        }
        if (tile.picture.frame && !tile.picture.note.isEmpty()) {
            const QImage& note = kept("F" + size + tile.picture.note, [&] {
                return pill(QString(), tile.picture.note, QColor(), maxWidth, pixelRatio);
            });
            out.push_back(
                {{area.x + area.width - note.width() - margin, area.y + area.height - note.height() - margin},
                 note});
        }
        if (!tile.picture.frame && !tile.message().isEmpty()) {
            const bool isError = tile.what.isError || tile.picture.isError;
            const QString key = "M" + size + (isError ? "!" : "") + tile.message();
            const QImage& text =
                kept(key, [&] { return message(tile.message(), isError, maxWidth, pixelRatio); });
            out.push_back(
                {{area.x + (area.width - text.width()) / 2, area.y + (area.height - text.height()) / 2},
                 text});
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
