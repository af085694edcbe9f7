// What the mouse does in a VideoGrid.

#include <QApplication>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/video_grid/video_grid.h"

namespace reelgrid::widgets {

using session::ViewMode;
using Grip = WipeGeometry::Grip;

namespace {

constexpr double kGripReach = 8;  // logical pixels on either side of the wipe's line

/// A surface's pixel in fractions of a placed picture.
QPointF placeIn(const GridScene& scene, const PixelRect& picture, const QPointF& at) {
    const QRectF view = scene.view();
    return {view.x() + std::clamp((at.x() - picture.x) / picture.width, 0.0, 1.0) * view.width(),
            view.y() + std::clamp((at.y() - picture.y) / picture.height, 0.0, 1.0) * view.height()};
}

}  // namespace

const GridScene::Placed* VideoGrid::placedAt(const QPointF& at) {
    const QPointF pixel = devicePixel(at);
    m_placed = m_scene.place(size() * devicePixelRatioF(), devicePixelRatioF());
    const auto found = std::ranges::find_if(m_placed, [&](const GridScene::Placed& placed) {
        return placed.cell.contains(int(pixel.x()), int(pixel.y()));
    });
    return found == m_placed.end() ? nullptr : &*found;
}

Grip VideoGrid::gripAt(const QPointF& at) {
    const GridScene::Placed* placed = placedAt(at);
    if (m_scene.look.mode != ViewMode::Wipe || placed == nullptr || m_placed.size() < 2) return Grip::None;
    return WipeGeometry(m_scene.look.wipe, placed->picture)
        .gripAt(devicePixel(at), kGripReach * devicePixelRatioF());
}

void VideoGrid::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) beginDrag(*event);
}

void VideoGrid::beginDrag(const QMouseEvent& event) {
    const Grip grip = gripAt(event.position());
    const GridScene::Placed* placed = placedAt(event.position());
    m_dragFrom = event.position();
    m_dragZoom = m_scene.look.zoom;
    m_dragged = placed == nullptr ? GridScene::Placed{} : *placed;
    m_drag = placed == nullptr ? Drag::None : Drag::Pressed;
    if (event.button() == Qt::MiddleButton) return;
    if (grip == Grip::Line) m_drag = Drag::WipeLine;
    if (grip == Grip::FirstHandle) m_drag = Drag::WipeFirstHandle;
    if (grip == Grip::SecondHandle) m_drag = Drag::WipeSecondHandle;
    if (m_drag == Drag::Pressed && m_scene.outlinesSelected()) select(placed->tile);
    if (placed == nullptr) select(-1);
}

void VideoGrid::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton))
        dragTo(*event);
    else if (m_scene.look.mode == ViewMode::Wipe)
        setCursor(gripAt(event->position()) == Grip::None ? Qt::ArrowCursor : Qt::PointingHandCursor);
    else
        unsetCursor();
    probeAt(event->position());
}

void VideoGrid::dragTo(const QMouseEvent& event) {
    const QPointF moved = event.position() - m_dragFrom;
    if (m_drag == Drag::Pressed && moved.manhattanLength() >= QApplication::startDragDistance()) {
        const bool whole = m_scene.look.zoom.size == 1 && (event.buttons() & Qt::LeftButton);
        const bool several = m_scene.outlinesSelected() && m_scene.look.solo < 0 && tileCount() > 1;
        m_drag = several && (whole || (event.modifiers() & Qt::ControlModifier)) ? Drag::Tile : Drag::Pan;
    }
    if (m_drag == Drag::Pan && m_dragged.picture.width > 0) {
        const QPointF pixels = devicePixel(moved);
        setZoom({m_dragZoom.x - pixels.x() / m_dragged.picture.width * m_dragZoom.size,
                 m_dragZoom.y - pixels.y() / m_dragged.picture.height * m_dragZoom.size, m_dragZoom.size});
    }
    if (m_drag == Drag::Tile) {
        const GridScene::Placed* over = placedAt(event.position());
        m_scene.dropTarget = over == nullptr || over->tile == m_dragged.tile ? -1 : over->tile;
        setCursor(Qt::ClosedHandCursor);
        repaintSurface();
    }
    dragWipe(devicePixel(event.position()));
}

void VideoGrid::dragWipe(const QPointF& at) {
    const WipeGeometry wipe(m_scene.look.wipe, m_dragged.picture);
    session::ViewState look = m_scene.look;
    if (m_drag == Drag::WipeLine) look.wipe = wipe.movedTo(at);
    if (m_drag == Drag::WipeFirstHandle) look.wipe = wipe.turnedTo(at, Grip::FirstHandle);
    if (m_drag == Drag::WipeSecondHandle) look.wipe = wipe.turnedTo(at, Grip::SecondHandle);
    setLook(look);
}

void VideoGrid::mouseReleaseEvent(QMouseEvent*) {
    const int target = m_scene.dropTarget;
    const bool dropped = m_drag == Drag::Tile && target >= 0;
    m_drag = Drag::None;
    m_scene.dropTarget = -1;
    unsetCursor();
    repaintSurface();
    if (dropped) Q_EMIT tileDragged(m_dragged.tile, target);
}

void VideoGrid::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_scene.outlinesSelected()) return;
    const GridScene::Placed* placed = placedAt(event->position());
    showAlone(m_scene.look.solo >= 0 || placed == nullptr ? -1 : placed->tile);
}

void VideoGrid::probeAt(const QPointF& at) {
    const GridScene::Placed* placed = placedAt(at);
    const QPointF pixel = devicePixel(at);
    std::optional<QPointF> probe;
    if (placed != nullptr && placed->picture.contains(int(pixel.x()), int(pixel.y())))
        probe = placeIn(m_scene, placed->picture,
                        QPointF(std::floor(pixel.x()) + 0.5, std::floor(pixel.y()) + 0.5));
    if (probe == m_scene.probe) return;
    m_scene.probe = probe;
    if (m_scene.look.pixelValues) repaintSurface();
}

void VideoGrid::leaveEvent(QEvent*) {
    m_scene.probe.reset();
    repaintSurface();
}

void VideoGrid::wheelEvent(QWheelEvent* event) {
    const GridScene::Placed* placed = placedAt(event->position());
    if (placed == nullptr || placed->picture.width == 0 || event->angleDelta().y() == 0) return;
    zoomAbout(placeIn(m_scene, placed->picture, devicePixel(event->position())),
              std::pow(1 / 0.85, event->angleDelta().y() / 120.0));
    event->accept();
}

}  // namespace reelgrid::widgets
