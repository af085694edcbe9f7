#pragma once

#include <string>

#include "core/families/model_info.h"

namespace reelgrid::catalog {

/// Whether a file that names a model ("demo", a hub id, a folder or a file) means this one: by its id, its
/// place, or the last part of its name, since a model that was moved is the same one.
bool isNameOf(const std::string& name, const families::ModelInfo& model);

}  // namespace reelgrid::catalog
