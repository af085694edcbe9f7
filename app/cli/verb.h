#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// A verb of the command line: its parser, and what to do once that has parsed. run() returns the exit code.
struct Verb {
    CLI::App* command = nullptr;
    std::function<int()> run;
};

Verb addRenderVerb(CLI::App& program);
Verb addCompareVerb(CLI::App& program);
Verb addStitchVerb(CLI::App& program);
Verb addMetricsVerb(CLI::App& program);
Verb addModelsVerb(CLI::App& program);
Verb addWorkerVerb(CLI::App& program);
Verb addDoctorVerb(CLI::App& program);
Verb addBenchVerb(CLI::App& program);
Verb addProfileVerb(CLI::App& program);
Verb addTuneVerb(CLI::App& program);
Verb addCapturesVerb(CLI::App& program);
Verb addBackendsVerb(CLI::App& program);
Verb addSetupVerb(CLI::App& program);
Verb addWordsVerb(CLI::App& program);

}  // namespace reelgrid::cli
