#include "app/studio/playback_actions.h"

#include <algorithm>
#include <optional>

#include "app/studio/actions.h"
#include "app/studio/shuttle.h"
#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

namespace {

using widgets::LoopMode;
using widgets::Player;

constexpr double kSpeedStep = 1.1;
constexpr double kJumpSeconds = 1.0;
constexpr int kJumpFrames = 10;

enum class RangeEnd { In, Out };

/// The other end stays where it is, unless the playhead passed it: then it is that end of the comparison.
void markRange(Player& player, RangeEnd end) {
    const widgets::PlaybackClock& clock = player.clock();
    const widgets::Timeline& timeline = clock.timeline();
    if (timeline.empty()) return;
    const int here = timeline.stopAt(player.composition().seconds);
    const bool ranged = clock.loop() == LoopMode::Range;
    int first = ranged ? clock.loopFirstStop() : 0;
    int last = ranged ? clock.loopLastStop() : timeline.stopCount() - 1;
    if (end == RangeEnd::In) {
        first = here;
        if (last < first) last = timeline.stopCount() - 1;
    } else {
        last = here;
        if (first > last) first = 0;
    }
    player.setRange(timeline.stop(first), timeline.stop(last));
}

void moveSelection(widgets::VideoGrid& grid, int by) {
    const int count = grid.tileCount();
    if (count == 0) return;
    const int from = grid.selected() >= 0 ? grid.selected() : (by > 0 ? -1 : count);
    grid.select((from + by + count) % count);
}

}  // namespace

void connectPlayActions(Actions& actions, Player& player, Shuttle& shuttle) {
    const auto seekBy = [&player](double seconds) { player.seek(player.composition().seconds + seconds); };
    const auto speedUp = [&player](double factor) { player.setSpeed(player.clock().speed() * factor); };
    actions.onTriggered("play", [&] {
        if (shuttle.isRunning())
            shuttle.stop();
        else
            player.togglePlay();
    });
    actions.onTriggered("play-backwards", [&] { shuttle.backwards(); });
    actions.onTriggered("pause", [&] { shuttle.stop(); });
    actions.onTriggered("play-forwards", [&] { shuttle.forwards(); });
    const auto stepBy = [&](const char* id, int frames) {
        actions.onTriggered(id, [&player, &shuttle, frames] {
            shuttle.stop();
            player.step(frames);
        });
    };
    stepBy("frame-on", 1);
    stepBy("frame-back", -1);
    stepBy("ten-on", kJumpFrames);
    stepBy("ten-back", -kJumpFrames);
    actions.onTriggered("second-on", [=] { seekBy(kJumpSeconds); });
    actions.onTriggered("second-back", [=] { seekBy(-kJumpSeconds); });
    actions.onTriggered("first-frame", [&player] { player.seekToStop(0); });
    actions.onTriggered("last-frame",
                        [&player] { player.seekToStop(player.clock().timeline().stopCount() - 1); });
    actions.onTriggered("mark-in", [&player] { markRange(player, RangeEnd::In); });
    actions.onTriggered("mark-out", [&player] { markRange(player, RangeEnd::Out); });
    actions.onTriggered("clear-range", [&player] {
        if (player.clock().loop() == LoopMode::Range) player.setLoop(LoopMode::Whole);
    });
    actions.onTriggered("loop", [&player] {
        player.setLoop(player.clock().loop() == LoopMode::Off ? LoopMode::Whole : LoopMode::Off);
    });
    actions.onTriggered("slower", [=] { speedUp(1 / kSpeedStep); });
    actions.onTriggered("faster", [=] { speedUp(kSpeedStep); });
    actions.onTriggered("normal-speed", [&player] { player.setSpeed(1); });
    QAction* loop = actions["loop"];
    const auto showLoop = [loop, &player] { loop->setChecked(player.clock().loop() != LoopMode::Off); };
    QObject::connect(&player, &Player::stateChanged, &actions, showLoop);
    showLoop();
}

void connectTileActions(Actions& actions, widgets::VideoGrid& grid) {
    actions.onTriggered("next-tile", [&grid] { moveSelection(grid, 1); });
    actions.onTriggered("previous-tile", [&grid] { moveSelection(grid, -1); });
    for (int tile = 0; tile < 9; ++tile) {
        const std::string id = "tile-" + std::to_string(tile + 1);
        actions.onTriggered(id.c_str(), [&grid, tile] {
            if (tile < grid.tileCount()) grid.showAlone(grid.solo() == tile ? -1 : tile);
        });
    }
}

}  // namespace reelgrid::studio
