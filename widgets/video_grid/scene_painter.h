#pragma once

#include <QImage>
#include <vector>

#include "core/media/frame.h"
#include "widgets/video_grid/grid_overlay.h"
#include "widgets/video_grid/grid_scene.h"

class QPainter;

namespace reelgrid::widgets {

/// Draws a scene with QPainter, at device pixels: in a window without OpenGL, and into files. One thread at a
/// time; any may be it.
class ScenePainter {
  public:
    void draw(const GridScene& scene, QPainter& painter, const QSize& pixels, double pixelRatio);

  private:
    struct Shown {
        media::FramePtr frame;
        QImage image;
    };
    struct Difference {
        media::FramePtr frame;
        media::FramePtr against;
        session::DifferenceKind kind{};
        double gain = 0;
        QImage image;
    };
    const QImage& imageOf(const GridScene& scene, int tile);
    const QImage& imageOf(const GridScene& scene, const GridScene::Placed& place);
    void drawPicture(const GridScene& scene, const GridScene::Placed& place, QPainter& painter,
                     double pixelRatio);
    void drawEmpty(const GridScene::Tile& tile, const PixelRect& cell, QPainter& painter, double pixelRatio);

    GridOverlay m_overlay;
    // One a tile, kept while its frame is on show.
    std::vector<Shown> m_shown;
    std::vector<Difference> m_differences;
};

}  // namespace reelgrid::widgets
