#pragma once

#include <string>

#include "core/benchmark/vae_report.h"

namespace reelgrid::cli {

/// For a person: the machine, what went in, one line a configuration.
std::string vaeTable(const benchmark::VaeReport& report);

}  // namespace reelgrid::cli
