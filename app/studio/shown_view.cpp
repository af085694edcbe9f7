#include "app/studio/shown_view.h"

#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

using session::LoopKind;
using widgets::LoopMode;

session::ViewState viewOf(const widgets::Player& player, const widgets::VideoGrid& grid) {
    session::ViewState view = grid.look();
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
    grid.setLook(view);
    player.setSpeed(view.speed);
    if (view.range && view.loop == LoopKind::Range)
        player.setRange(view.range->inSeconds, view.range->outSeconds);
    else
        player.setLoop(view.loop == LoopKind::Off ? LoopMode::Off : LoopMode::Whole);
}

}  // namespace reelgrid::studio
