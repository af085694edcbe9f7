#pragma once

#include <QPoint>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "widgets/video_grid/grid_scene.h"
#include "widgets/video_grid/grid_surface.h"
#include "widgets/video_grid/wipe_geometry.h"

namespace reelgrid::widgets {

/// The labelled grid, and the other ways to look at its pictures. A click selects a tile, a double click
/// shows it alone and again all of them; the wheel zooms all pictures at the same place. Dragging moves
/// zoomed pictures together, whole ones to another place in the grid (with Ctrl always that); in a wipe it
/// moves the line, or turns it by a handle. GUI thread.
class VideoGrid : public QWidget {
    Q_OBJECT

  public:
    explicit VideoGrid(SurfaceKind kind, QWidget* parent = nullptr);

    /// What the tiles say. Pictures of tiles that stay are kept, and what is chosen of a tile goes with it.
    void setTiles(std::vector<GridTile> tiles);
    /// The pictures of all tiles at one time.
    void present(std::vector<TilePicture> pictures);

    /// How all of it is looked at; what the value says about playing is kept, but means nothing here.
    [[nodiscard]] const session::ViewState& look() const { return m_scene.look; }
    void setLook(const session::ViewState& look);

    [[nodiscard]] int tileCount() const { return int(m_scene.tiles.size()); }
    [[nodiscard]] int selected() const { return m_scene.selected; }
    [[nodiscard]] int solo() const { return m_scene.look.solo; }
    void select(int tile);
    void showAlone(int tile);      ///< -1: all
    void setColumns(int columns);  ///< 0: as many as show the pictures largest
    void setMagnified(session::MagnifiedPixels magnified);
    void resetZoom();
    /// Zooms by a factor about a place in fractions of the pictures.
    void zoomAbout(const QPointF& place, double factor);
    /// All tiles as they are on screen, labels included.
    [[nodiscard]] QImage snapshot() { return m_surface->grabPicture(); }
    [[nodiscard]] const char* surfaceName() const { return m_surface->name(); }
    [[nodiscard]] const GridScene& scene() const { return m_scene; }

  Q_SIGNALS:
    void lookChanged();
    void selectionChanged();
    void tilesChanged();
    /// A tile was dragged to another's place. Whoever knows the order changes it.
    void tileDragged(int from, int to);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    enum class Drag { None, Pressed, Pan, Tile, WipeLine, WipeFirstHandle, WipeSecondHandle };

    [[nodiscard]] const GridScene::Placed* placedAt(const QPointF& at);
    [[nodiscard]] WipeGeometry::Grip gripAt(const QPointF& at);
    [[nodiscard]] QPointF devicePixel(const QPointF& at) const { return at * devicePixelRatioF(); }
    void beginDrag(const QMouseEvent& event);
    void dragTo(const QMouseEvent& event);
    void dragWipe(const QPointF& at);
    void probeAt(const QPointF& at);
    void setZoom(const session::ZoomedPart& zoom);
    void followTiles(const std::vector<GridTile>& next);
    void runFlicker();
    void repaintSurface() { m_surface->widget()->update(); }

    GridScene m_scene;
    GridSurface* m_surface;
    QTimer m_flicker;
    std::vector<GridScene::Placed> m_placed;
    Drag m_drag = Drag::None;
    QPointF m_dragFrom;
    session::ZoomedPart m_dragZoom;
    GridScene::Placed m_dragged;
};

}  // namespace reelgrid::widgets
