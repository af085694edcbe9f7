#pragma once

#include <vector>

#include "core/families/model_info.h"

namespace reelgrid::families {

/// Gives a model its tasks, the first by default, and the fields of the pictures that any of them takes.
void offer(ModelInfo& model, std::vector<Task> tasks);

/// Whether the model can be given a picture that the clip begins with.
bool takesPictures(const ModelInfo& model);

/// Whether the model can be given a prompt.
bool takesPrompts(const ModelInfo& model);

}  // namespace reelgrid::families
