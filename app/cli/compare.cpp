#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/cli/comma_list.h"
#include "app/cli/comparison.h"
#include "app/cli/console.h"
#include "app/cli/document_programs.h"
#include "app/cli/frame_rate.h"
#include "app/cli/interrupt.h"
#include "app/cli/number_range.h"
#include "app/cli/other_requests.h"
#include "app/cli/progress_line.h"
#include "app/cli/rank_options.h"
#include "app/cli/render_options.h"
#include "app/cli/resume_notes.h"
#include "app/cli/script_files.h"
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "core/base/number_text.h"
#include "core/base/utf8.h"
#include "core/catalog/idle_fields.h"
#include "core/comparison/clip_name.h"
#include "core/comparison/earlier_result.h"
#include "core/comparison/same_work.h"
#include "core/comparison/summary.h"
#include "core/comparison/warm_up_line.h"
#include "core/devices/gpu_choice.h"
#include "core/fleet/host_survey.h"
#include "core/fleet/host_transport.h"
#include "core/jobs/job_queue.h"
#include "core/machine/local_machine.h"
#include "core/media/stitch.h"
#include "core/metrics/measures.h"
#include "core/protocol/attention_name.h"
#include "core/protocol/attention_policy_json.h"
#include "core/protocol/result_paths.h"
#include "core/protocol/step_cache_json.h"
#include "core/result/writer_lock.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kUsualFontSize = 36;

struct CompareVerb {
    RenderOptions render;
    WorkerOptions worker;
    RankOptions ranks;
    std::vector<std::string> lanes;
    std::string hostsFile;
    std::vector<std::string> types;
    std::vector<std::string> stepCaches;
    std::string outputFolder = "./rendered_videos";
    std::string fps;
    int fontSize = kUsualFontSize;
    bool stitch = false;
    bool reuse = false;
    bool resume = false;
    bool lockstep = false;
    bool json = false;
    MetricOptions asked;
    std::string engine;  ///< DiffusersEngine::kName; empty: none
    std::string script;  ///< families::Script's name; empty: our own ways
};

fs::path clipIn(const Comparison& comparison, const CheckedRequest& checked) {
    return comparison.folder / protocol::kResultsFolder /
           comparison::clipName(checked.model(), checked.settings());
}

/// Every backend of the device that the request is rendered on.
Result<std::vector<std::string>> typesOfDevice(const CompareVerb& verb, const machine::Machine& machine) {
    const auto checked = verb.render.check(protocol::kReferenceBackend, machine);
    if (!checked) return checked.error();
    return machine.backendsOn(devices::deviceNamed(checked->settings().device).value());
}

/// The reference's clip measures the others on its own latents.
Result<void> askForLockstep(Comparison& comparison, const machine::Machine& machine) {
    std::vector<std::string> others;
    CheckedRequest* reference = nullptr;
    for (ComparisonEntry& entry : comparison.entries)
        if (entry.caption.isReference() ||
            (reference == nullptr && entry.type() == protocol::kReferenceBackend))  // the check says why not
            reference = &entry.checked;
        else if (entry.checked.settings().stepCache.isOn())
            continue;  // its passes are other passes
        else if (entry.type() != protocol::kDefaultBackend && entry.type() != protocol::kReferenceBackend)
            others.push_back(entry.type());
    if (reference == nullptr || others.empty())
        return Error{ErrorCode::BadUsage, "--lockstep: " + protocol::kReferenceBackend +
                                              " and another backend among --types were needed"};
    auto asked = reference->with(machine, [&](auto& request) { request.lockstep = others; });
    if (!asked) return asked.error();
    *reference = *std::move(asked);
    return {};
}

void add(CheckedRequest checked, Comparison& comparison) {
    ComparisonEntry entry;
    entry.clip = clipIn(comparison, checked);
    entry.caption = comparison::captionOf(checked.settings());
    entry.checked = std::move(checked);
    entry.checked.setOutput(entry.clip);
    comparison.entries.push_back(std::move(entry));
}

/// Whether every clip of the comparison is of something less than the model as it is.
bool isShortened(const catalog::RenderSettings& settings) {
    return settings.stepCache.isOn() || !protocol::linearName(settings.linear).empty();
}

/// What a step cache or rounded linear layers leave of the picture is seen beside a clip whose every pass ran
/// whole, in the dtype.
Result<CheckedRequest> unshortened(const CheckedRequest& checked, const machine::Machine& machine) {
    return checked.with(machine, [&](protocol::RenderRequest& request) {
        request.stepCache = {};
        request.useFp8Gemms = false;
        if (checked.model().takes("linear")) request.linear = checked.settings().dtype;
    });
}

/// What --step-caches names; each once.
Result<std::vector<protocol::StepCache>> stepCachesOf(const CompareVerb& verb) {
    std::vector<protocol::StepCache> caches;
    std::set<std::string> seen;
    for (const std::string& text : verb.stepCaches) {
        auto cache = protocol::stepCacheFromOption(text);
        if (!cache) return Error{cache.error().code, "--step-caches: " + cache.error().message};
        if (stepCacheName(*cache).empty())
            return Error{ErrorCode::BadUsage,
                         "--step-caches " + text + ": a cache that skips something was needed"};
        if (!seen.insert(stepCacheName(*cache)).second)
            return Error{ErrorCode::BadUsage,
                         "--step-caches names " + stepCacheName(*cache) + " twice: each once was needed"};
        caches.push_back(*std::move(cache));
    }
    return caches;
}

Result<Comparison> planOf(const CompareVerb& verb, const machine::Machine& machine) {
    Comparison comparison;
    comparison.folder = fs::absolute(verb.outputFolder).lexically_normal();
    if (auto text = requireUtf8("--output-dir", comparison.folder.string()); !text) return text.error();
    std::optional<families::ModelInfo> model;
    std::set<std::string> seen;
    std::vector<CheckedRequest> cachedEntries;
    const auto types = verb.types.empty() ? typesOfDevice(verb, machine) : Result(verb.types);
    if (!types) return types.error();
    const auto caches = stepCachesOf(verb);
    if (!caches) return caches.error();
    for (const std::string& type : *types) {
        if (auto known = checkAttentionType("--types", type, machine); !known) return known.error();
        if (!seen.insert(type).second)
            return Error{ErrorCode::BadUsage,
                         "--types names " + type + " twice: each backend once was needed"};
        auto checked = model ? verb.render.check(type, *model, machine) : verb.render.check(type, machine);
        if (!checked) return checked.error();
        model = checked->model();
        if (comparison.entries.empty() && isShortened(checked->settings())) {
            const auto reference = verb.render.check(protocol::kReferenceBackend, *model, machine);
            if (!reference) return reference.error();
            auto whole = unshortened(*reference, machine);
            if (!whole) return whole.error();
            add(*std::move(whole), comparison);
        }
        if (!caches->empty() && checked->settings().stepCache.isOn())
            return Error{ErrorCode::BadUsage, "--step-caches: --step-cache " +
                                                  textOf(checked->settings().stepCache) +
                                                  " was given, too; one of the two was needed"};
        for (const protocol::StepCache& cache : *caches) {
            auto cached = checked->with(machine, [&](auto& request) { request.stepCache = cache; });
            if (!cached) return cached.error();
            cachedEntries.push_back(*std::move(cached));
        }
        add(*std::move(checked), comparison);
        for (CheckedRequest& cached : std::exchange(cachedEntries, {})) add(std::move(cached), comparison);
    }
    for (ComparisonEntry& entry : comparison.entries) entry.checked.setResume(verb.resume);
    if (verb.lockstep)
        if (auto asked = askForLockstep(comparison, machine); !asked) return asked.error();
    return comparison;
}

/// Step caches that skip nothing. The first entry, of which other options are told, has none.
void sayIdleCaches(const Comparison& comparison, const std::string& option) {
    std::set<std::string> said;
    for (std::size_t i = 1; i < comparison.entries.size(); ++i) {
        const CheckedRequest& checked = comparison.entries[i].checked;
        for (const auto& [key, why] :
             catalog::idleFields(checked.request(), checked.settings(), checked.model()))
            if (key == "step_cache" && said.insert(why).second) sayIdle(option, why);
    }
}

/// A clip of the reference's own choice that an earlier `render` of the same left in the results: shown in
/// the grid, never rendered here. Names say neither prompt nor seed.
std::optional<media::LabelledClip> existingDefault(const CompareVerb& verb, const Comparison& comparison,
                                                   const machine::Machine& machine) {
    for (const ComparisonEntry& entry : comparison.entries)
        if (entry.type() == protocol::kDefaultBackend) return std::nullopt;
    auto checked =
        verb.render.check(protocol::kDefaultBackend, comparison.entries.front().checked.model(), machine);
    if (!checked) return std::nullopt;
    const fs::path clip = clipIn(comparison, *checked);
    checked->setOutput(clip.string());
    using State = comparison::EarlierResult::State;
    const auto found =
        comparison::EarlierResults(checked->model()).look(checked->request(), checked->settings());
    if (found.state == State::Other)
        say("note: " + clip.filename().string() + " is left out of the grid: " + found.why);
    if (found.state != State::Same) return std::nullopt;
    return media::LabelledClip{clip, attentionName(checked->settings())};
}

/// Renders what isn't there yet, one after another in each lane's worker, which keeps the model loaded.
void render(Comparison& comparison, jobs::JobQueueOptions options, std::stop_token stop) {
    std::vector<ComparisonEntry*> waiting;
    for (ComparisonEntry& entry : comparison.entries)
        if (!entry.reused) waiting.push_back(&entry);
    comparison::putReferenceFirst(waiting, [](const ComparisonEntry* entry) { return entry->type(); });
    if (waiting.empty()) return;

    ProgressLine line;
    const auto told = [&](const jobs::Job& job) {
        if (job.state == jobs::JobState::Queued && !job.givenBack.empty()) {
            line.clear();
            say("note: " + comparison::captionOf(job.request).name +
                ": given back, as its machine is gone: " + job.givenBack);
        }
        if (job.state != jobs::JobState::Running) return line.clear();
        const auto place = std::find_if(waiting.begin(), waiting.end(), [&](const ComparisonEntry* entry) {
            return entry->clip == job.request.output;
        });
        const std::string what =
            comparison::captionOf(job.request).name + " (" + std::to_string(place - waiting.begin() + 1) +
            " of " + std::to_string(waiting.size()) + ")" + (job.machine.empty() ? "" : " on " + job.machine);
        const protocol::RenderProgress& now = job.progress;
        line.update(what, now.stage.empty() ? "starting" : now.stage, now.done, now.total, now.etaSeconds);
    };
    options.capacity = waiting.size();
    jobs::JobQueue queue(options, told);
    for (ComparisonEntry* entry : waiting)
        if (auto submitted = queue.submit(entry->checked.request()); !submitted)
            entry->error = submitted.error();
    const std::stop_callback cancel(stop, [&queue] { queue.cancelAll(); });
    queue.waitUntilIdle();

    for (const jobs::Job& job : queue.jobs())
        for (ComparisonEntry* entry : waiting) {
            if (entry->clip != job.request.output) continue;
            if (job.state == jobs::JobState::Cancelled)
                entry->error = Error{ErrorCode::Cancelled, "cancelled"};
            if (job.state == jobs::JobState::Failed) entry->error = job.error;
        }
}

Result<void> makeGrid(const CompareVerb& verb, Comparison& comparison, const machine::Machine& machine,
                      std::stop_token stop) {
    media::StitchOptions options;
    options.fontSize = verb.fontSize;
    if (!verb.fps.empty()) options.fps = frameRateFrom(verb.fps).value();
    std::vector<media::LabelledClip> clips;
    for (const ComparisonEntry* entry : comparison.finished())
        clips.push_back({entry->clip, entry->caption.text()});
    if (auto existing = existingDefault(verb, comparison, machine))
        clips.push_back(*std::move(existing));
    else if (!verb.script.empty())
        for (media::LabelledClip& clip : defaultByName(comparison)) clips.push_back(std::move(clip));
    if (!verb.script.empty() && clips.size() == 3) options.columns = 3;
    options.remarkOnTiming = [](const std::string& remark) { say("note: " + remark); };
    ProgressLine line;
    auto grid = media::stitch(clips, comparison.gridPath(), options, stop, [&line](int done, int total) {
        line.update("", "stitching", done, total, -1);
    });
    if (!grid) return grid.error();
    line.clear();
    comparison.grid = comparison.gridPath();
    return {};
}

json entryJson(const ComparisonEntry& entry) {
    json object = {{"requested", entry.type()}, {"reused", entry.reused}};
    if (const auto& cache = entry.checked.settings().stepCache; cache.isOn())
        object["step_cache"] = textOf(cache);
    if (entry.error) {
        object["error"] = {{"code", nameOf(entry.error->code)}, {"message", entry.error->message}};
        return object;
    }
    object.update(comparison::clipJson(entry.clip, entry.result));
    object["used"] = entry.result.manifest.usedAttention();
    object["label"] = entry.caption.text();
    return object;
}

int printComparison(const CompareVerb& verb, const Comparison& comparison) {
    if (verb.json) {
        json document = {{"output_dir", comparison.folder.string()},
                         {"prompt", comparison.entries.front().checked.settings().prompt},
                         {"results", json::array()}};
        const protocol::AttentionPolicy& policy =
            comparison.entries.front().checked.request().attentionPolicy;
        if (!policy.empty()) document["attention_policy"] = protocol::toJson(policy);
        for (const auto& [key, file] : {std::pair{"report", comparison.report},
                                        {"session", comparison.session},
                                        {"grid", comparison.grid}})
            if (!file.empty()) document[key] = file.string();
        for (const ComparisonEntry& entry : comparison.entries)
            document["results"].push_back(entryJson(entry));
        return printResult(document);
    }
    std::string text;
    for (const ComparisonEntry* entry : comparison.finished()) {
        text += entry->caption.text() + (entry->reused ? " (reused)" : "");
        if (const result::Timing* timing = entry->result.timing())
            text += ": " + comparison::timingLine(*timing);
        const auto& drift = entry->result.metrics.drift;
        if (drift && drift->psnr && std::isfinite(drift->psnr->mean))
            text +=
                "; PSNR against " + protocol::kReferenceBackend + " " + fixed(drift->psnr->mean, 2) + " dB";
        if (drift && drift->latentError)
            text += "; latents " + significant(100 * *drift->latentError, 3) + " % apart";
        for (const metrics::Measure& measure : metrics::kMeasures)
            if (const auto value = numberOf(measure, entry->result.metrics);
                value && std::isfinite(*value) && measure.measured == metrics::Measured::OnRequest)
                text += "; " + std::string(measure.title) + " " + fixed(*value, measure.decimals);
        if (!entry->checked.request().attentionPolicy.empty())
            text += "\n  " + comparison::attentionLine(entry->result.manifest);
        text += "\n  " + entry->clip.string() + "\n";
        if (entry->result.metrics.lockstep)
            text += "  " + comparison::lockstepLine(*entry->result.metrics.lockstep) + "\n";
    }
    for (const auto& [title, file] : {std::pair{"grid:    ", comparison.grid},
                                      {"report:  ", comparison.report},
                                      {"session: ", comparison.session}})
        if (!file.empty()) text += title + file.string() + "\n";
    return printResult(text);
}

/// Where clips are rendered at once; one lane where none is named.
Result<std::vector<jobs::LaneOptions>> lanesOf(const CompareVerb& verb, const Comparison& comparison,
                                               const machine::Machine& machine) {
    std::vector<jobs::LaneOptions> lanes;
    for (const std::string& device : verb.lanes) {
        const auto named = devices::deviceNamed(device);
        if (!named) return Error{named.error().code, "--lanes: " + named.error().message};
        if (auto usable = devices::requireUsable(machine.gpus, *named); !usable)
            return usable.error().in("--lanes");
        lanes.push_back({.device = named->text()});
    }
    if (lanes.empty()) return std::vector<jobs::LaneOptions>(1);
    if (verb.ranks.ranks() > 1)
        return Error{ErrorCode::BadUsage, "--lanes: --nproc " + std::to_string(verb.ranks.ranks()) +
                                              " shares each clip out; one of the two was needed"};
    if (comparison.entries.front().checked.request().device)
        return Error{ErrorCode::BadUsage, "--lanes: --device " +
                                              *comparison.entries.front().checked.request().device +
                                              " names one device; one of the two was needed"};
    return lanes;
}

/// The hosts of --hosts, asked what they have, and the machine that settings are resolved against.
struct Fleet {
    std::vector<fleet::SurveyedHost> hosts;
    machine::Machine reference;  ///< one of theirs, with the backends that are known here
};

Result<Fleet> surveyFleet(const CompareVerb& verb, const machine::Machine& machine,
                          const std::stop_token& stop) {
    for (const auto& [isGiven, option] :
         {std::pair{!verb.lanes.empty(), "--lanes"}, std::pair{verb.ranks.ranks() > 1, "--nproc"},
          std::pair{verb.resume, "--resume"}})
        if (isGiven)
            return Error{ErrorCode::BadUsage,
                         std::string("--hosts: ") + option + " was given, too; one of the two was needed"};
    const auto hosts = fleet::readHosts(verb.hostsFile);
    if (!hosts) return hosts.error().in("--hosts");
    Fleet fleet;
    fleet.hosts = fleet::surveyHosts(*hosts, machine, stop);
    for (const fleet::SurveyedHost& host : fleet.hosts)
        say((host.machine ? "host " : "note: left out: ") + fleet::summaryOf(host));
    const machine::Machine* const reference = fleet::referenceOf(fleet.hosts);
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "cancelled"};
    if (reference == nullptr)
        return Error{ErrorCode::NotFound, "--hosts " + verb.hostsFile + ": none of its hosts answered"};
    fleet.reference = *reference;
    // Of the same version it has ours; plug-ins are sent.
    fleet.reference.backends = machine.backends;
    fleet.reference.plugins = machine.plugins;
    return fleet;
}

/// Whether there will be a reference's clip and another one, which all have one size.
bool isMeasuredAgainstReference(const CompareVerb& verb, const Comparison& comparison) {
    return (comparison.entries.size() > 1 || !verb.engine.empty()) &&
           std::ranges::any_of(comparison.entries,
                               [](const ComparisonEntry& entry) { return entry.caption.isReference(); });
}

bool isOnGpu(const catalog::RenderSettings& settings) {
    const auto device = devices::deviceNamed(settings.device);
    return device && device->kind == devices::DeviceKind::Cuda;
}

/// What is left open is decided once for all machines, so that each makes the same picture.
Result<void> decideForAll(Comparison& comparison, const machine::Machine& machine) {
    for (ComparisonEntry& entry : comparison.entries) {
        const catalog::RenderSettings settings = entry.checked.settings();
        auto decided = entry.checked.with(machine, [&](protocol::RenderRequest& request) {
            // A GPU's number says nothing elsewhere: their lanes are of GPUs alone.
            if (!isOnGpu(settings)) request.device = settings.device;
            request.dtype = settings.dtype;
            request.vaeDtype = settings.vaeDtype;
            request.generator = settings.generator;
        });
        if (!decided) return decided.error();
        entry.checked = *std::move(decided);
    }
    return {};
}

Result<std::vector<jobs::LaneOptions>> lanesOf(const Fleet& fleet, const Comparison& comparison) {
    const protocol::RenderRequest& request = comparison.entries.front().checked.request();
    const bool isOnGpus = isOnGpu(comparison.entries.front().checked.settings());
    for (const fleet::SurveyedHost& host : fleet.hosts)
        if (host.machine && host.host.via != fleet::Host::Via::Here)
            if (const auto lack = fleet::modelObstacleOn(*host.machine, request.model))
                say("note: left out: " + host.host.name() + ": " + *lack);
    auto lanes = fleet::lanesOf(fleet.hosts, isOnGpus ? fleet::Compute::OnGpus : fleet::Compute::OnCpus);
    if (lanes.empty())
        return Error{ErrorCode::NotFound, std::string("--hosts: none of the hosts that answered has a ") +
                                              (isOnGpus ? "GPU" : "processor") + " for it"};
    return lanes;
}

int runCompare(CompareVerb& verb, const machine::Machine& local) {
    if (auto found = verb.ranks.find(); !found) return fail(found.error());
    if (!verb.ranks.starts() && verb.ranks.ranks() > 1)
        return fail({ErrorCode::BadUsage,
                     "compare starts ranks itself: --nproc N, without torchrun, srun or mpirun, was needed"});
    if (verb.ranks.starts() && verb.worker.hasTimeout())
        return fail({ErrorCode::BadUsage, "--job-timeout: with --nproc it was not needed"});
    verb.render.setRanks(verb.ranks.ranks());
    if (!verb.fps.empty())
        if (auto rate = frameRateFrom(verb.fps); !rate) return fail(rate.error());
    if (auto found = verb.asked.requireSources(); !found) return fail(found.error());
    const InterruptWatch interrupts;
    std::optional<Fleet> fleet;
    if (!verb.hostsFile.empty()) {
        auto surveyed = surveyFleet(verb, local, interrupts.token());
        if (!surveyed) return fail(surveyed.error());
        fleet = *std::move(surveyed);
    }
    const machine::Machine& machine = fleet ? fleet->reference : local;
    auto plan = planOf(verb, machine);
    if (!plan) return fail(plan.error());
    Comparison comparison = *std::move(plan);
    if (fleet)
        if (auto decided = decideForAll(comparison, machine); !decided) return fail(decided.error());
    if (isMeasuredAgainstReference(verb, comparison))
        if (auto fits = verb.asked.requireSidesAgainstReference(comparison.entries.front().checked); !fits)
            return fail(fits.error());
    if (auto ready = verb.asked.check(); !ready) return fail(ready.error());
    std::optional<DiffusersEngine> engine;
    if (!verb.engine.empty()) {
        auto found = DiffusersEngine::find();
        if (!found) return fail(found.error());
        engine = *std::move(found);
        if (auto accepted = engine->accepts(comparison.entries.front().checked); !accepted)
            return fail(accepted.error());
    }
    const auto lanes = fleet ? lanesOf(*fleet, comparison) : lanesOf(verb, comparison, machine);
    if (!lanes) return fail(lanes.error());
    // Grid, report and session are written by one comparison at a time; each clip has its own lock.
    const auto lock = result::WriterLock::acquire(comparison.folder / "comparison");
    if (!lock) return fail(lock.error());
    comparison.earlier = comparison::EarlierSession::read(comparison.sessionPath());
    if (const std::string others = otherRequestsLine(comparison); !others.empty()) say("note: " + others);
    if (verb.reuse || verb.resume) reuseEarlier(comparison);
    if (verb.reuse && !verb.script.empty()) reuseByName(comparison);
    // Other machines have other memory.
    if (engine && !fleet)
        if (auto decodes = requireDecodable(*engine, comparison, machine); !decodes)
            return fail(decodes.error());
    const bool allReused = std::ranges::all_of(comparison.entries, &ComparisonEntry::reused);
    std::error_code ignored;
    if (!verb.stitch && !allReused && fs::exists(comparison.gridPath(), ignored))
        say("note: " + comparison.gridPath().string() + " is of an earlier comparison, and stays");
    for (const ComparisonEntry& entry : comparison.entries)
        if (!entry.reused) sayWhatWasKept(entry.checked.request());
    std::vector<std::string> backends;
    for (const ComparisonEntry& entry : comparison.entries)
        backends.push_back(entry.checked.settings().attentionType);
    sayIdleChoices(comparison.entries.front().checked, backends);
    sayIdleCaches(comparison, verb.stepCaches.empty() ? "--step-cache" : "--step-caches");
    verb.render.sayIdleOptions(comparison.entries.front().checked);
    verb.ranks.sayIdleOptions();
    for (const auto& [isGiven, option] :
         {std::pair{!verb.fps.empty(), "--fps"}, std::pair{verb.fontSize != kUsualFontSize, "--font-size"}})
        if (isGiven && !verb.stitch) sayIdle(option, "no grid is made without --stitch");

    jobs::JobQueueOptions queue = verb.worker.queueOptions();
    queue.lanes = *lanes;
    for (std::string& word : verb.ranks.workerArguments()) queue.worker.arguments.push_back(std::move(word));
    if (lanes->size() > 1)
        say("note: up to " + std::to_string(lanes->size()) +
            " clips are rendered at once: their times are not those of clips rendered alone");
    render(comparison, std::move(queue), interrupts.token());
    int status = 0;
    for (ComparisonEntry& entry : comparison.entries) {
        if (!entry.error) {
            readResult(entry);
            if (!entry.reused) sayWhereItWentOn(entry.result.manifest);
            continue;
        }
        status = fail(entry.error->in(entry.caption.name));
        sayWhatIsKept(entry.clip, *entry.error);
    }
    if (comparison.finished().empty() || interrupts.token().stop_requested()) return std::max(status, 1);
    if (engine) {
        renderWith(*engine, comparison, interrupts.token());
        if (const auto& error = comparison.entries.back().error) status = fail(*error);
        if (interrupts.token().stop_requested()) return std::max(status, 1);
    }
    for (const ComparisonEntry* entry : std::as_const(comparison).finished()) {
        for (const std::string& remark : comparison::attentionRemarks(entry->result.manifest))
            say(entry->caption.name + ": " + remark);
        if (const std::string tiles =
                comparison::tilingLine(entry->checked.settings(), entry->result.manifest);
            !tiles.empty())
            say("note: " + entry->caption.name + ": " + tiles);
        if (entry->checked.settings().saveInputs)
            say(entry->caption.name + ": " + comparison::captureLine(entry->clip, entry->result.manifest));
    }

    for (const ComparisonEntry* entry : std::as_const(comparison).finished())
        if (const auto& cache = entry->result.manifest.stepCache)
            say(entry->caption.name + ": " + comparison::stepCacheLine(*cache));
    for (const ComparisonEntry* entry : std::as_const(comparison).finished())
        if (const auto& profile = entry->result.manifest.profile)
            say(entry->caption.name + ": " + comparison::profileLine(*profile));

    const std::string machines = comparison::machinesLine(comparison.shared());
    if (!machines.empty()) say("note: " + machines);
    if (const auto work = comparison::sameWorkOf(comparison.shared());
        machines.empty() && work && work->isUneven())
        say("note: " + unevenWorkLine(*work));
    if (const std::string warmUp = comparison::warmUpLine(comparison.shared()); !warmUp.empty())
        say("note: " + warmUp);

    const auto note = [&status](const Result<void>& done) {
        if (!done) status = fail(done.error());
    };
    note(measureMissingDrift(comparison));
    note(measureAsked(comparison, verb.asked, interrupts.token()));
    if (verb.stitch) note(makeGrid(verb, comparison, machine, interrupts.token()));
    const session::Session session = sessionOf(comparison);
    note(saveReport(comparison, session));
    note(saveSession(comparison, session));
    const int printed = printComparison(verb, comparison);
    return std::max(status, printed);
}

}  // namespace

Verb addCompareVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<CompareVerb>();
    CLI::App* command = program.add_subcommand(
        "compare", "One video per backend, then the labelled grid, metrics and a report");
    addCommaList(*command, "--types", verb->types,
                 "Backends, separated by commas (default: " + kernels::usualBackendsInWords() +
                     ", in turn): " + kernels::backendNames());
    addCommaList(*command, "--step-caches", verb->stepCaches,
                 "Beside each backend's clip one with each of these, separated by commas: "
                 "0.28,teacache:0.1,magcache:0.12,taylorseer:3");
    command->add_option("--output-dir", verb->outputFolder, "Where everything goes")->capture_default_str();
    command->add_flag("--stitch", verb->stitch, "Also make comparison_grid.mp4");
    command->add_flag("--reuse", verb->reuse,
                      "Keep clips that are there already and come from the same request");
    command->add_flag("--resume", verb->resume,
                      "The same, and go on with those that were interrupted from their last kept step");
    command->add_flag("--lockstep", verb->lockstep,
                      "Also the error of each backend in each layer and step on the sdpa clip's own latents");
    command->add_option("--font-size", verb->fontSize, "Pixels of the grid's labels")
        ->check(numberFrom(0, 1000))
        ->capture_default_str();
    command->add_option("--fps", verb->fps, "Frames per second of the grid (default: the clips')");
    command->add_flag("--json", verb->json, "Print one JSON document");
    command->add_option(kAsScript, verb->script)->group("");
    verb->asked.addTo(*command);
    command
        ->add_option(
            "--with-engine", verb->engine,
            "Also render it with another program, from the same noise: diffusers, in the Python that "
            "REELGRID_PYTHON names, else the active environment's, else python3")
        ->check(CLI::IsMember({DiffusersEngine::kName}));
    verb->render.addTo(*command, {"attention_type", "fps", "lockstep"});
    verb->worker.addTo(*command);
    verb->ranks.addTo(*command);
    addCommaList(*command, "--lanes", verb->lanes,
                 "Render several clips at once, one on each device named: cuda:0,cuda:1 (default: one after "
                 "another)");
    command
        ->add_option("--hosts", verb->hostsFile,
                     "Render on the machines that this file names, one a line: here, ssh://user@host, "
                     "slurm:partition?gpus=1")
        ->type_name("FILE");
    return {command, [verb, machine] { return runCompare(*verb, machine.now()); }};
}

}  // namespace reelgrid::cli
