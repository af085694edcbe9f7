#include "widgets/video_grid/overlay_pictures.h"

#include <QFont>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QPainter>
#include <QTextLayout>
#include <algorithm>
#include <cmath>

#include "widgets/theme/local_number.h"
#include "widgets/video_grid/difference.h"
#include "widgets/video_grid/grid_scene.h"

namespace reelgrid::widgets {

namespace {

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

/// The first of the lines that has room; empty: none.
QString fittingLine(const QString& lines, const QFontMetrics& metrics, int room) {
    for (const QString& line : lines.split('\n'))
        if (metrics.horizontalAdvance(line) <= room) return line;
    return {};
}

}  // namespace

QImage pill(const QString& text, const QString& details, const QColor& accent, int maxWidth,
            double pixelRatio) {
    const QFontMetrics strong(labelFont(true));
    const QFontMetrics quiet(labelFont(false));
    const int mark = accent.isValid() ? 16 : 0;
    const int room = maxWidth - 16 - mark;
    if (room < 16) return {};
    const QString shown = strong.elidedText(text, Qt::ElideMiddle, room);
    const int textWidth = strong.horizontalAdvance(shown);
    const int beforeDetail = shown.isEmpty() ? 0 : 8;
    const QString detail = fittingLine(details, quiet, room - textWidth - beforeDetail);
    const bool withDetail = !detail.isEmpty();
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

QImage message(const QString& text, bool isError, int maxWidth, double pixelRatio) {
    if (maxWidth < 32) return {};
    // Between words; within one, such as a path, only where it is longer than a line.
    QTextOption option(Qt::AlignHCenter);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    QTextLayout layout(text, labelFont(false));
    layout.setTextOption(option);
    double height = 0;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(maxWidth);
        line.setPosition({0, height});
        height += line.height();
    }
    layout.endLayout();
    QImage image = canvas(maxWidth, std::clamp(int(std::ceil(height)), 1, 400), pixelRatio);
    QPainter painter(&image);
    painter.setPen(isError ? kWrong : kQuiet);
    layout.draw(&painter, {0, 0});
    return image;
}

QImage heatLegend(double gain, double pixelRatio) {
    constexpr int kBarWidth = 120;
    constexpr int kBarHeight = 8;
    const QFontMetrics metrics(labelFont(false));
    const QString least = "0";
    const QString most =
        QGuiApplication::translate("GridOverlay", "%1 codes").arg(significantText(255 / gain, 3));
    const int bar = 8 + metrics.horizontalAdvance(least) + 6;
    const int width = bar + kBarWidth + 6 + metrics.horizontalAdvance(most) + 8;
    const int height = metrics.height() + 8;
    QImage image = canvas(width, height, pixelRatio);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(kPlate);
    painter.drawRoundedRect(QRectF(0, 0, width, height), 5, 5);
    for (int x = 0; x < kBarWidth; ++x)
        painter.fillRect(QRectF(bar + x, (height - kBarHeight) / 2.0, 1, kBarHeight),
                         QColor(heatColor(double(x) / (kBarWidth - 1))));
    painter.setFont(labelFont(false));
    painter.setPen(kQuiet);
    painter.drawText(8, 4 + metrics.ascent(), least);
    painter.drawText(bar + kBarWidth + 6, 4 + metrics.ascent(), most);
    return image;
}

QImage pixelMark(int width, int height, double pixelRatio) {
    QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    const int line = std::max(1, int(pixelRatio));
    painter.setPen(QPen(Qt::black, line));
    painter.drawRect(0, 0, width - line, height - line);
    painter.setPen(QPen(Qt::white, line));
    painter.drawRect(line, line, width - 3 * line, height - 3 * line);
    return image;
}

QImage wipeHandle(double pixelRatio) {
    constexpr int kSize = 16;
    QImage image = canvas(kSize, kSize, pixelRatio);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(QColor(0, 0, 0, 160), 1));
    painter.setBrush(grid_colors::kWipeLine);
    painter.drawEllipse(QRectF(2, 2, kSize - 4, kSize - 4));
    return image;
}

}  // namespace reelgrid::widgets
