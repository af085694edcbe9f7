#pragma once

#include <QImage>
#include <map>
#include <vector>

#include "core/media/frame.h"
#include "widgets/video_grid/grid_overlay.h"
#include "widgets/video_grid/grid_scene.h"

class QPainter;

namespace reelgrid::widgets {

/// Draws a scene with QPainter, at device pixels: in a window whose machine has no graphics processor, and
/// into files. One thread at a time; any may be it.
class ScenePainter {
  public:
    void draw(const GridScene& scene, QPainter& painter, const QSize& pixels, double pixelRatio);

  private:
    /// A tile's picture at one size; the same one is shown and held against others.
    struct Key {
        int tile = 0, width = 0, height = 0;
        bool squares = false;
        auto operator<=>(const Key&) const = default;
    };
    struct Shown {
        media::FramePtr frame;
        QRectF view;
        QImage image;
        bool used = false;
    };
    struct Difference {
        media::FramePtr frame, against;
        QRectF view;
        QSize size;
        session::DifferenceKind kind{};
        double gain = 0;
        QImage image;
    };
    [[nodiscard]] static Key keyOf(const GridScene& scene, const GridScene::Placed& place, int tile);
    void drawNewPictures(const GridScene& scene, const std::vector<GridScene::Placed>& placed);
    const QImage& imageOf(const GridScene& scene, const GridScene::Placed& place);
    void drawPicture(const GridScene& scene, const GridScene::Placed& place, QPainter& painter,
                     double pixelRatio);
    void drawEmpty(const GridScene::Tile& tile, const PixelRect& cell, QPainter& painter, double pixelRatio);

    GridOverlay m_overlay;
    std::map<Key, Shown> m_shown;           // what the last picture was made of
    std::vector<Difference> m_differences;  // one a tile
};

}  // namespace reelgrid::widgets
