#pragma once

#include <string>

#include "core/benchmark/system.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"

namespace reelgrid::cli {

/// What a benchmark on that device of the machine says of both.
benchmark::System benchedSystem(const execution::Execution& execution, const machine::Machine& machine);

/// The same for a person: two lines, what runs and on what.
std::string systemText(const benchmark::System& system);

}  // namespace reelgrid::cli
