#pragma once

#include "app/cli/verb.h"

namespace reelgrid::cli {

// What `bench` measures: each adds its subcommand.
Verb addBenchAttention(CLI::App& bench);
Verb addBenchConv(CLI::App& bench, const machine::LocalMachine& machine);
Verb addBenchSampler(CLI::App& bench, const machine::LocalMachine& machine);
Verb addBenchVae(CLI::App& bench, const machine::LocalMachine& machine);
Verb addBenchPipeline(CLI::App& bench, const machine::LocalMachine& machine);

}  // namespace reelgrid::cli
