#pragma once

namespace reelgrid::widgets {
class Player;
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class Actions;
class Shuttle;

/// What the actions of the Play menu do to the playhead.
void connectPlayActions(Actions& actions, widgets::Player& player, Shuttle& shuttle);
/// What those about tiles do to the grid.
void connectTileActions(Actions& actions, widgets::VideoGrid& grid);

}  // namespace reelgrid::studio
