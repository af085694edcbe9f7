#include <CLI/CLI.hpp>
#include <vector>

#include "app/cli/bench_verbs.h"
#include "app/cli/console.h"

namespace reelgrid::cli {
namespace {

int runBench(const std::vector<Verb>& parts) {
    for (const Verb& part : parts)
        if (part.command->parsed()) return part.run();
    return fail({ErrorCode::BadUsage, "bench: what to measure was needed"});
}

}  // namespace

Verb addBenchVerb(CLI::App& program, const machine::LocalMachine& machine) {
    CLI::App* command = program.add_subcommand("bench", "Measure parts on their own");
    command->require_subcommand(1);
    const std::vector<Verb> parts{addBenchAttention(*command), addBenchConv(*command, machine),
                                  addBenchSampler(*command, machine), addBenchVae(*command, machine),
                                  addBenchPipeline(*command, machine)};
    return {command, [parts] { return runBench(parts); }};
}

}  // namespace reelgrid::cli
