#pragma once

#include <QPoint>
#include <QWidget>
#include <vector>

#include "widgets/video_grid/grid_scene.h"
#include "widgets/video_grid/grid_surface.h"

namespace reelgrid::widgets {

/// The labelled grid. A click selects a tile, a double click shows it alone and again all of them; the wheel
/// zooms all pictures at the same place, dragging moves them together. GUI thread.
class VideoGrid : public QWidget {
    Q_OBJECT

  public:
    explicit VideoGrid(SurfaceKind kind, QWidget* parent = nullptr);

    /// What the tiles say; pictures of tiles that stay are kept.
    void setTiles(std::vector<GridTile> tiles);
    /// The pictures of all tiles at one time.
    void present(std::vector<TilePicture> pictures);

    [[nodiscard]] int tileCount() const { return int(m_scene.tiles.size()); }
    [[nodiscard]] int selected() const { return m_scene.selected; }
    [[nodiscard]] int solo() const { return m_scene.solo; }
    void select(int tile);
    void showAlone(int tile);      ///< -1: all
    void setColumns(int columns);  ///< 0: as many as make the grid square
    void resetZoom();
    void setScaling(PixelScaling scaling);
    [[nodiscard]] PixelScaling scaling() const { return m_scene.scaling; }
    /// All tiles as they are on screen, labels included.
    [[nodiscard]] QImage snapshot() { return m_surface->grabPicture(); }
    [[nodiscard]] const char* surfaceName() const { return m_surface->name(); }
    [[nodiscard]] const GridScene& scene() const { return m_scene; }

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    [[nodiscard]] const GridScene::Placed* tileAt(const QPointF& at);
    void setView(const QRectF& view);
    void repaintSurface() { m_surface->widget()->update(); }

    GridScene m_scene;
    GridSurface* m_surface;
    std::vector<GridScene::Placed> m_placed;
    QPointF m_dragFrom;
    QRectF m_dragView;
    PixelRect m_dragPicture;
};

}  // namespace reelgrid::widgets
