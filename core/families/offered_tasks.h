#pragma once

#include <vector>

#include "core/families/model_info.h"

namespace reelgrid::families {

/// Gives a model its tasks, the first by default, and the fields of the pictures that any of them takes.
void offer(ModelInfo& model, std::vector<Task> tasks);

}  // namespace reelgrid::families
