#pragma once

#include <QColor>
#include <QImage>
#include <QPoint>
#include <QRectF>

class QPainter;

namespace reelgrid::widgets {

/// A chart as a picture, in device pixels, without its playhead and the values at it: a playhead can then be
/// drawn at any time. A value: any thread may draw it.
struct StillChart {
    QImage image;
    QRectF time{};        ///< of the image: from 0 at its left to `duration`; empty: no time runs along it
    double duration = 0;  ///< seconds
    QColor line{};        ///< of the playhead
    QColor edge{};        ///< on both sides of it; invalid: none
    double lineWidth = 1;

    void draw(QPainter& painter, const QPoint& at, double seconds) const;
};

}  // namespace reelgrid::widgets
