#include "widgets/charts/still_chart.h"

#include <QPainter>
#include <algorithm>

namespace reelgrid::widgets {

void StillChart::draw(QPainter& painter, const QPoint& at, double seconds) const {
    painter.drawImage(at, image);
    if (time.isEmpty() || duration <= 0) return;
    const double share = std::clamp(seconds / duration, 0.0, 1.0);
    const QRectF where(at.x() + time.left() + share * time.width() - lineWidth / 2, at.y() + time.top(),
                       lineWidth, time.height());
    if (edge.isValid()) painter.fillRect(where.adjusted(-lineWidth, 0, lineWidth, 0), edge);
    painter.fillRect(where, line);
}

}  // namespace reelgrid::widgets
