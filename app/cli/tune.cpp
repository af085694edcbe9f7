#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/render_options.h"
#include "app/cli/tuning_renders.h"
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/catalog/policy_check.h"
#include "core/machine/local_machine.h"
#include "core/protocol/attention_policy_json.h"
#include "core/result/writer_lock.h"
#include "core/tune/policy_rules.h"
#include "core/tune/prediction.h"
#include "core/tune/search.h"
#include "core/tune/tuning_report.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Exact but for rounding on every device: its distance from sdpa is the noise floor.
const std::string kFloorBackend = "fav2";

struct TuneVerb {
    RenderOptions render;
    WorkerOptions worker;
    std::vector<std::string> backends;
    std::string budget;
    std::string output = "policy.json";
    int maxRenders = 4;
    bool json = false;
};

/// What a tuning knows and has found so far.
struct Search {
    CheckedRequest checked;  ///< for sdpa
    tune::Tuning tuning;
    tune::Measurements known;
    tune::BlockSize blocks;
};

/// POLICY.json → POLICY.files, POLICY.report.json, POLICY.report.html
fs::path beside(const fs::path& policy, const std::string& ending) {
    return policy.parent_path() / (policy.stem().string() + ending);
}

Result<std::vector<std::string>> backendsOf(const TuneVerb& verb, const CheckedRequest& checked,
                                            const machine::Machine& machine) {
    std::vector<std::string> names = verb.backends;
    if (names.empty()) names = machine.backendsOn(devices::deviceNamed(checked.settings.device).value());
    std::set<std::string> seen;
    for (const std::string& name : names) {
        const auto wrong = [&](const std::string& needed) {
            return Error{ErrorCode::BadUsage, "--backends " + name + ": " + needed + " was needed"};
        };
        if (machine.findBackend(name) == nullptr) return wrong("one of " + machine.backendNames());
        if (!seen.insert(name).second) return wrong("each backend once");
    }
    if (seen.size() == seen.count(protocol::kReferenceBackend))
        return Error{ErrorCode::BadUsage,
                     "--backends: another backend than " + protocol::kReferenceBackend + " was needed"};
    return names;
}

Result<Search> planOf(const TuneVerb& verb, const machine::Machine& machine) {
    auto budget = tune::budgetFrom(verb.budget);
    if (!budget) return budget.error();
    if (fs::path(verb.output).extension() != ".json")
        return Error{ErrorCode::BadUsage,
                     "--output " + verb.output + ": a name that ends in .json was needed"};
    auto checked = verb.render.check(protocol::kReferenceBackend, machine);
    if (!checked) return checked.error();
    auto backends = backendsOf(verb, *checked, machine);
    if (!backends) return backends.error();
    Search search{.checked = *std::move(checked), .tuning = {}, .known = {}, .blocks = {}};
    search.tuning.budget = *budget;
    search.tuning.prompt = search.checked.settings.prompt;
    search.tuning.layers = search.checked.model.layers;
    search.tuning.steps = search.checked.settings.numInferenceSteps;
    search.tuning.backends = *std::move(backends);
    search.blocks = tune::blockSizeFor(search.tuning.layers, search.tuning.steps, tune::kMostBlocks);
    // What the reference render can't measure, as with CUDA graphs, is said before anything runs.
    catalog::RenderSettings settings = search.checked.settings;
    for (const std::string& name : search.tuning.backends)
        if (name != protocol::kReferenceBackend) settings.lockstep.push_back(name);
    if (auto fits = catalog::checkLockstep(settings, machine); !fits)
        return fits.error().in("tune measures backends in lockstep");
    return search;
}

/// Renders the sdpa clip, with the maps of the others.
Result<void> renderReference(Search& search, TuningRenders& renders) {
    CheckedRequest checked = search.checked;
    for (const std::string& name : search.tuning.backends)
        if (name != protocol::kReferenceBackend) checked.request.lockstep.push_back(name);
    checked.settings.lockstep = checked.request.lockstep;
    auto render = renders.render(protocol::kReferenceBackend, std::move(checked), search.tuning.budget);
    if (!render) return render.error();
    if (!renders.lastResult().metrics.lockstep)
        return Error{ErrorCode::Internal, "the sdpa clip has no lockstep maps"};
    search.known.map = *renders.lastResult().metrics.lockstep;
    search.tuning.timesAttention = renders.timesAttention();
    search.tuning.renders.push_back(*std::move(render));
    return {};
}

/// Why a backend didn't serve all of its own render; empty: it did.
std::string substitution(const result::ClipResult& result) {
    for (const protocol::CallRecord& call : result.manifest.attention)
        if (infoOf(call.kind).followsAttentionType && call.used != call.requested)
            return call.why.empty() ? call.used + " ran" : call.why;
    return {};
}

/// Renders every backend throughout. One that fails or can't run is left out with a line.
Result<void> renderSingles(Search& search, TuningRenders& renders) {
    tune::Tuning& tuning = search.tuning;
    std::vector<std::string> names = tuning.backends;
    if (std::ranges::find(names, kFloorBackend) == names.end()) names.push_back(kFloorBackend);
    for (const std::string& name : names) {
        if (name == protocol::kReferenceBackend) continue;
        CheckedRequest checked = search.checked;
        checked.request.attentionType = checked.settings.attentionType = name;
        auto render = renders.render(name, std::move(checked), tuning.budget);
        if (!render && render.error().code == ErrorCode::Cancelled) return render.error();
        const std::string why = render ? substitution(renders.lastResult()) : render.error().message;
        if (!why.empty()) {
            say("note: " + name + " is left out: " + why);
            std::erase(tuning.backends, name);
            continue;
        }
        render->policy.rules = {{.backend = name}};
        if (name == kFloorBackend) {
            tuning.floorBackend = name;
            tuning.floorQuality = render->measured.quality;
        }
        tuning.renders.push_back(*std::move(render));
    }
    tuning.renders.front().policy.rules = {{.backend = protocol::kReferenceBackend}};
    if (tuning.floorQuality) search.known.floor = errorOf(tuning.budget.quality, *tuning.floorQuality);
    for (const std::string& name : tuning.backends)
        for (const tune::TuningRender& render : tuning.renders)
            if (render.name == name)
                search.known.singles.push_back(
                    {name, render.measured.seconds, errorOf(tuning.budget.quality, render.measured.quality)});
    return {};
}

tune::TimeAndQuality figuresOf(const Search& search, const tune::Candidate& candidate) {
    return {candidate.seconds, valueOf(search.tuning.budget.quality, candidate.error)};
}

/// The render with these backends, if there was one.
const tune::TuningRender* rendered(const tune::Tuning& tuning, const tune::Assignment& assignment) {
    const std::set<int> used(assignment.begin(), assignment.end());
    for (const tune::TuningRender& render : tuning.renders)
        if (render.assignment == assignment ||
            (used.size() == 1 && render.name == tuning.backends[std::size_t(*used.begin())]))
            return &render;
    return nullptr;
}

/// The error that the next policy may be predicted to have. At the budget's edge every second prediction is a
/// miss, so each miss leaves a part of what there is beyond the floor unused.
double allowedError(const Search& search, double share) {
    constexpr double kAfterMiss = 0.85;
    const double budget = search.tuning.budget.error();
    const double floor = std::min(search.known.floor, budget);
    for (const tune::TuningRender& render : search.tuning.renders)
        if (render.assignment && !search.tuning.budget.isMetBy(render.measured.quality)) share *= kAfterMiss;
    return floor + (budget - floor) * share;
}

/// The fastest assignment that is predicted to be within the budget and was not rendered yet; nothing when
/// one that was, and is within, is as fast.
std::optional<tune::Candidate> nextCandidate(const Search& search) {
    constexpr int kAttempts = 30;
    constexpr double kTighter = 0.9;
    const tune::SiteCosts costs = siteCosts(search.known, calibrate(search.known));
    double share = 1;
    for (int attempt = 0; attempt < kAttempts; ++attempt, share *= kTighter) {
        auto candidate = fastestWithin(costs, search.blocks, allowedError(search, share));
        if (!candidate) return std::nullopt;
        const tune::TuningRender* earlier = rendered(search.tuning, candidate->assignment);
        if (earlier == nullptr) return candidate;
        if (search.tuning.budget.isMetBy(earlier->measured.quality)) return std::nullopt;
    }
    return std::nullopt;
}

/// Predicts, renders and learns until nothing faster is predicted or the renders are used up.
Result<void> renderPolicies(Search& search, TuningRenders& renders, int most) {
    // Below this a faster policy would not be told from noise.
    constexpr double kWorthwhile = 0.99;
    tune::Tuning& tuning = search.tuning;
    for (int number = 1; number <= most; ++number) {
        const auto candidate = nextCandidate(search);
        if (!candidate) return {};
        const tune::Verdict verdict = verdictOf(tuning);
        if (verdict.chosen &&
            candidate->seconds > kWorthwhile * tuning.renders[*verdict.chosen].measured.seconds)
            return {};

        CheckedRequest checked = search.checked;
        checked.request.attentionPolicy =
            tune::policyOf(candidate->assignment, tuning.layers, tuning.steps, tuning.backends);
        checked.settings.attentionPolicy = checked.request.attentionPolicy;
        auto render = renders.render("policy " + std::to_string(number), std::move(checked), tuning.budget);
        if (!render) return render.error();
        render->assignment = candidate->assignment;
        render->predicted = figuresOf(search, *candidate);
        search.known.mixed.push_back(
            {candidate->assignment, errorOf(tuning.budget.quality, render->measured.quality)});
        tuning.renders.push_back(*std::move(render));
    }
    return {};
}

void keepCurve(Search& search) {
    const tune::SiteCosts costs = siteCosts(search.known, calibrate(search.known));
    for (const tune::Candidate& candidate : paretoCurve(costs, search.blocks))
        search.tuning.curve.push_back(figuresOf(search, candidate));
}

/// The report first, so that a policy never stands without the figures that it was chosen by.
Result<void> save(const Search& search, const fs::path& policy, const json& document) {
    const tune::TuningRender& chosen = search.tuning.renders[*verdictOf(search.tuning).chosen];
    for (const auto& [file, content] :
         {std::pair{beside(policy, ".report.json"), printJsonIndented(document)},
          std::pair{beside(policy, ".report.html"), tuningHtml(search.tuning, policy.parent_path())},
          std::pair{policy, printJsonIndented(protocol::toJson(chosen.policy))}})
        if (auto written = writeFile(file, content + "\n"); !written) return written;
    return {};
}

int failWithoutPolicy(const tune::Tuning& tuning) {
    for (const tune::TuningRender& render : tuning.renders)
        say(render.name + ": " + tune::infoOf(tuning.budget.quality).name + " " +
            qualityText(tuning.budget.quality, render.measured.quality));
    return fail({ErrorCode::Unsupported, verdictText(tuning) + " Nothing was written."});
}

int runTune(const TuneVerb& verb, const machine::Machine& machine) {
    auto plan = planOf(verb, machine);
    if (!plan) return fail(plan.error());
    Search search = *std::move(plan);
    const fs::path policy = fs::absolute(verb.output).lexically_normal();
    const fs::path folder = beside(policy, ".files");
    const InterruptWatch interrupts;
    const auto lock = result::WriterLock::acquire(folder / "tuning");
    if (!lock) return fail(lock.error());
    {
        std::set<std::string> singles(search.tuning.backends.begin(), search.tuning.backends.end());
        singles.insert({protocol::kReferenceBackend, kFloorBackend});
        TuningRenders renders(folder, int(singles.size()) + verb.maxRenders, verb.worker.queueOptions(),
                              interrupts.token());
        if (auto done = renderReference(search, renders); !done) return fail(done.error());
        if (auto done = renderSingles(search, renders); !done) return fail(done.error());
        if (auto done = renderPolicies(search, renders, verb.maxRenders); !done) return fail(done.error());
    }
    keepCurve(search);
    if (!verdictOf(search.tuning).chosen) return failWithoutPolicy(search.tuning);

    json document = toJson(search.tuning);
    document["policy"] = policy.string();
    document["report"] = beside(policy, ".report.html").string();
    if (auto saved = save(search, policy, document); !saved) return fail(saved.error());
    if (verb.json) return printResult(document);
    std::string text = verdictText(search.tuning) + "\n";
    if (const auto floor = search.tuning.floorQuality)
        text += "Noise floor, sdpa against " + search.tuning.floorBackend + ": " +
                qualityText(search.tuning.budget.quality, *floor) + "\n";
    return printResult(text + "policy: " + policy.string() +
                       "\nreport: " + beside(policy, ".report.html").string());
}

}  // namespace

Verb addTuneVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<TuneVerb>();
    CLI::App* command =
        program.add_subcommand("tune", "The fastest attention policy within a quality budget");
    command
        ->add_option("--backends", verb->backends,
                     "What the policy may use, separated by commas (default: every one of the device): " +
                         kernels::backendNames())
        ->delimiter(',');
    command
        ->add_option(
            "--budget", verb->budget,
            "psnr>=DB or ssim>=N of the frames, l1<=N or cosine>=N of the final latents, against sdpa")
        ->required();
    command->add_option("--output", verb->output, "The policy; report and clips go beside it")
        ->type_name("POLICY.json")
        ->capture_default_str();
    command->add_option("--max-renders", verb->maxRenders, "Policies that are rendered at most to find it")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    command->add_flag("--json", verb->json, "Print one JSON document");
    verb->render.addTo(*command, {"attention_type", "attention_policy", "lockstep"});
    verb->worker.addTo(*command);
    return {command, [verb, machine] { return runTune(*verb, machine.now()); }};
}

}  // namespace reelgrid::cli
