#pragma once

#include <QWidget>

#include "widgets/video_grid/grid_surface.h"
#include "widgets/video_grid/scene_painter.h"

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
    const GridScene* m_scene;
    ScenePainter m_painter;
};

}  // namespace reelgrid::widgets
