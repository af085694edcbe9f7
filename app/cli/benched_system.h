#pragma once

#include <string>

#include "core/benchmark/system.h"
#include "core/execution/execution.h"

namespace reelgrid::cli {

/// What a benchmark on that device says of the machine.
benchmark::System benchedSystem(const execution::Execution& execution);

/// The same for a person: two lines, what runs and on what.
std::string systemText(const benchmark::System& system);

}  // namespace reelgrid::cli
