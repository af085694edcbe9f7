#pragma once

#include <QWidget>
#include <vector>

#include "core/media/frame.h"
#include "widgets/video_grid/grid_overlay.h"
#include "widgets/video_grid/grid_surface.h"

namespace reelgrid::widgets {

/// The grid drawn with QPainter, for platforms without OpenGL.
class RasterSurface final : public QWidget, public GridSurface {
  public:
    explicit RasterSurface(const GridScene* scene, QWidget* parent = nullptr);

    QWidget* widget() override { return this; }
    QImage grabPicture() override;
    const char* name() const override { return "raster"; }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    struct Converted {
        media::FramePtr frame;
        QImage image;
    };
    void draw(QPainter& painter);

    const GridScene* m_scene;
    GridOverlay m_overlay;
    std::vector<Converted> m_converted;  // one a tile, kept while its frame is on show
};

}  // namespace reelgrid::widgets
