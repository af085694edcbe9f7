#pragma once

#include <vector>

#include "widgets/panels/backend_boxes.h"

namespace reelgrid::studio {

/// The attention backends of this build, as the editor offers them.
std::vector<widgets::BackendChoice> backendChoices();

}  // namespace reelgrid::studio
