#pragma once

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QSize>
#include <QString>
#include <optional>
#include <vector>

#include "core/media/frame.h"
#include "core/session/view_state.h"
#include "widgets/video_grid/grid_layout.h"

namespace reelgrid::widgets {

/// What a tile says about itself; its picture comes with each composition.
struct GridTile {
    int id = -1;    ///< by which it is known again when others come, go or change places; -1: by its number
    QString label;  ///< e.g. the backend's name
    /// Beside the label, quieter: "12.3 s · denoise 1.40×". Where there is no room for it the next of its
    /// lines that has room, if any.
    QString detail;
    QString origin;  ///< below the label, shortened to its room: what made a clip of another program
    QColor accent;
    QString message;       ///< in place of a picture: an error, or what is being waited for
    double progress = -1;  ///< 0 to 1 draws a bar below the message
    bool isError = false;
    bool isReference = false;  ///< the one that the others are held against unless another is chosen
};

/// A tile's part of one composition.
struct TilePicture {
    media::FramePtr frame;
    QString note;     ///< bottom right: the frame number
    QString message;  ///< why there is no frame; empty: what the tile itself says
    bool isError = false;
};

/// All that a surface draws. Owned by VideoGrid, read by the surface when it paints.
struct GridScene {
    struct Tile {
        GridTile what;
        TilePicture picture;
        [[nodiscard]] const QString& message() const {
            return picture.message.isEmpty() ? what.message : picture.message;
        }
    };
    std::vector<Tile> tiles;
    session::ViewState look;  ///< its part about playing is not read here
    int selected = -1;        ///< index of the outlined tile, or -1
    bool flickerShowsOther = false;
    std::optional<QPointF> probe;  ///< the place under the pointer, in fractions of every picture
    int dropTarget = -1;           ///< the tile whose place a dragged one would take, or -1

    /// Which tiles are held against each other; -1 where there are too few.
    [[nodiscard]] int reference() const;
    [[nodiscard]] int other() const;
    /// The part of every picture on show, in fractions of it.
    [[nodiscard]] QRectF view() const;

    /// How a placed picture is drawn: as it is, only on the wipe's far side, or blended over what is there.
    enum class Drawing { Whole, BeyondWipe, Blended };
    struct Placed {
        int tile = 0;
        PixelRect cell;
        PixelRect picture;  ///< empty without a frame
        Drawing drawing = Drawing::Whole;
        int against = -1;  ///< the tile whose difference is shown, or -1
        Corner label = Corner::TopLeft;
    };
    /// Where the tiles on show are, in a surface of `size` pixels, in drawing order.
    [[nodiscard]] std::vector<Placed> place(const QSize& size, double pixelRatio) const;
    /// Of the grid in a window of this size: the look's, or those that show the pictures largest.
    [[nodiscard]] int columns(const QSize& size, double pixelRatio) const;
    /// Whether the selected tile is told apart: it is where there are several.
    [[nodiscard]] bool outlinesSelected() const;
    /// Whether a picture placed so shows its pixels as squares.
    [[nodiscard]] bool nearest(const Placed& placed) const;

  private:
    [[nodiscard]] std::vector<Placed> placeCells(const QSize& size, double pixelRatio) const;
    [[nodiscard]] std::vector<Placed> placeTwo(const QSize& size) const;
    [[nodiscard]] bool hasFrame(int tile) const;
};

namespace grid_colors {
inline const QColor kBackground(0x0d, 0x0f, 0x12);
inline const QColor kCell(0x16, 0x19, 0x1f);
inline const QColor kProgressTrack(0x2a, 0x30, 0x3a);
inline const QColor kDropTarget(0xf2, 0xf4, 0xf8);
inline const QColor kWipeLine(0xff, 0xff, 0xff);
}  // namespace grid_colors

/// Of the wipe's line, in logical pixels.
inline constexpr double kWipeLineWidth = 2;

}  // namespace reelgrid::widgets
