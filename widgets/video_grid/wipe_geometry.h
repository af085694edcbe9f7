#pragma once

#include <QPointF>

#include "core/session/view_state.h"
#include "widgets/video_grid/grid_layout.h"

namespace reelgrid::widgets {

/// A wipe's line over the picture area `area`, in the surface's pixels.
class WipeGeometry {
  public:
    WipeGeometry(const session::WipeLine& line, const PixelRect& area);

    [[nodiscard]] QPointF centre() const { return m_centre; }
    [[nodiscard]] QPointF along() const { return m_along; }  ///< unit vector
    /// > 0 on the reference's side, its size the distance from the line.
    [[nodiscard]] double distance(const QPointF& at) const;
    /// Two points on the line by which it is turned.
    [[nodiscard]] QPointF handle(int which) const;
    /// Which corner of the area lies deepest in the reference's, or the other's, part.
    enum class Side { Reference, Other };
    [[nodiscard]] Corner cornerOf(Side side) const;

    enum class Grip { None, Line, FirstHandle, SecondHandle };
    [[nodiscard]] Grip gripAt(const QPointF& at, double reach) const;
    /// The line once it goes through `at`, or once the handle that was gripped is there.
    [[nodiscard]] session::WipeLine movedTo(const QPointF& at) const;
    [[nodiscard]] session::WipeLine turnedTo(const QPointF& at, Grip grip) const;

  private:
    session::WipeLine m_line;
    PixelRect m_area;
    QPointF m_centre;
    QPointF m_along;
};

}  // namespace reelgrid::widgets
