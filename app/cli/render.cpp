#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "app/cli/rank_launcher.h"
#include "app/cli/rank_options.h"
#include "app/cli/render_options.h"
#include "app/cli/resume_notes.h"
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "app/cli/worker_render.h"
#include "core/base/byte_count.h"
#include "core/comparison/clip_name.h"
#include "core/comparison/phase_table.h"
#include "core/comparison/summary.h"
#include "core/media/writer.h"
#include "core/pipeline/renderer.h"
#include "core/protocol/result_paths.h"
#include "core/result/unfinished_render.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

struct RenderVerb {
    RenderOptions render;
    WorkerOptions worker;
    RankOptions ranks;
    std::string attentionType = protocol::kReferenceBackend;
    std::string output;
    std::string benchmarkFolder;
    bool resume = false;
    bool json = false;
};

Result<fs::path> outputOf(const RenderVerb& verb, const CheckedRequest& checked) {
    if (!verb.output.empty() && !verb.benchmarkFolder.empty())
        return Error{ErrorCode::BadUsage,
                     "--output and --benchmark-output-directory: only one of them says where the clip goes"};
    fs::path clip = comparison::clipName(checked.model(), checked.settings());
    if (!verb.benchmarkFolder.empty())
        clip = fs::path(verb.benchmarkFolder) / protocol::kResultsFolder / clip;
    if (!verb.output.empty())
        clip = verb.output;
    else if (verb.benchmarkFolder.empty() && verb.render.isScript())
        clip = ScriptOptions::kOutput;
    if (auto container = media::containerOf(clip); !container)
        return Error{ErrorCode::BadUsage, "--output " + container.error().message};
    return fs::absolute(clip).lexically_normal();
}

void sayTimes(const result::Timing& timing, const fs::path& clip, const CheckedRequest& checked) {
    say(comparison::timingLine(timing));
    std::error_code unknown;
    const auto latents = fs::file_size(protocol::resultFolderOf(clip) / protocol::kLatentsFile, unknown);
    for (const std::string& line : comparison::phaseTable(timing, {.frames = checked.settings().numFrames,
                                                                  .latentBytes = unknown ? 0 : latents,
                                                                  .weightBytes = checked.model().bytes()}))
        say(line);
}

/// What is wrong with the words themselves the first rank says for all.
int failBeforeJoining(const RenderVerb& verb, const Error& error) {
    if (verb.ranks.isFurther() && error.code == ErrorCode::BadUsage) return exitCodeOf(error.code);
    return fail(error);
}

/// A rank that isn't the first: it shares the work and says nothing.
int runFurtherRank(parallel::RankGroup& group, const protocol::RenderRequest& request,
                   const machine::LocalMachine& machine) {
    const InterruptWatch interrupts;
    const auto done = pipeline::Renderer(machine, &group).render(request, {}, interrupts.token());
    if (!done) endRank(group, done.error());
    return 0;
}

int runRender(RenderVerb& verb, const machine::LocalMachine& machine) {
    if (auto found = verb.ranks.find(); !found) return fail(found.error());
    verb.render.setRanks(verb.ranks.ranks());
    auto checked = verb.render.check(verb.attentionType, machine.now());
    if (!checked) return failBeforeJoining(verb, checked.error());
    auto output = outputOf(verb, *checked);
    if (!output) return failBeforeJoining(verb, output.error());
    checked->setOutput(output->string());
    if (const std::string obstacle = result::obstacleToResuming(checked->settings());
        verb.resume && !obstacle.empty())
        return failBeforeJoining(
            verb, {ErrorCode::BadUsage,
                   "--resume: with " + obstacle + " a render is made in one go; one of the two was needed"});
    checked->setResume(verb.resume);
    const bool inWorker = verb.worker.hasTimeout() || asksForPlugin(checked->request());
    if (inWorker && verb.ranks.ranks() > 1)
        return failBeforeJoining(verb, {ErrorCode::BadUsage,
                                        "--job-timeout and plug-ins run in a worker by themselves; with "
                                        "--nproc neither was needed"});
    if (verb.ranks.starts()) {
        const InterruptWatch interrupts;
        return launchRanks(verb.ranks.ranks(), interrupts.token());
    }
    endWithLauncher();
    const std::unique_ptr<parallel::RankGroup> group = verb.ranks.join();
    if (verb.ranks.isFurther()) return runFurtherRank(*group, checked->request(), machine);
    sayWhatWasKept(checked->request());
    sayIdleChoices(*checked);

    const InterruptWatch interrupts;
    ProgressLine line;
    const std::string name = attentionName(checked->settings());
    bool isTold = false;
    const auto progress = [&](const protocol::RenderProgress& now) {
        if (now.predictedPeakBytes > 0 && !std::exchange(isTold, true)) {
            line.clear();
            say("note: about " + byteCount(now.predictedPeakBytes) + " of memory will be in use at most");
        }
        line.update(name, now.stage, now.done, now.total, now.etaSeconds);
    };
    auto clip = inWorker ? renderInWorker(checked->request(), verb.worker.queueOptions(), progress,
                                          interrupts.token())
                         : pipeline::Renderer(machine, group.get())
                               .render(checked->request(), progress, interrupts.token());
    line.clear();
    if (!clip) {
        sayWhatIsKept(*output, clip.error());
        if (group) endRank(*group, clip.error());
        if (clip.error().code == ErrorCode::Cancelled) return fail({ErrorCode::Cancelled, "cancelled"});
        return fail(clip.error());
    }
    const result::ClipResult result = result::readClipResult(*clip);
    for (const Error& problem : result.problems) say("reelgrid-cli: " + problem.message);
    if (checked->settings().saveInputs) say(comparison::captureLine(*clip, result.manifest));
    sayWhereItWentOn(result.manifest);
    if (verb.json) return printResult(comparison::clipJson(*clip, result));
    for (const std::string& remark : comparison::attentionRemarks(result.manifest)) say(remark);
    if (const std::string tiles = comparison::tilingLine(checked->settings(), result.manifest);
        !tiles.empty())
        say("note: " + tiles);
    if (!checked->request().attentionPolicy.empty()) say(comparison::attentionLine(result.manifest));
    if (const result::Timing* timing = result.timing()) sayTimes(*timing, *clip, *checked);
    if (const auto& temporal = result.manifest.temporal; temporal && !temporal->why.empty())
        say("note: " + temporal->why);
    if (const auto& cache = result.manifest.stepCache) say(comparison::stepCacheLine(*cache));
    if (const auto& profile = result.manifest.profile) say(comparison::profileLine(*profile));
    return printResult(*clip);
}

}  // namespace

Verb addRenderVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<RenderVerb>();
    CLI::App* command = program.add_subcommand("render", "Render one video");
    verb->render.addTo(*command, {"attention_type"});
    verb->worker.addTo(*command);
    verb->ranks.addTo(*command);
    command
        ->add_option("--attention-type", verb->attentionType,
                     "Backend of self-attention: " + kernels::backendNames() + " or default")
        ->capture_default_str();
    command->add_option("--output", verb->output, "The clip: F.mp4, with everything else in F.files/");
    command->add_option("--benchmark-output-directory", verb->benchmarkFolder,
                        "Or a folder: D/results/<name>.mp4 and D/results/<name>.files/");
    command->add_flag("--resume", verb->resume,
                      "Go on with a render that was interrupted, from its last kept step");
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb, machine] { return runRender(*verb, machine); }};
}

}  // namespace reelgrid::cli
