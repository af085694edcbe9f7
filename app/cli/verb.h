#pragma once

#include <functional>

namespace CLI {
class App;
}
namespace reelgrid::machine {
class LocalMachine;
}

namespace reelgrid::cli {

/// A verb of the command line: its parser, and what to do once that has parsed. run() returns the exit code.
struct Verb {
    CLI::App* command = nullptr;
    std::function<int()> run;
};

Verb addRenderVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addCompareVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addStitchVerb(CLI::App& program);
Verb addMetricsVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addModelsVerb(CLI::App& program);
Verb addWorkerVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addDoctorVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addBenchVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addPlanVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addProfileVerb(CLI::App& program);
Verb addSuiteVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addTuneVerb(CLI::App& program, const machine::LocalMachine& machine);
Verb addCapturesVerb(CLI::App& program);
Verb addBackendsVerb(CLI::App& program);
Verb addSetupVerb(CLI::App& program);
Verb addWordsVerb(CLI::App& program);

}  // namespace reelgrid::cli
