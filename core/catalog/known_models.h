#pragma once

#include <span>

#include "core/families/family.h"

namespace reelgrid::catalog {

using families::KnownModel;

/// Those of all families, in the order in which they are listed; whether they are on this machine is
/// listModels()'s to say.
std::span<const KnownModel> knownModels();

}  // namespace reelgrid::catalog
