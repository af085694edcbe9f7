#include "widgets/video_grid/video_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelgrid::widgets {

using session::ViewMode;

namespace {
constexpr double kMostZoom = 64;
}  // namespace

VideoGrid::VideoGrid(SurfaceKind kind, QWidget* parent)
    : QWidget(parent), m_surface(makeSurface(kind, &m_scene, this)) {
    setMinimumSize(240, 160);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Video grid"));
    setMouseTracking(true);
    m_surface->widget()->setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(&m_flicker, &QTimer::timeout, this, [this] {
        m_scene.flickerShowsOther = !m_scene.flickerShowsOther;
        repaintSurface();
    });
}

namespace {

bool known(const std::vector<GridTile>& tiles) {
    return std::ranges::all_of(tiles, [](const GridTile& tile) { return tile.id >= 0; });
}

}  // namespace

/// What was chosen by a tile's number is then chosen by its new one.
void VideoGrid::followTiles(const std::vector<GridTile>& next) {
    const std::vector<GridScene::Tile> before = m_scene.tiles;
    const bool everyIdKnown = known(next) && std::ranges::all_of(before, [](const GridScene::Tile& tile) {
                                  return tile.what.id >= 0;
                              });
    const auto place = [&](int tile) {
        if (tile < 0 || tile >= int(before.size())) return tile;
        if (!everyIdKnown) return tile < int(next.size()) ? tile : -1;
        const auto found = std::ranges::find(next, before[std::size_t(tile)].what.id, &GridTile::id);
        return found == next.end() ? -1 : int(found - next.begin());
    };
    session::ViewState look = m_scene.look;
    look.solo = place(look.solo);
    look.reference = place(look.reference);
    look.other = place(look.other);
    look.offsets.assign(next.size(), {});
    std::vector<GridScene::Tile> tiles(next.size());
    for (int tile = 0; tile < int(before.size()); ++tile) {
        const int now = place(tile);
        if (now < 0 || now >= int(next.size())) continue;
        tiles[std::size_t(now)] = before[std::size_t(tile)];
        if (tile < int(m_scene.look.offsets.size()))
            look.offsets[std::size_t(now)] = m_scene.look.offsets[std::size_t(tile)];
    }
    // Offsets of tiles that are still to come, as a session names them, stay.
    for (std::size_t tile = next.size(); tile < m_scene.look.offsets.size() && before.size() <= next.size();
         ++tile)
        look.offsets.push_back(m_scene.look.offsets[tile]);
    while (!look.offsets.empty() && look.offsets.back() == session::ClipOffset{}) look.offsets.pop_back();
    m_scene.tiles = std::move(tiles);
    select(place(m_scene.selected));
    setLook(look);
}

void VideoGrid::setTiles(std::vector<GridTile> tiles) {
    followTiles(tiles);
    for (std::size_t i = 0; i < tiles.size(); ++i) m_scene.tiles[i].what = std::move(tiles[i]);
    if (m_scene.selected >= tileCount()) select(-1);
    repaintSurface();
    Q_EMIT tilesChanged();
}

void VideoGrid::present(std::vector<TilePicture> pictures) {
    pictures.resize(m_scene.tiles.size());
    for (std::size_t i = 0; i < pictures.size(); ++i) m_scene.tiles[i].picture = std::move(pictures[i]);
    repaintSurface();
}

void VideoGrid::setLook(const session::ViewState& look) {
    if (look == m_scene.look) return;
    m_scene.look = look;
    runFlicker();
    repaintSurface();
    Q_EMIT lookChanged();
}

void VideoGrid::runFlicker() {
    if (m_scene.look.mode != ViewMode::Flicker) {
        m_flicker.stop();
        m_scene.flickerShowsOther = false;
        return;
    }
    const int interval = std::max(1, int(std::lround(1000 / m_scene.look.flickerHz)));
    if (!m_flicker.isActive() || m_flicker.interval() != interval) m_flicker.start(interval);
}

void VideoGrid::select(int tile) {
    if (tile >= tileCount()) tile = -1;
    if (tile == m_scene.selected) return;
    m_scene.selected = tile;
    repaintSurface();
    Q_EMIT selectionChanged();
}

void VideoGrid::showAlone(int tile) {
    session::ViewState look = m_scene.look;
    look.solo = tile < tileCount() ? tile : -1;
    setLook(look);
}

void VideoGrid::setColumns(int columns) {
    session::ViewState look = m_scene.look;
    look.columns = columns;
    setLook(look);
}

void VideoGrid::setMagnified(session::MagnifiedPixels magnified) {
    session::ViewState look = m_scene.look;
    look.magnified = magnified;
    setLook(look);
}

void VideoGrid::resetZoom() {
    setZoom({});
}

void VideoGrid::setZoom(const session::ZoomedPart& zoom) {
    session::ViewState look = m_scene.look;
    const double size = std::clamp(zoom.size, 1 / kMostZoom, 1.0);
    look.zoom = {std::clamp(zoom.x, 0.0, 1 - size), std::clamp(zoom.y, 0.0, 1 - size), size};
    setLook(look);
}

void VideoGrid::zoomAbout(const QPointF& place, double factor) {
    const session::ZoomedPart& zoom = m_scene.look.zoom;
    const double size = std::clamp(zoom.size / factor, 1 / kMostZoom, 1.0);
    // What is at that place stays there.
    const double kept = size / zoom.size;
    setZoom({place.x() - (place.x() - zoom.x) * kept, place.y() - (place.y() - zoom.y) * kept, size});
}

void VideoGrid::resizeEvent(QResizeEvent*) {
    m_surface->widget()->setGeometry(rect());
}

}  // namespace reelgrid::widgets
