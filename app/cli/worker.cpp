#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>
#include <utility>

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/network_access.h"
#include "app/cli/plugin_options.h"
#include "app/cli/rank_launcher.h"
#include "app/cli/rank_options.h"
#include "app/cli/rank_worker.h"
#include "app/cli/verb.h"
#include "app/cli/worker_loop.h"
#include "core/fleet/remote_server.h"
#include "core/jobs/worker_process.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/render_forecast.h"
#include "core/pipeline/renderer.h"

namespace reelgrid::cli {
namespace {

/// Serves jobs with the other ranks of `group`.
int serveWithRanks(parallel::RankGroup& group, const machine::LocalMachine& machine, int output) {
    pipeline::Renderer renderer(machine, &group);
    const InterruptWatch interrupts;
    RankJobs jobs(group, renderer);
    const auto render = [&jobs](const auto& request, const auto& progress, const auto& preview,
                                std::stop_token stop) {
        return jobs.render(request, progress, preview, std::move(stop));
    };
    const auto forecast = [&machine](const protocol::RenderRequest& request) {
        return pipeline::forecastRender(request, machine.now());
    };
    const auto served = serveJobs(STDIN_FILENO, output, render, forecast, interrupts.token());
    if (!served) endRank(group, served.error().in("worker"));
    return 0;
}

/// Serves another machine; what renders is a process of its own, so that it can be ended at once.
int serveElsewhere() {
    const int output = dup(STDOUT_FILENO);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return fail({ErrorCode::Io, "worker: stdout can't be used"});
    const auto program = jobs::findWorkerProgram();
    if (!program) return fail(program.error());
    const InterruptWatch interrupts;
    const auto served = fleet::serveRemote(STDIN_FILENO, output, *program, interrupts.token());
    return served ? 0 : fail(served.error().in("worker --remote"));
}

int runWorker(RankOptions& ranks, const machine::LocalMachine& machine) {
    if (auto found = ranks.find(); !found) return fail(found.error());
    if (ranks.starts()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const InterruptWatch interrupts;
        return launchRanks(ranks.ranks(), interrupts.token());
    }
    endWithLauncher();
    const std::unique_ptr<parallel::RankGroup> group = ranks.join();
    if (ranks.isFurther()) return serveFirstRank(*group, machine);
    // A worker without its parent would hold gigabytes for nobody, so it dies with it. (The end of stdin says
    // the same, but only once a denoising step is over.)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Whatever a library prints goes to stderr: stdout is the protocol's.
    const int output = dup(STDOUT_FILENO);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return fail({ErrorCode::Io, "worker: stdout can't be used"});
    if (group) return serveWithRanks(*group, machine, output);
    // Whoever names a model of the hub has fetched it before: alone, it needs nobody. Where the kernel can't
    // do it `doctor` says so.
    static_cast<void>(leaveNetwork());
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
    const auto ranks = std::make_shared<RankOptions>();
    ranks->addTo(*command);
    const auto isRemote = std::make_shared<bool>(false);
    command->add_flag("--remote", *isRemote,
                      "Serve another machine (compare --hosts): files come with the jobs, results go back");
    return {command, [ranks, isRemote, machine] {
                if (!*isRemote) return runWorker(*ranks, machine);
                if (ranks->ranks() > 1)
                    return fail({ErrorCode::BadUsage, "--remote: with several ranks it was not needed"});
                return serveElsewhere();
            }};
}

}  // namespace reelgrid::cli
