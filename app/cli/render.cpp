#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/document_programs.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "app/cli/rank_launcher.h"
#include "app/cli/rank_options.h"
#include "app/cli/render_options.h"
#include "app/cli/resume_notes.h"
#include "app/cli/script_files.h"
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "app/cli/worker_render.h"
#include "core/base/byte_count.h"
#include "core/base/utf8.h"
#include "core/comparison/clip_name.h"
#include "core/comparison/phase_table.h"
#include "core/comparison/summary.h"
#include "core/media/writer.h"
#include "core/metrics/coherence.h"
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
    std::string script;  ///< families::Script's name; empty: our own ways
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
    clip = fs::absolute(clip).lexically_normal();
    if (auto text = requireUtf8(verb.benchmarkFolder.empty() ? "--output" : "--benchmark-output-directory",
                                clip.string());
        !text)
        return text.error();
    return clip;
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

/// A rank that isn't the first: it shares the work and says nothing.
int runFurtherRank(parallel::RankGroup& group, const protocol::RenderRequest& request,
                   const machine::LocalMachine& machine) {
    const InterruptWatch interrupts;
    const auto done = pipeline::Renderer(machine, &group).render(request, {}, interrupts.token());
    if (!done) endRank(group, done.error());
    return 0;
}

/// Who renders the clips that are asked for, one after another, with one loaded model.
class ClipRenderer {
  public:
    ClipRenderer(const RenderVerb& verb, const machine::LocalMachine& machine, parallel::RankGroup* group,
                 bool inWorker)
        : m_verb(verb), m_group(group), m_inWorker(inWorker), m_renderer(machine, group) {}

    /// The exit code; a clip that is there has been told of on stderr, and its path or document is among
    /// results().
    int render(const CheckedRequest& checked);
    [[nodiscard]] const std::vector<std::string>& clips() const { return m_clips; }
    [[nodiscard]] const nlohmann::json& documents() const { return m_documents; }

  private:
    int fail(const CheckedRequest& checked, const Error& error) const;
    void tell(const CheckedRequest& checked, const std::string& clip, const result::ClipResult& result) const;

    const RenderVerb& m_verb;
    parallel::RankGroup* m_group;
    bool m_inWorker;
    pipeline::Renderer m_renderer;
    InterruptWatch m_interrupts;
    bool m_isTold = false;  ///< what memory will be in use
    std::vector<std::string> m_clips;
    nlohmann::json m_documents = nlohmann::json::array();
};

int ClipRenderer::fail(const CheckedRequest& checked, const Error& error) const {
    sayWhatIsKept(checked.request().output, error);
    if (m_group != nullptr) endRank(*m_group, error);
    if (error.code == ErrorCode::Cancelled) return cli::fail({ErrorCode::Cancelled, "cancelled"});
    return cli::fail(error);
}

int ClipRenderer::render(const CheckedRequest& checked) {
    sayWhatWasKept(checked.request());
    ProgressLine line;
    const std::string name = attentionName(checked.settings());
    const auto progress = [&](const protocol::RenderProgress& now) {
        if (now.predictedPeakBytes > 0 && !std::exchange(m_isTold, true)) {
            line.clear();
            say("note: about " + byteCount(now.predictedPeakBytes) + " of memory will be in use at most");
        }
        line.update(name, now.stage, now.done, now.total, now.etaSeconds);
    };
    const auto clip = m_inWorker ? renderInWorker(checked.request(), m_verb.worker.queueOptions(), progress,
                                                  m_interrupts.token())
                                 : m_renderer.render(checked.request(), progress, m_interrupts.token());
    line.clear();
    if (!clip) return fail(checked, clip.error());
    const families::Script* script = families::findScript(m_verb.script);
    if (script != nullptr && !m_verb.benchmarkFolder.empty())
        if (auto written = writeScriptFiles(m_verb.benchmarkFolder, *clip, *script,
                                            checked.settings().profileOutput.value_or(""));
            !written)
            return cli::fail(written.error());
    const result::ClipResult result = result::readClipResult(*clip);
    for (const Error& problem : result.problems) say("reelgrid-cli: " + problem.message);
    if (checked.settings().saveInputs) say(comparison::captureLine(*clip, result.manifest));
    sayWhereItWentOn(result.manifest);
    m_clips.push_back(*clip);
    if (m_verb.json)
        m_documents.push_back(comparison::clipJson(*clip, result));
    else
        tell(checked, *clip, result);
    return 0;
}

void ClipRenderer::tell(const CheckedRequest& checked, const std::string& clip,
                        const result::ClipResult& result) const {
    for (const std::string& remark : comparison::attentionRemarks(result.manifest)) say(remark);
    if (const std::string tiles = comparison::tilingLine(checked.settings(), result.manifest); !tiles.empty())
        say("note: " + tiles);
    if (!checked.request().attentionPolicy.empty()) say(comparison::attentionLine(result.manifest));
    if (const result::Timing* timing = result.timing()) sayTimes(*timing, clip, checked);
    if (const auto& temporal = result.manifest.temporal; temporal && !temporal->why.empty())
        say("note: " + temporal->why);
    // Where frames are pictures that were tied together, how well says whether they are a clip.
    if (const std::string verdict = coherenceText(result.metrics);
        result.manifest.temporal && !verdict.empty())
        say(verdict);
    if (const auto& cache = result.manifest.stepCache) say(comparison::stepCacheLine(*cache));
    if (checked.settings().stepCache.method == protocol::StepCache::Method::Record)
        say("note: --step-cache record: what changed from step to step is in " +
            (protocol::resultFolderOf(clip) / protocol::kTimingFile).string() +
            " (changes); tune --step-cache record makes coefficients of it");
    if (const auto& profile = result.manifest.profile) say(comparison::profileLine(*profile));
}

/// Of several samples each has its seed in its name.
Result<std::vector<CheckedRequest>> samplesOf(const RenderVerb& verb, const CheckedRequest& first,
                                              const fs::path& output, const machine::LocalMachine& machine) {
    std::vector<CheckedRequest> samples;
    const auto further = static_cast<std::uint64_t>(verb.render.samples() - 1);
    if (first.request().seed > std::numeric_limits<std::uint64_t>::max() - further)
        return Error{ErrorCode::BadUsage, "--num-samples " + std::to_string(verb.render.samples()) +
                                              ": from --seed " + std::to_string(first.request().seed) +
                                              " on there are fewer seeds"};
    for (int sample = 0; sample < verb.render.samples(); ++sample) {
        const std::uint64_t seed = first.request().seed + static_cast<std::uint64_t>(sample);
        auto checked =
            first.with(machine.now(), [&](protocol::RenderRequest& request) { request.seed = seed; });
        if (!checked) return checked.error();
        fs::path clip = output;
        if (verb.render.samples() > 1)
            clip.replace_filename(output.stem().string() + "_seed" + std::to_string(seed) +
                                  output.extension().string());
        checked->setOutput(clip.string());
        checked->setResume(verb.resume);
        samples.push_back(*std::move(checked));
    }
    return samples;
}

/// What several samples would overwrite, and who can't make several.
Result<void> checkSamples(const RenderVerb& verb, const CheckedRequest& checked) {
    if (verb.render.samples() == 1) return {};
    const std::string samples = "--num-samples " + std::to_string(verb.render.samples());
    if (verb.ranks.ranks() > 1)
        return Error{ErrorCode::BadUsage, samples + ": several ranks render one clip; 1 was needed"};
    if (checked.request().chainSave || !checked.request().inputDir.empty())
        return Error{ErrorCode::BadUsage,
                     samples + ": each would overwrite " +
                         (checked.request().chainSave ? "--chain-save's file" : "--input-dir's files") +
                         ", 1 was needed"};
    return {};
}

int runRender(RenderVerb& verb, const machine::LocalMachine& machine) {
    if (auto found = verb.ranks.find(); !found) return fail(found.error());
    verb.render.setRanks(verb.ranks.ranks());
    auto checked = verb.render.check(verb.attentionType, machine.now());
    if (!checked) return verb.ranks.endBeforeJoining(checked.error());
    auto output = outputOf(verb, *checked);
    if (!output) return verb.ranks.endBeforeJoining(output.error());
    if (auto fits = checkSamples(verb, *checked); !fits) return verb.ranks.endBeforeJoining(fits.error());
    const auto samples = samplesOf(verb, *checked, *output, machine);
    if (!samples) return verb.ranks.endBeforeJoining(samples.error());
    if (const std::string obstacle = result::obstacleToResuming(checked->settings());
        verb.resume && !obstacle.empty())
        return verb.ranks.endBeforeJoining(
            {ErrorCode::BadUsage,
             "--resume: with " + obstacle + " a render is made in one go; one of the two was needed"});
    const bool inWorker = verb.worker.hasTimeout() || asksForPlugin(checked->request());
    if (inWorker && verb.ranks.ranks() > 1)
        return verb.ranks.endBeforeJoining({ErrorCode::BadUsage,
                                            "--job-timeout and plug-ins run in a worker by themselves; with "
                                            "--nproc neither was needed"});
    if (verb.ranks.starts()) {
        const InterruptWatch interrupts;
        return launchRanks(verb.ranks.ranks(), interrupts.token());
    }
    endWithLauncher();
    const std::unique_ptr<parallel::RankGroup> group = verb.ranks.join();
    if (verb.ranks.isFurther()) return runFurtherRank(*group, samples->front().request(), machine);
    sayIdleChoices(*checked);
    verb.render.sayIdleOptions(*checked);
    verb.ranks.sayIdleOptions();
    ClipRenderer renderer(verb, machine, group.get(), inWorker);
    for (const CheckedRequest& sample : *samples)
        if (const int failed = renderer.render(sample); failed != 0) return failed;
    if (verb.json) return printResult(samples->size() == 1 ? renderer.documents()[0] : renderer.documents());
    for (const std::string& clip : renderer.clips())
        if (const int failed = printResult(clip); failed != 0) return failed;
    return 0;
}

}  // namespace

Verb addRenderVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<RenderVerb>();
    CLI::App* command = program.add_subcommand("render", "Render one video");
    verb->render.addTo(*command, {"attention_type"});
    verb->render.allowSamples();
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
    command->add_option(kAsScript, verb->script)->group("");
    return {command, [verb, machine] { return runRender(*verb, machine); }};
}

}  // namespace reelgrid::cli
