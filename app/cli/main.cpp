#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/document_programs.h"
#include "app/cli/empty_values.h"
#include "app/cli/interrupt.h"
#include "app/cli/number_values.h"
#include "app/cli/option_spelling.h"
#include "app/cli/plugin_options.h"
#include "app/cli/utf8_values.h"
#include "app/cli/verb.h"
#include "app/cli/versions.h"
#include "core/machine/local_machine.h"

namespace {

using namespace reelgrid;

int runProgram(const std::string& name, std::vector<std::string> arguments) {
    CLI::App program("Compare what attention kernels cost and bring in video diffusion.", "reelgrid-cli");
    program.set_version_flag("--version", &cli::versions);
    program.require_subcommand(1);
    if (auto added = cli::addPluginsFor(arguments); !added) return cli::fail(added.error());
    const machine::LocalMachine machine;
    const std::vector<std::string> asWritten = arguments;
    arguments = cli::withScriptsTranslated(name, std::move(arguments),
                                           [&] { return int(machine.now().gpus.gpus.size()); });
    const std::vector<cli::Verb> verbs = {
        cli::addRenderVerb(program, machine), cli::addCompareVerb(program, machine),
        cli::addStitchVerb(program),          cli::addMetricsVerb(program, machine),
        cli::addModelsVerb(program),          cli::addWorkerVerb(program, machine),
        cli::addDoctorVerb(program, machine), cli::addBenchVerb(program, machine),
        cli::addPlanVerb(program, machine),   cli::addProfileVerb(program),
        cli::addTuneVerb(program, machine),   cli::addCapturesVerb(program),
        cli::addBackendsVerb(program),        cli::addSetupVerb(program),
        cli::addSuiteVerb(program, machine),  cli::addWordsVerb(program),
    };
    cli::describeScript(program, name, asWritten);
    cli::refuseOddNumbers(program);
    cli::refuseEmptyTexts(program);
    cli::refuseOtherThanUtf8(program);
    const auto isVerb = [&](const cli::Verb& verb) { return verb.command->get_name() == arguments[0]; };
    if (!arguments.empty() && !arguments[0].starts_with('-') &&
        std::none_of(verbs.begin(), verbs.end(), isVerb))
        return cli::fail({ErrorCode::BadUsage, arguments[0] + ": no such verb (see --help)"});
    try {
        arguments = cli::withCurrentSpelling(std::move(arguments));
        cli::endListsAtCommas(program, arguments);
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
        program.parse(std::move(arguments));
    } catch (const CLI::Success& done) {  // --help, --version
        std::ostringstream text;
        const int code = program.exit(done, text, text);
        return std::max(code, cli::printResult(text.str()));
    } catch (const CLI::ConversionError& error) {
        return cli::fail({ErrorCode::BadUsage, cli::wrongValue(error.what())});
    } catch (const CLI::ParseError& error) {
        return cli::fail({ErrorCode::BadUsage, std::string(error.what()) + " (see --help)"});
    }
    for (const cli::Verb& verb : verbs)
        if (verb.command->parsed()) return verb.run();
    return cli::fail({ErrorCode::Internal, "no verb ran"});
}

int runGuarded(int argc, char** argv) {
    const cli::SignalGuard signals;
    try {
        return runProgram(argc > 0 ? argv[0] : "", {argv + 1, argv + argc});
    } catch (const Failure& failure) {
        return cli::fail(failure.error());
    } catch (const std::exception& failure) {
        return cli::fail({ErrorCode::Internal, failure.what()});
    }
}

/// Without the libraries' own clearing up, by which libtorch forgets its operators one by one for a tenth of
/// a second: all that is the program's has been written and closed.
[[noreturn]] void endProcess(int code) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    std::exit(code);  // which looks for leaks
#else
    std::fflush(nullptr);
    std::_Exit(code);
#endif
}

/// Run by the loader before the libraries' own initialisers, which take libtorch most of the program's start:
/// a signal in that time waits for main()'s SignalGuard.
__attribute__((section(".preinit_array"), used)) void (*const kBlockEarly)() = cli::blockInterrupts;

}  // namespace

int main(int argc, char** argv) {
    cli::fillClosedStreams();
    // Past a limit on files' sizes a write fails and is told, instead of killing what can tell and clean up.
    std::signal(SIGXFSZ, SIG_IGN);
    // Whoever read stderr may go away: what is rendered goes on. (Of stdout printResult() takes care.)
    std::signal(SIGPIPE, SIG_IGN);
    endProcess(runGuarded(argc, argv));
}
