#include <CLI/CLI.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "app/cli/bench_verbs.h"
#include "app/cli/console.h"

namespace reelgrid::cli {
namespace {

struct BenchVerb {
    std::vector<Verb> parts;
    std::vector<CLI::App*> unbuilt;
};

int runBench(const BenchVerb& verb) {
    for (const CLI::App* command : verb.unbuilt)
        if (command->parsed())
            return fail({ErrorCode::BadUsage, "bench " + command->get_name() + ": not in this version"});
    for (const Verb& part : verb.parts)
        if (part.command->parsed()) return part.run();
    return fail({ErrorCode::BadUsage, "bench: what to measure was needed"});
}

}  // namespace

Verb addBenchVerb(CLI::App& program) {
    auto verb = std::make_shared<BenchVerb>();
    CLI::App* command = program.add_subcommand("bench", "Measure parts on their own");
    command->require_subcommand(1);
    verb->parts.push_back(addBenchAttention(*command));
    for (const char* name : {"vae", "pipeline"}) {
        CLI::App* later = command->add_subcommand(name);
        later->group("");
        later->set_help_flag();
        later->allow_extras();
        verb->unbuilt.push_back(later);
    }
    return {command, [verb] { return runBench(*verb); }};
}

}  // namespace reelgrid::cli
