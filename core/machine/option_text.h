#pragma once

#include <string>

#include "core/machine/machine.h"

namespace reelgrid::machine {

/// What a person is told of a backend's parameter: what it is, its usual value and its bounds, a line each.
std::string textOf(const Backend& backend, const kernels::BackendOption& option);

}  // namespace reelgrid::machine
