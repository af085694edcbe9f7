#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/checked_request.h"
#include "app/cli/clip_measuring.h"
#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/metric_options.h"
#include "app/cli/model_download.h"
#include "app/cli/other_requests.h"
#include "app/cli/progress_line.h"
#include "app/cli/recipe_request.h"
#include "app/cli/render_options.h"
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/utf8.h"
#include "core/catalog/built_in_models.h"
#include "core/comparison/caption.h"
#include "core/comparison/clip_name.h"
#include "core/comparison/earlier_result.h"
#include "core/comparison/earlier_session.h"
#include "core/comparison/seen_votes.h"
#include "core/comparison/summary.h"
#include "core/devices/gpu_choice.h"
#include "core/jobs/job_queue.h"
#include "core/machine/local_machine.h"
#include "core/metrics/added_measures.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/writer_lock.h"
#include "core/session/session.h"
#include "core/suite/gate_check.h"
#include "core/suite/manifest_part.h"
#include "core/suite/other_suite.h"
#include "core/suite/suite_comparison.h"
#include "core/suite/suite_file.h"
#include "core/suite/suite_report.h"
#include "core/suite/suite_result.h"
#include "core/suite/suite_source.h"
#include "core/suite/suite_votes.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using suite::SuiteJob;
using suite::SuitePlan;
using suite::SuiteRow;

struct SuiteVerb {
    std::string file;
    std::string outputFolder;
    std::string gate;
    std::string against;
    std::vector<std::string> lanes;
    WorkerOptions worker;
    MetricOptions asked;
    bool json = false;
};

/// A suite about to run: what each job is on this machine.
struct Run {
    fs::path folder;
    SuitePlan plan;
    std::vector<CheckedRequest> checked;  ///< one a job
    std::vector<SuiteRow> rows;
    /// What people had put into each subject's session, by its file.
    std::map<fs::path, comparison::EarlierSession> earlier;
};

/// "0007-a-penguin-walking"
std::string folderNameOf(std::size_t subject, const std::string& prompt) {
    constexpr std::size_t kDigits = 4, kLetters = 40;
    std::string number = std::to_string(subject + 1);
    std::string name = std::string(kDigits - std::min(kDigits, number.size()), '0') + number;
    bool isGap = true;
    for (const char letter : prompt) {
        if (name.size() >= kLetters) break;
        const bool isWord = std::isalnum(static_cast<unsigned char>(letter)) != 0;
        if (isWord && isGap) name += '-';
        if (isWord) name += char(std::tolower(static_cast<unsigned char>(letter)));
        isGap = !isWord;
    }
    return name;
}

/// As the command line does for a render: paths that mean the same everywhere, a built-in model's own prompt
/// and picture. `folder`: the suite file's.
void complete(protocol::RenderRequest& request, const fs::path& folder) {
    const catalog::BuiltInModel* builtIn = catalog::findBuiltIn(request.model);
    if (builtIn != nullptr && request.prompt.empty()) request.prompt = builtIn->prompt;
    for (auto* path : {&request.imgFilePath, &request.lastImgFilePath})
        if (*path) *path = (folder / **path).lexically_normal().string();
    if (request.recipe && request.recipe->ends_with(".json"))
        request.recipe = (folder / *request.recipe).lexically_normal().string();
    if (builtIn == nullptr || request.imgFilePath) return;
    if (const fs::path picture = catalog::pictureOf(*builtIn); !picture.empty())
        request.imgFilePath = picture.string();
}

Result<Run> runOf(const SuiteVerb& verb, const machine::Machine& machine) {
    auto file = suite::readSuiteSource(verb.file);
    if (!file) return file.error();
    auto plan = suite::suitePlanFrom(file->document, fs::absolute(verb.file).parent_path());
    if (!plan) return file->place(plan.error());
    Run run{fs::absolute(verb.outputFolder).lexically_normal(), *std::move(plan), {}, {}, {}};
    if (auto text = requireUtf8("--output-dir", run.folder.string()); !text) return text.error();
    std::map<std::string, families::ModelInfo> models;
    for (std::size_t i = 0; i < run.plan.jobs.size(); ++i) {
        protocol::RenderRequest& request = run.plan.jobs[i].request;
        complete(request, fs::absolute(verb.file).parent_path());
        if (auto known = checkAttentionType("types", request.attentionType, machine); !known)
            return file->place(known.error());
        if (!models.contains(request.model)) {
            auto model = findOrDownload(request);
            if (!model) return file->place(model.error());
            models.emplace(request.model, *std::move(model));
        }
        auto checked = checkWithRecipe(request, models.at(request.model), machine);
        if (!checked) return file->place(checked.error());
        const fs::path clip = run.folder / folderNameOf(run.plan.jobs[i].subject, request.prompt) /
                              protocol::kResultsFolder /
                              comparison::clipName(checked->model(), checked->settings());
        checked->setOutput(clip);
        checked->setResume(true);
        run.checked.push_back(*std::move(checked));
        run.rows.push_back({i, clip, {}, {}});
        const fs::path session = suite::sessionOf(clip);
        if (!run.earlier.contains(session))
            run.earlier.emplace(session, comparison::EarlierSession::read(session));
    }
    return run;
}

/// Whether --metrics can be measured on the clips of each size. Those that are held against one reference
/// have its size.
Result<void> requireSides(const Run& run, const MetricOptions& asked) {
    std::set<std::size_t> references;
    for (std::size_t i = 0; i < run.plan.jobs.size(); ++i) {
        const std::size_t reference = run.plan.jobs[i].reference;
        if (reference == i || !references.insert(reference).second) continue;
        if (auto fits = asked.requireSidesAgainstReference(run.checked[reference]); !fits)
            return fits.error().in(run.rows[i].clip.filename().string());
    }
    return {};
}

/// The jobs whose clips aren't there yet, whole and of the same render.
std::vector<std::size_t> missingOf(const Run& run) {
    using State = comparison::EarlierResult::State;
    std::map<std::string, comparison::EarlierResults> earlier;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < run.checked.size(); ++i) {
        const CheckedRequest& checked = run.checked[i];
        auto& known = earlier.try_emplace(checked.request().model, checked.model()).first->second;
        const auto found = known.look(checked.request(), checked.settings());
        if (found.state == State::Other)
            say(run.rows[i].clip.filename().string() + ": rendered again: " + found.why);
        if (found.state != State::Same) missing.push_back(i);
    }
    return missing;
}

/// Votes of earlier versions don't say which clips were seen: it is those that lie there until they are
/// rendered again.
Result<void> keepWhatVotesAreOf(const Run& run, const std::vector<std::size_t>& missing) {
    const fs::path file = run.folder / suite::kVotesFile;
    std::error_code failed;
    if (!fs::exists(file, failed)) return {};
    // The studio may be adding some.
    const auto lock = result::WriterLock::acquire(file);
    if (!lock) return lock.error();
    auto votes = suite::readVotes(file);
    if (!votes || votes->empty()) return {};
    std::set<fs::path> replaced;
    for (const std::size_t i : missing) replaced.insert(run.rows[i].clip);
    result::ComponentHasher hasher(result::KeptHashes::ofUser());
    bool isNew = false;
    for (session::BlindVote& vote : *votes)
        for (auto [clip, sha256] :
             {std::pair{&vote.first, &vote.firstSha256}, std::pair{&vote.second, &vote.secondSha256}}) {
            if (!sha256->empty() || !replaced.contains(*clip)) continue;
            const auto hash = hasher.hashFile(*clip);
            if (!hash) continue;
            *sha256 = hash->sha256;
            isNew = true;
        }
    return isNew ? suite::saveVotes(*votes, file) : Result<void>();
}

void render(Run& run, const std::vector<std::size_t>& missing, jobs::JobQueueOptions options,
            const std::stop_token& stop) {
    if (missing.empty()) return;
    std::map<std::string, std::size_t> byOutput;
    for (const std::size_t i : missing) byOutput[run.rows[i].clip.string()] = i;
    ProgressLine line;
    std::size_t ended = 0;
    const auto told = [&](const jobs::Job& job) {
        if (jobs::isFinished(job.state)) ++ended;
        line.update(comparison::captionOf(job.request).name, "suite", int(ended), int(missing.size()), -1);
    };
    options.capacity = options.history = missing.size();
    jobs::JobQueue queue(std::move(options), told);
    for (const std::size_t i : missing)
        if (auto submitted = queue.submit(run.checked[i].request()); !submitted)
            run.rows[i].error = submitted.error();
    const std::stop_callback cancel(stop, [&queue] { queue.cancelAll(); });
    queue.waitUntilIdle();
    line.clear();
    for (const jobs::Job& job : queue.jobs()) {
        std::optional<Error>& error = run.rows[byOutput.at(job.request.output)].error;
        if (job.state == jobs::JobState::Cancelled) error = Error{ErrorCode::Cancelled, "cancelled"};
        if (job.state == jobs::JobState::Failed) error = job.error;
    }
}

/// Reads what there is to each clip, its drift measured against its own reference.
Result<void> measure(Run& run, MetricOptions& asked, const std::stop_token& stop) {
    ClipMeasuring measuring(asked, run.checked.front().settings().device);
    ProgressLine line;
    for (SuiteRow& row : run.rows) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "cancelled"};
        line.update("", "measuring", int(row.job), int(run.rows.size()), -1);
        if (row.error) continue;
        const SuiteJob& job = run.plan.jobs[row.job];
        result::ClipResult clip = result::readClipResult(row.clip);
        const SuiteRow& reference = run.rows[job.reference];
        if (reference.error) metrics::dropOtherDrift({}, clip.metrics);
        const auto done = measuring.measure(row.clip, reference.error ? fs::path() : reference.clip,
                                            run.checked[row.job].settings().prompt, clip.metrics, stop);
        if (!done) row.error = done.error();
        row.measured = suite::measuredOf(clip);
        row.manifest = suite::comparedPart(clip.manifest);
        row.remark = comparison::captionOf(clip.manifest).remark;
        row.why = comparison::attentionRemarks(clip.manifest);
    }
    line.clear();
    if (measuring.reused() > 0)
        say("note: " + std::to_string(measuring.reused()) + " clips had been measured before");
    return {};
}

/// One session a subject, so that each row opens as a grid.
Result<void> saveSessions(const Run& run) {
    std::map<fs::path, session::Session> sessions;
    for (const SuiteRow& row : run.rows) {
        if (row.error) continue;
        session::Session& session = sessions[suite::sessionOf(row.clip)];
        const comparison::Caption caption = comparison::captionOf(run.checked[row.job].settings());
        session.clips.push_back({row.clip, caption.text(), caption.name, 0});
        session.request = run.checked[row.job].request();
        session.request.resume = false;
    }
    for (auto& [file, session] : sessions) {
        const comparison::EarlierSession& earlier = run.earlier.at(file);
        for (const std::string& line : earlier.keepIn(session)) say("note: " + file.string() + ": " + line);
        const auto aside = earlier.replaceBy(session);
        if (!aside) return aside.error();
        if (!aside->empty()) say("note: " + *aside);
    }
    return {};
}

Result<std::vector<jobs::LaneOptions>> lanesOf(const SuiteVerb& verb, const machine::Machine& machine) {
    std::vector<jobs::LaneOptions> lanes;
    for (const std::string& device : verb.lanes) {
        const auto named = devices::deviceNamed(device);
        if (!named) return Error{named.error().code, "--lanes: " + named.error().message};
        if (auto usable = devices::requireUsable(machine.gpus, *named); !usable)
            return usable.error().in("--lanes");
        lanes.push_back({.device = named->text()});
    }
    if (lanes.empty()) lanes.emplace_back();
    return lanes;
}

/// Of the studio's blind test of this suite. A file that can't be read is the studio's to tell.
void sayVotesOfOtherClips(const fs::path& folder) {
    const fs::path file = folder / suite::kVotesFile;
    const auto votes = suite::readVotes(file);
    if (!votes) return;
    result::ComponentHasher hasher(result::KeptHashes::ofUser());
    if (const int others = comparison::seenVotes(*votes, hasher).ofOthers; others > 0)
        say("note: " + file.string() + ": " +
            (others == 1 ? "1 vote is" : std::to_string(others) + " votes are") +
            " of other clips that were at these places: not counted");
}

int finish(const SuiteVerb& verb, const Run& run, const suite::SuiteResult& result) {
    const fs::path report = run.folder / "report.html";
    const std::string title = fs::path(verb.file).stem().string();
    const json document = suite::toJson(result, run.folder);
    if (auto saved = saveSessions(run); !saved) return fail(saved.error());
    if (auto written = writeFile(report, suite::suiteHtml(result, title, run.folder)); !written)
        return fail(written.error());
    if (auto written = writeFile(run.folder / suite::kSuiteFile, printJsonIndented(document)); !written)
        return fail(written.error());
    for (const SuiteRow& row : result.rows)
        if (row.error) fail(row.error->in(row.clip.filename().string()));
    sayVotesOfOtherClips(run.folder);
    if (verb.json && result.againstNotes)
        for (const std::string& line : suite::linesOf(*result.againstNotes, result.plan))
            say("note: --against: " + line);
    if (const std::string line = suite::unmeasuredGate(result); verb.json && !line.empty())
        say("note: --gate: " + line);
    const int printed = verb.json ? printResult(document)
                                  : printResult(suite::suiteText(result) + "report: " + report.string());
    if (!result.passed()) return 1;
    if (printed == 0 && result.againstNotes && result.against.empty())
        return fail({ErrorCode::BadUsage, "--against " + verb.against +
                                              ": no clip could be compared; some of the same renders were "
                                              "needed"});
    return printed;
}

std::vector<suite::ClipExtent> extentsOf(const Run& run) {
    std::vector<suite::ClipExtent> extents;
    for (const SuiteRow& row : run.rows) {
        const catalog::RenderSettings& settings = run.checked[row.job].settings();
        extents.push_back({settings.width, settings.height, settings.numFrames});
    }
    return extents;
}

int runSuite(SuiteVerb& verb, const machine::Machine& machine) {
    std::optional<suite::Gate> gate;
    if (!verb.gate.empty()) {
        auto read = suite::gateFrom(verb.gate);
        if (!read) return fail(read.error());
        gate = *std::move(read);
    }
    const auto lanes = lanesOf(verb, machine);
    if (!lanes) return fail(lanes.error());
    if (auto found = verb.asked.requireSources(); !found) return fail(found.error());
    // Before rendering, so that a wrong folder doesn't cost hours, and this suite's own isn't overwritten
    // yet.
    std::optional<suite::OtherSuite> other;
    if (!verb.against.empty()) {
        auto read = suite::readOtherSuite(fs::absolute(verb.against).lexically_normal() / suite::kSuiteFile);
        if (!read) return fail(read.error().in("--against"));
        other = *std::move(read);
    }
    auto prepared = runOf(verb, machine);
    if (!prepared) return fail(prepared.error());
    Run run = *std::move(prepared);
    if (other)
        if (auto same = requireSameJobs(run.plan, *other); !same) return fail(same.error().in("--against"));
    if (gate) {
        if (auto can = requireMeasurable(*gate, run.plan, run.rows, verb.asked.names()); !can)
            return fail(can.error());
        if (auto fits = requireLargeEnough(*gate, extentsOf(run)); !fits) return fail(fits.error());
    }
    if (auto fits = requireSides(run, verb.asked); !fits) return fail(fits.error());
    if (auto ready = verb.asked.check(); !ready) return fail(ready.error());
    const auto lock = result::WriterLock::acquire(run.folder / "suite");
    if (!lock) return fail(lock.error());
    const std::vector<std::size_t> missing = missingOf(run);
    say("note: " + std::to_string(run.rows.size()) + " clips, " + std::to_string(missing.size()) +
        " of them to be rendered");
    std::set<fs::path> own;
    for (const SuiteRow& row : run.rows) own.insert(row.clip);
    if (const std::string left = otherSuiteLine(run.folder, own); !left.empty()) say("note: " + left);
    std::uint64_t kept = 0;
    for (const std::size_t i : missing) kept += catalog::keptFrameBytes(run.checked[i].settings());
    sayKeptFrames(kept);

    if (auto saved = keepWhatVotesAreOf(run, missing); !saved) return fail(saved.error());
    const InterruptWatch interrupts;
    jobs::JobQueueOptions queue = verb.worker.queueOptions();
    queue.lanes = *lanes;
    render(run, missing, std::move(queue), interrupts.token());
    if (interrupts.token().stop_requested())
        return fail({ErrorCode::Cancelled, "cancelled; the same command goes on with what is missing"});
    if (auto measured = measure(run, verb.asked, interrupts.token()); !measured)
        return fail(measured.error());
    suite::SuiteResult result = suite::sumUp(run.plan, run.rows, gate);
    if (other) compareWith(result, *other);
    return finish(verb, run, result);
}

}  // namespace

Verb addSuiteVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<SuiteVerb>();
    CLI::App* command = program.add_subcommand(
        "suite", "Prompts, seeds, models and backends of a file in one report with confidence intervals");
    command
        ->add_option("file", verb->file,
                     "JSON, or TOML (.toml): a render's fields, of which lists are varied; \"prompts\", "
                     "\"seeds\", \"types\", \"models\"")
        ->required();
    command
        ->add_option("--output-dir", verb->outputFolder, "Where everything goes; what is there already stays")
        ->required();
    command->add_option(
        "--gate", verb->gate,
        "Exit code 1 unless so many clips of each backend are so good, such as 'psnr>=40@95%'");
    command->add_option("--against", verb->against, "Output folder of another suite, to be compared with");
    addCommaList(*command, "--lanes", verb->lanes,
                 "Render several clips at once, one on each device named: cuda:0,cuda:1 (default: one after "
                 "another)");
    verb->asked.addTo(*command);
    verb->worker.addTo(*command);
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb, machine] { return runSuite(*verb, machine.now()); }};
}

}  // namespace reelgrid::cli
