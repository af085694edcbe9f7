#include "widgets/video_grid/wipe_geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reelgrid::widgets {

namespace {
constexpr double kDegree = std::numbers::pi / 180;
constexpr double kHandleAt = 0.3;  // from the centre, of the area's shorter side
}  // namespace

WipeGeometry::WipeGeometry(const session::WipeLine& line, const PixelRect& area)
    : m_line(line),
      m_area(area),
      m_centre(area.x + line.x * area.width, area.y + line.y * area.height),
      m_along(std::cos(line.angleDegrees * kDegree), -std::sin(line.angleDegrees * kDegree)) {}

double WipeGeometry::distance(const QPointF& at) const {
    const QPointF from = at - m_centre;
    return from.x() * m_along.y() - from.y() * m_along.x();
}

QPointF WipeGeometry::handle(int which) const {
    const double length = kHandleAt * std::min(m_area.width, m_area.height);
    return m_centre + m_along * (which == 0 ? length : -length);
}

Corner WipeGeometry::cornerOf(Side side) const {
    const double sign = side == Side::Reference ? 1 : -1;
    Corner best = Corner::TopLeft;
    double deepest = -1e30;
    for (const Corner corner : {Corner::TopLeft, Corner::TopRight, Corner::BottomLeft, Corner::BottomRight}) {
        const bool right = corner == Corner::TopRight || corner == Corner::BottomRight;
        const bool bottom = corner == Corner::BottomLeft || corner == Corner::BottomRight;
        const double depth = sign * distance(QPointF(m_area.x + (right ? m_area.width : 0),
                                                     m_area.y + (bottom ? m_area.height : 0)));
        if (depth > deepest + 0.5) {
            deepest = depth;
            best = corner;
        }
    }
    return best;
}

WipeGeometry::Grip WipeGeometry::gripAt(const QPointF& at, double reach) const {
    for (const int which : {0, 1}) {
        const QPointF from = at - handle(which);
        if (std::hypot(from.x(), from.y()) <= 1.5 * reach)
            return which == 0 ? Grip::FirstHandle : Grip::SecondHandle;
    }
    return m_area.contains(int(at.x()), int(at.y())) && std::abs(distance(at)) <= reach ? Grip::Line
                                                                                        : Grip::None;
}

session::WipeLine WipeGeometry::movedTo(const QPointF& at) const {
    if (m_area.width == 0 || m_area.height == 0) return m_line;
    session::WipeLine moved = m_line;
    moved.x = std::clamp((at.x() - m_area.x) / m_area.width, 0.0, 1.0);
    moved.y = std::clamp((at.y() - m_area.y) / m_area.height, 0.0, 1.0);
    return moved;
}

session::WipeLine WipeGeometry::turnedTo(const QPointF& at, Grip grip) const {
    const QPointF from = grip == Grip::SecondHandle ? m_centre - at : at - m_centre;
    if (std::hypot(from.x(), from.y()) < 1) return m_line;
    session::WipeLine turned = m_line;
    turned.angleDegrees = std::atan2(-from.y(), from.x()) / kDegree;
    return turned;
}

}  // namespace reelgrid::widgets
