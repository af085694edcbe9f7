#pragma once

#include <QColor>
#include <QImage>
#include <QString>

namespace reelgrid::widgets {

// What stands over the pictures: premultiplied, at device pixels; `maxWidth` is in logical ones. Null where
// there is no room.

/// A text on a plate: `text` strong, beside it the first line of `details` that fits, with a coloured mark
/// before both.
QImage pill(const QString& text, const QString& details, const QColor& accent, int maxWidth,
            double pixelRatio);
/// What stands where a picture would.
QImage message(const QString& text, bool isError, int maxWidth, double pixelRatio);
/// The heat map's colours, with the differences that they begin and end with at this gain.
QImage heatLegend(double gain, double pixelRatio);
/// A frame around one pixel of a picture, `width` by `height` device pixels.
QImage pixelMark(int width, int height, double pixelRatio);
/// What turns a wipe's line.
QImage wipeHandle(double pixelRatio);

}  // namespace reelgrid::widgets
