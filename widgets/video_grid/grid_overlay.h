#pragma once

#include <QImage>
#include <QPoint>
#include <QString>
#include <functional>
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
    const QImage& kept(const QString& key, const std::function<QImage()>& draw);
    void addTexts(const GridScene& scene, const GridScene::Placed& place, double pixelRatio,
                  std::vector<OverlayItem>& out);
    void addMark(const GridScene& scene, const GridScene::Placed& place, double pixelRatio,
                 std::vector<OverlayItem>& out);

    std::map<QString, QImage> m_drawn;
};

/// What a tile says of the pixel under the pointer: place and 8-bit RGB codes, and how they differ from the
/// reference's.
struct PixelValues {
    QString text;
    QString difference;  ///< empty for the reference itself
};
PixelValues pixelValues(const GridScene& scene, int tile);

/// Where a tile's progress bar is, below its message.
PixelRect progressTrack(const PixelRect& cell, double pixelRatio);

}  // namespace reelgrid::widgets
