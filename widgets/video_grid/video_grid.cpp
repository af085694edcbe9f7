#include "widgets/video_grid/video_grid.h"

#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace reelgrid::widgets {

namespace {
constexpr double kMostZoom = 32;
}  // namespace

VideoGrid::VideoGrid(SurfaceKind kind, QWidget* parent)
    : QWidget(parent), m_surface(makeSurface(kind, &m_scene, this)) {
    setMinimumSize(240, 160);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Video grid"));
}

void VideoGrid::setTiles(std::vector<GridTile> tiles) {
    m_scene.tiles.resize(tiles.size());
    for (std::size_t i = 0; i < tiles.size(); ++i) m_scene.tiles[i].what = std::move(tiles[i]);
    if (m_scene.selected >= tileCount()) select(-1);
    if (m_scene.solo >= tileCount()) showAlone(-1);
    repaintSurface();
}

void VideoGrid::present(std::vector<TilePicture> pictures) {
    pictures.resize(m_scene.tiles.size());
    for (std::size_t i = 0; i < pictures.size(); ++i) m_scene.tiles[i].picture = std::move(pictures[i]);
    repaintSurface();
}

void VideoGrid::select(int tile) {
    if (tile == m_scene.selected) return;
    m_scene.selected = tile < tileCount() ? tile : -1;
    repaintSurface();
}

void VideoGrid::showAlone(int tile) {
    if (tile == m_scene.solo) return;
    m_scene.solo = tile < tileCount() ? tile : -1;
    repaintSurface();
}

void VideoGrid::setColumns(int columns) {
    m_scene.columns = columns;
    repaintSurface();
}

void VideoGrid::resetZoom() {
    setView({0, 0, 1, 1});
}

void VideoGrid::setScaling(PixelScaling scaling) {
    m_scene.scaling = scaling;
    repaintSurface();
}

void VideoGrid::setView(const QRectF& view) {
    const double size = std::clamp(view.width(), 1 / kMostZoom, 1.0);
    m_scene.view = {std::clamp(view.x(), 0.0, 1 - size), std::clamp(view.y(), 0.0, 1 - size), size, size};
    repaintSurface();
}

void VideoGrid::resizeEvent(QResizeEvent*) {
    m_surface->widget()->setGeometry(rect());
}

const GridScene::Placed* VideoGrid::tileAt(const QPointF& at) {
    const double ratio = devicePixelRatioF();
    m_placed = m_scene.place(size() * ratio, ratio);
    const auto found = std::ranges::find_if(m_placed, [&](const GridScene::Placed& placed) {
        return placed.cell.contains(int(at.x() * ratio), int(at.y() * ratio));
    });
    return found == m_placed.end() ? nullptr : &*found;
}

void VideoGrid::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton) return;
    const GridScene::Placed* placed = tileAt(event->position());
    select(placed == nullptr ? -1 : placed->tile);
    m_dragFrom = event->position();
    m_dragView = m_scene.view;
    m_dragPicture = placed == nullptr ? PixelRect{} : placed->picture;
}

void VideoGrid::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton) || m_dragPicture.width == 0) return;
    const QPointF moved = (event->position() - m_dragFrom) * devicePixelRatioF();
    setView(m_dragView.translated(-moved.x() / m_dragPicture.width * m_dragView.width(),
                                  -moved.y() / m_dragPicture.height * m_dragView.height()));
}

void VideoGrid::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const GridScene::Placed* placed = tileAt(event->position());
    showAlone(m_scene.solo >= 0 || placed == nullptr ? -1 : placed->tile);
}

void VideoGrid::wheelEvent(QWheelEvent* event) {
    const GridScene::Placed* placed = tileAt(event->position());
    if (placed == nullptr || placed->picture.width == 0 || event->angleDelta().y() == 0) return;
    const PixelRect& picture = placed->picture;
    const double ratio = devicePixelRatioF();
    const double x = std::clamp((event->position().x() * ratio - picture.x) / picture.width, 0.0, 1.0);
    const double y = std::clamp((event->position().y() * ratio - picture.y) / picture.height, 0.0, 1.0);
    const QRectF& view = m_scene.view;
    const double size =
        std::clamp(view.width() * std::pow(0.85, event->angleDelta().y() / 120.0), 1 / kMostZoom, 1.0);
    // What is under the pointer stays there.
    setView({view.x() + x * (view.width() - size), view.y() + y * (view.height() - size), size, size});
    event->accept();
}

}  // namespace reelgrid::widgets
