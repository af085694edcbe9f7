#include "app/studio/shown_view.h"

#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

using session::LoopKind;
using session::MagnifiedPixels;
using widgets::LoopMode;
using widgets::PixelScaling;

session::ViewState viewOf(const widgets::Player& player, const widgets::VideoGrid& grid) {
    session::ViewState view;
    view.solo = grid.solo();
    view.columns = grid.scene().columns;
    view.magnified =
        grid.scaling() == PixelScaling::Sharp ? MagnifiedPixels::Nearest : MagnifiedPixels::Smooth;
    const widgets::PlaybackClock& clock = player.clock();
    view.speed = clock.speed();
    view.loop = clock.loop() == LoopMode::Off ? LoopKind::Off : LoopKind::Whole;
    if (clock.loop() == LoopMode::Range && !clock.timeline().empty()) {
        view.loop = LoopKind::Range;
        view.range = {clock.timeline().stop(clock.loopFirstStop()),
                      clock.timeline().stop(clock.loopLastStop())};
    }
    return view;
}

void showView(const session::ViewState& view, widgets::Player& player, widgets::VideoGrid& grid) {
    grid.setColumns(view.columns);
    grid.showAlone(view.solo);
    grid.setScaling(view.magnified == MagnifiedPixels::Nearest ? PixelScaling::Sharp : PixelScaling::Smooth);
    player.setSpeed(view.speed);
    if (view.range && view.loop == LoopKind::Range)
        player.setRange(view.range->inSeconds, view.range->outSeconds);
    else
        player.setLoop(view.loop == LoopKind::Off ? LoopMode::Off : LoopMode::Whole);
}

}  // namespace reelgrid::studio
