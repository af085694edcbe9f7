#include "widgets/video_grid/grid_scene.h"

#include <algorithm>
#include <cmath>

#include "widgets/video_grid/wipe_geometry.h"

namespace reelgrid::widgets {

using session::MagnifiedPixels;
using session::ViewMode;

namespace {

constexpr double kGap = 4;                // logical pixels between cells
constexpr double kUsualShape = 16.0 / 9;  // until the first picture is there

}  // namespace

bool GridScene::hasFrame(int tile) const {
    return tile >= 0 && tile < int(tiles.size()) && tiles[std::size_t(tile)].picture.frame != nullptr;
}

int GridScene::reference() const {
    const int count = int(tiles.size());
    if (look.reference >= 0 && look.reference < count) return look.reference;
    for (int tile = 0; tile < count; ++tile)
        if (tiles[std::size_t(tile)].what.isReference) return tile;
    return count > 0 ? 0 : -1;
}

int GridScene::other() const {
    const int count = int(tiles.size());
    const int held = reference();
    if (look.other >= 0 && look.other < count && look.other != held) return look.other;
    if (selected >= 0 && selected < count && selected != held) return selected;
    for (int tile = 0; tile < count; ++tile)
        if (tile != held) return tile;
    return -1;
}

QRectF GridScene::view() const {
    return {look.zoom.x, look.zoom.y, look.zoom.size, look.zoom.size};
}

std::vector<GridScene::Placed> GridScene::place(const QSize& size, double pixelRatio) const {
    const bool two =
        look.mode == ViewMode::Wipe || look.mode == ViewMode::OnionSkin || look.mode == ViewMode::Flicker;
    return two && other() >= 0 ? placeTwo(size) : placeCells(size, pixelRatio);
}

int GridScene::columns(const QSize& size, double pixelRatio) const {
    const int count = int(tiles.size());
    if (look.columns > 0) return std::clamp(look.columns, 1, std::max(1, count));
    double shape = kUsualShape;
    for (const Tile& tile : tiles)
        if (const auto& frame = tile.picture.frame) {
            shape = double(frame->width) / frame->height;
            break;
        }
    return fillingColumns(count, size.width(), size.height(), int(std::lround(kGap * pixelRatio)), shape);
}

std::vector<GridScene::Placed> GridScene::placeCells(const QSize& size, double pixelRatio) const {
    const bool alone = look.solo >= 0 && look.solo < int(tiles.size());
    const int count = alone ? 1 : int(tiles.size());
    const int gap = int(std::lround(kGap * pixelRatio));
    const auto cells =
        gridCells(count, size.width(), size.height(), gap, alone ? 1 : columns(size, pixelRatio));
    const int held = look.mode == ViewMode::Difference ? reference() : -1;
    std::vector<Placed> placed;
    for (int i = 0; i < count; ++i) {
        Placed tile;
        tile.tile = alone ? look.solo : i;
        tile.cell = cells[std::size_t(i)];
        if (const auto& frame = tiles[std::size_t(tile.tile)].picture.frame)
            tile.picture = letterbox(tile.cell, frame->width, frame->height);
        if (held != tile.tile && hasFrame(held) && hasFrame(tile.tile)) tile.against = held;
        placed.push_back(tile);
    }
    return placed;
}

/// The reference and the other one over each other, both in the reference's shape.
std::vector<GridScene::Placed> GridScene::placeTwo(const QSize& size) const {
    Placed under;
    Placed over;
    under.tile = reference();
    over.tile = other();
    under.cell = over.cell = {0, 0, size.width(), size.height()};
    const int shaped = hasFrame(under.tile) ? under.tile : over.tile;
    if (!hasFrame(shaped)) return {under};
    const media::FramePtr& frame = tiles[std::size_t(shaped)].picture.frame;
    const PixelRect area = letterbox(under.cell, frame->width, frame->height);
    if (hasFrame(under.tile)) under.picture = area;
    if (hasFrame(over.tile)) over.picture = area;
    // Where one has no picture, what it says instead stands alone.
    if (!hasFrame(under.tile)) return {under};
    if (!hasFrame(over.tile)) return {over};
    if (look.mode == ViewMode::Flicker) return {flickerShowsOther ? over : under};
    over.label = Corner::TopRight;
    over.drawing = Drawing::Blended;
    if (look.mode == ViewMode::Wipe) {
        const WipeGeometry wipe(look.wipe, area);
        over.drawing = Drawing::BeyondWipe;
        under.label = wipe.cornerOf(WipeGeometry::Side::Reference);
        over.label = wipe.cornerOf(WipeGeometry::Side::Other);
    }
    return {under, over};
}

bool GridScene::outlinesSelected() const {
    return look.mode == ViewMode::Grid || look.mode == ViewMode::Difference;
}

bool GridScene::nearest(const Placed& placed) const {
    if (look.magnified == MagnifiedPixels::Smooth || !hasFrame(placed.tile)) return false;
    const media::YuvFrame& frame = *tiles[std::size_t(placed.tile)].picture.frame;
    return placed.picture.width > frame.width * look.zoom.size * (1 + 1e-9);
}

}  // namespace reelgrid::widgets
