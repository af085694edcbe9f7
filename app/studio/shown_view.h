#pragma once

#include "core/session/view_state.h"

namespace reelgrid::widgets {
class Player;
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// How the clips are looked at and played now.
session::ViewState viewOf(const widgets::Player& player, const widgets::VideoGrid& grid);
/// Looks at them and plays them that way. The playhead stays where it is.
void showView(const session::ViewState& view, widgets::Player& player, widgets::VideoGrid& grid);

}  // namespace reelgrid::studio
