#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <utility>

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/plugin_options.h"
#include "app/cli/verb.h"
#include "app/cli/worker_loop.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/render_forecast.h"
#include "core/pipeline/renderer.h"

namespace reelgrid::cli {
namespace {

int runWorker(const machine::LocalMachine& machine) {
    // A worker without its parent would hold gigabytes for nobody, so it dies with it. (The end of stdin says
    // the same, but only once a denoising step is over.)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Whatever a library prints goes to stderr: stdout is the protocol's.
    const int output = dup(STDOUT_FILENO);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return fail({ErrorCode::Io, "worker: stdout can't be used"});
    std::signal(SIGPIPE, SIG_IGN);
    pipeline::Renderer renderer(machine);
    const InterruptWatch interrupts;
    const auto render = [&renderer](const auto& request, const auto& progress, const auto& preview,
                                    std::stop_token stop) {
        return renderer.render(request, progress, std::move(stop), preview);
    };
    const auto forecast = [&machine](const protocol::RenderRequest& request) {
        return pipeline::forecastRender(request, machine.now());
    };
    const auto served = serveJobs(STDIN_FILENO, output, render, forecast, interrupts.token());
    return served ? 0 : fail(served.error().in("worker"));
}

}  // namespace

Verb addWorkerVerb(CLI::App& program, const machine::LocalMachine& machine) {
    CLI::App* command = program.add_subcommand("worker", "Serve jobs as JSON lines on stdin and stdout");
    addPluginOption(*command);
    return {command, [machine] { return runWorker(machine); }};
}

}  // namespace reelgrid::cli
