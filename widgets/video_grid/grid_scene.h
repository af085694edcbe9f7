#pragma once

#include <QColor>
#include <QRectF>
#include <QSize>
#include <QString>
#include <vector>

#include "core/media/frame.h"
#include "widgets/video_grid/grid_layout.h"

namespace reelgrid::widgets {

/// What a tile says about itself; its picture comes with each composition.
struct GridTile {
    QString label;   ///< e.g. the backend's name
    QString detail;  ///< beside the label, quieter: "12.3 s · denoise 1.40×"
    QColor accent;
    QString message;       ///< in place of a picture: an error, or what is being waited for
    double progress = -1;  ///< 0 to 1 draws a bar below the message
    bool isError = false;
};

/// A tile's part of one composition.
struct TilePicture {
    media::FramePtr frame;
    QString note;     ///< bottom right: the frame number
    QString message;  ///< why there is no frame; empty: what the tile itself says
    bool isError = false;
};

enum class PixelScaling { Smooth, Sharp };

/// All that a surface draws. Owned by VideoGrid, read by the surface when it paints; GUI thread only.
struct GridScene {
    struct Tile {
        GridTile what;
        TilePicture picture;
        [[nodiscard]] const QString& message() const {
            return picture.message.isEmpty() ? what.message : picture.message;
        }
    };
    std::vector<Tile> tiles;
    int columns = 0;          ///< 0: as many as make the grid square
    int solo = -1;            ///< index of the only tile on show, or -1
    int selected = -1;        ///< index of the outlined tile, or -1
    QRectF view{0, 0, 1, 1};  ///< the part of every picture on show, in fractions of it
    PixelScaling scaling = PixelScaling::Smooth;

    struct Placed {
        int tile = 0;
        PixelRect cell;
        PixelRect picture;  ///< empty without a frame
    };
    /// Where the tiles on show are, in a surface of `size` pixels.
    [[nodiscard]] std::vector<Placed> place(const QSize& size, double pixelRatio) const;
};

namespace grid_colors {
inline const QColor kBackground(0x0d, 0x0f, 0x12);
inline const QColor kCell(0x16, 0x19, 0x1f);
inline const QColor kProgressTrack(0x2a, 0x30, 0x3a);
}  // namespace grid_colors

}  // namespace reelgrid::widgets
