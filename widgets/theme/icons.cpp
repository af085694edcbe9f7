#include "widgets/theme/icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <algorithm>

namespace reelgrid::widgets {

namespace {

/// Shapes on a 24×24 board: filled ones, and lines drawn with a round pen.
struct Drawing {
    QPainterPath filled;
    QPainterPath lines;
};

void triangle(QPainterPath& path, QPointF a, QPointF b, QPointF c) {
    path.moveTo(a);
    path.lineTo(b);
    path.lineTo(c);
    path.closeSubpath();
}

void polyline(QPainterPath& path, std::initializer_list<QPointF> points) {
    bool first = true;
    for (const QPointF& point : points) {
        first ? path.moveTo(point) : path.lineTo(point);
        first = false;
    }
}

void circularArrow(Drawing& drawing) {
    drawing.lines.arcMoveTo(QRectF(5, 5, 14, 14), 60);
    drawing.lines.arcTo(QRectF(5, 5, 14, 14), 60, 300);
    triangle(drawing.filled, {14.5, 2.6}, {14.5, 9.4}, {19.4, 6.0});
}

Drawing draw(Glyph glyph) {
    Drawing d;
    switch (glyph) {
        case Glyph::Play:
            triangle(d.filled, {7, 4.5}, {7, 19.5}, {19.5, 12});
            break;
        case Glyph::Pause:
            d.filled.addRoundedRect(QRectF(6, 5, 4.2, 14), 1, 1);
            d.filled.addRoundedRect(QRectF(13.8, 5, 4.2, 14), 1, 1);
            break;
        case Glyph::StepBack:
            triangle(d.filled, {15, 6}, {15, 18}, {6, 12});
            d.filled.addRoundedRect(QRectF(16.6, 6, 2.2, 12), 1, 1);
            break;
        case Glyph::StepForward:
            triangle(d.filled, {9, 6}, {9, 18}, {18, 12});
            d.filled.addRoundedRect(QRectF(5.2, 6, 2.2, 12), 1, 1);
            break;
        case Glyph::First:
            triangle(d.filled, {18, 5.5}, {18, 18.5}, {8.5, 12});
            d.filled.addRoundedRect(QRectF(5.4, 5.5, 2.4, 13), 1, 1);
            break;
        case Glyph::Last:
            triangle(d.filled, {6, 5.5}, {6, 18.5}, {15.5, 12});
            d.filled.addRoundedRect(QRectF(16.2, 5.5, 2.4, 13), 1, 1);
            break;
        case Glyph::Loop:
            polyline(d.lines, {{6, 12}, {6, 10}, {8.5, 7.5}, {17, 7.5}});
            polyline(d.lines, {{18, 12}, {18, 14}, {15.5, 16.5}, {7, 16.5}});
            triangle(d.filled, {16, 4.4}, {16, 10.6}, {20, 7.5});
            triangle(d.filled, {8, 13.4}, {8, 19.6}, {4, 16.5});
            break;
        case Glyph::Render:
            d.filled.addRoundedRect(QRectF(4, 4, 7, 7), 1.5, 1.5);
            d.filled.addRoundedRect(QRectF(13, 4, 7, 7), 1.5, 1.5);
            d.filled.addRoundedRect(QRectF(4, 13, 7, 7), 1.5, 1.5);
            triangle(d.filled, {14, 12.8}, {14, 20.2}, {20.4, 16.5});
            break;
        case Glyph::Cancel:
        case Glyph::Close:
            polyline(d.lines, {{7, 7}, {17, 17}});
            polyline(d.lines, {{17, 7}, {7, 17}});
            break;
        case Glyph::Retry:
            circularArrow(d);
            break;
        case Glyph::Log:
            for (const double y : {7.0, 12.0, 17.0})
                polyline(d.lines, {{5.5, y}, {y == 17 ? 13.5 : 18.5, y}});
            break;
        case Glyph::Export:
            polyline(d.lines, {{12, 4}, {12, 14}});
            polyline(d.lines, {{8, 10.5}, {12, 14.5}, {16, 10.5}});
            polyline(d.lines, {{5, 16}, {5, 19.5}, {19, 19.5}, {19, 16}});
            break;
        case Glyph::Folder:
            polyline(d.lines, {{4, 18.5}, {4, 6}, {9.5, 6}, {11.5, 8.5}, {20, 8.5}, {20, 18.5}, {4, 18.5}});
            break;
        case Glyph::Film:
            d.lines.addRoundedRect(QRectF(3.5, 5.5, 17, 13), 2, 2);
            triangle(d.filled, {10, 9}, {10, 15}, {15, 12});
            break;
    }
    return d;
}

/// A colour of the theme by its place, so that a change is followed; any other as it was.
class GlyphEngine : public QIconEngine {
  public:
    GlyphEngine(Glyph glyph, const QColor& color)
        : m_glyph(glyph), m_own(color), m_themed(theme::ownColor(color)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const Drawing drawing = draw(m_glyph);
        const QColor color = mode == QIcon::Disabled ? theme::kFaint
                             : m_themed != nullptr   ? *m_themed
                                                     : m_own;
        const int side = std::min(rect.width(), rect.height());
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.center() - QPointF(side - 1, side - 1) / 2);
        painter->scale(side / 24.0, side / 24.0);
        painter->fillPath(drawing.filled, color);
        painter->strokePath(drawing.lines, QPen(color, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        if (pixmap.isNull()) return pixmap;  // a layout that has no room asks for no size
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    [[nodiscard]] QIconEngine* clone() const override { return new GlyphEngine(*this); }

  private:
    Glyph m_glyph;
    QColor m_own;
    const QColor* m_themed;
};

}  // namespace

QIcon icon(Glyph glyph, const QColor& color) {
    return QIcon(new GlyphEngine(glyph, color));
}

}  // namespace reelgrid::widgets
