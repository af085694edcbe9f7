#pragma once

#include <torch/library.h>

#include <initializer_list>

namespace reelgrid::operators {

/// None of the operators has a derivative. Under autograd each of these refuses inputs that want one by
/// name, and notes what it writes to, so that a gradient that needs the value from before says so.
void refuseGradients(torch::Library& library, std::initializer_list<const char*> ops);

}  // namespace reelgrid::operators
