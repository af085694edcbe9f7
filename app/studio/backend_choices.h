#pragma once

#include <vector>

#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

/// The attention backends of this build, as the editor offers them.
std::vector<widgets::BackendChoice> backendChoices();

}  // namespace reelgrid::studio
