#pragma once

#include <QImage>
#include <QPoint>
#include <QString>
#include <map>
#include <vector>

#include "widgets/video_grid/grid_scene.h"

namespace reelgrid::widgets {

/// A small picture of text to be drawn over the grid, at device pixels.
struct OverlayItem {
    QPoint at;
    QImage image;  ///< premultiplied ARGB
};

/// Labels, frame numbers and messages as pictures, drawn once and kept while they say the same.
class GridOverlay {
  public:
    /// For tiles as placed by GridScene::place().
    std::vector<OverlayItem> items(const GridScene& scene, const std::vector<GridScene::Placed>& placed,
                                   double pixelRatio);

  private:
    QImage pill(const QString& text, const QString& detail, const QColor& accent, int maxWidth,
                double pixelRatio);
    QImage message(const QString& text, bool isError, int maxWidth, double pixelRatio);

    std::map<QString, QImage> m_drawn;
};

/// Where a tile's progress bar is, below its message.
PixelRect progressTrack(const PixelRect& cell, double pixelRatio);

}  // namespace reelgrid::widgets
