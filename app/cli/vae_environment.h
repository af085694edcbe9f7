#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/benchmark/vae_report.h"

namespace reelgrid::cli {

/// The rows of the reference benchmark that set variables of MIOpen, the library of convolutions of AMD's
/// GPUs.
const std::vector<std::string>& miopenVariables();

/// Of the variables given, "NAME=VALUE"; BadUsage naming what is none.
Result<void> checkEnvironment(const std::vector<std::string>& variables);

/// Measures fp32 with such a variable set. Libraries read their variables once, so a process of its own does:
/// this program with `arguments`, those of `bench vae`. A process that fails has its words as the row's
/// error. Error Cancelled where it was asked to stop.
Result<benchmark::VaeRow> measureWith(const std::string& variable, const std::vector<std::string>& arguments,
                                      const std::stop_token& stop);

}  // namespace reelgrid::cli
