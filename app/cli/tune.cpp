#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/number_range.h"
#include "app/cli/progress_line.h"
#include "app/cli/render_options.h"
#include "app/cli/tuning_renders.h"
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "core/base/json.h"
#include "core/base/number_text.h"
#include "core/base/pending_file.h"
#include "core/base/utf8.h"
#include "core/capture/sparge_thresholds.h"
#include "core/catalog/denoising_steps.h"
#include "core/machine/local_machine.h"
#include "core/protocol/attention_policy_json.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/step_cache_json.h"
#include "core/result/writer_lock.h"
#include "core/tune/find_policy.h"
#include "core/tune/step_cache_fit.h"
#include "core/tune/tuning_report.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kUsualRenders = 4;
constexpr const char *kPolicyFile = "policy.json", *kCurvesFile = "step-cache.json";

struct TuneVerb {
    RenderOptions render;
    WorkerOptions worker;
    std::vector<std::string> backends;
    std::string budget;
    std::string output;             ///< empty: kPolicyFile, or kCurvesFile
    std::optional<int> maxRenders;  ///< absent: kUsualRenders
    std::optional<double> spargeL1;
    bool json = false;
};

/// A tuning before anything is rendered.
struct Plan {
    CheckedRequest checked;  ///< for sdpa
    tune::TuningGoal goal;
};

/// POLICY.json → POLICY.files, POLICY.report.json, POLICY.report.html
fs::path beside(const fs::path& policy, const std::string& ending) {
    return policy.parent_path() / (policy.stem().string() + ending);
}

Result<std::vector<std::string>> backendsOf(const TuneVerb& verb, const CheckedRequest& checked,
                                            const machine::Machine& machine) {
    std::vector<std::string> names = verb.backends;
    if (names.empty()) names = machine.backendsOn(devices::deviceNamed(checked.settings().device).value());
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

Result<CheckedRequest> withLockstep(const CheckedRequest& checked, const std::vector<std::string>& backends,
                                    const machine::Machine& machine) {
    return checked.with(machine, [&](auto& request) { request.lockstep = backends; });
}

fs::path policyFileOf(const TuneVerb& verb) {
    return verb.output.empty() ? kPolicyFile : verb.output;
}

Result<Plan> planOf(const TuneVerb& verb, const machine::Machine& machine) {
    if (verb.budget.empty())
        return Error{ErrorCode::BadUsage,
                     "--budget is missing: how good clips must be was needed, such as psnr>=40"};
    auto budget = tune::budgetFrom(verb.budget);
    if (!budget) return budget.error();
    if (policyFileOf(verb).extension() != ".json")
        return Error{ErrorCode::BadUsage,
                     "--output " + verb.output + ": a name that ends in .json was needed"};
    auto checked = verb.render.check(protocol::kReferenceBackend, machine);
    if (!checked) return checked.error();
    auto backends = backendsOf(verb, *checked, machine);
    if (!backends) return backends.error();
    // What the reference render can't measure, as with CUDA graphs, is said before anything runs.
    std::vector<std::string> others = *backends;
    std::erase(others, protocol::kReferenceBackend);
    if (auto fits = withLockstep(*checked, others, machine); !fits)
        return fits.error().in("tune measures backends in lockstep");
    tune::TuningGoal goal{.budget = *budget,
                          .prompt = checked->settings().prompt,
                          .layers = checked->model().layers,
                          .steps = catalog::denoisingSteps(checked->settings(), checked->model()),
                          .backends = *std::move(backends),
                          .mostPolicies = verb.maxRenders.value_or(kUsualRenders)};
    return Plan{*std::move(checked), std::move(goal)};
}

/// Why a backend didn't serve all of its own render; empty: it did.
std::string substitution(const result::ClipResult& result) {
    for (const protocol::CallRecord& call : result.manifest.attention)
        if (call.isSubstituted()) return call.why.empty() ? call.used + " ran" : call.why;
    return {};
}

/// Renders what the search asks for.
Result<tune::RenderOutcome> render(const Plan& plan, const tune::RenderOrder& order,
                                   const machine::Machine& machine, TuningRenders& renders) {
    auto checked = plan.checked.with(machine, [&](auto& request) {
        request.attentionType = order.backend;
        request.attentionPolicy = order.policy;
        request.lockstep = order.lockstep;
    });
    if (!checked) return checked.error();
    auto made = renders.render(order.name, *std::move(checked), plan.goal.budget);
    if (!made) return made.error();
    const result::ClipResult& result = renders.lastResult();
    return tune::RenderOutcome{.render = *std::move(made),
                               .map = result.metrics.lockstep,
                               .substitution = substitution(result),
                               .timesAttention = renders.timesAttention()};
}

/// The report first, so that a policy never stands without the figures that it was chosen by.
Result<void> save(const tune::Tuning& tuning, const std::vector<std::string>& backendOption,
                  const fs::path& policy, const json& document) {
    const tune::TuningRender& chosen = tuning.renders[*verdictOf(tuning).chosen];
    protocol::SavedPolicy made{chosen.policy, {}};
    for (const std::string& text : backendOption)
        if (std::ranges::find(made.policy.rules, protocol::BackendOptionChoice::from(text).value().backend,
                              &protocol::AttentionRule::backend) != made.policy.rules.end())
            made.backendOption.push_back(text);
    for (const auto& [file, content] :
         {std::pair{beside(policy, ".report.json"), printJsonIndented(document)},
          std::pair{beside(policy, ".report.html"), tuningHtml(tuning, policy.parent_path())},
          std::pair{policy, printJsonIndented(protocol::toJson(made))}})
        if (auto written = writeFile(file, content + "\n"); !written) return written;
    return {};
}

int failWithoutPolicy(const tune::Tuning& tuning) {
    for (const tune::TuningRender& render : tuning.renders)
        say(render.name + ": " + tune::infoOf(tuning.budget.quality).name + " " +
            qualityText(tuning.budget.quality, render.measured.quality));
    return fail({ErrorCode::Unsupported, verdictText(tuning) + " Nothing was written."});
}

constexpr const char* kSparge = "sparge";

/// What --sparge-l1 asks for can be had: said before anything is rendered.
Result<void> checkSpargeL1(const TuneVerb& verb, const Plan& plan) {
    if (!verb.spargeL1) return {};
    const auto wrong = [&](const std::string& why) {
        return Error{ErrorCode::BadUsage, "--sparge-l1 " + significant(*verb.spargeL1, 4) + ": " + why};
    };
    if (!(*verb.spargeL1 > 0) || !std::isfinite(*verb.spargeL1)) return wrong("a number above 0 was needed");
    if (std::ranges::find(plan.goal.backends, kSparge) == plan.goal.backends.end())
        return wrong("sparge was needed among --backends");
    for (const std::string& text : plan.checked.request().backendOption)
        if (text.starts_with("sparge.simthreshd1") || text.starts_with("sparge.cdfthreshd"))
            return wrong("it looks for what --backend-option " + text + " sets; one of the two was needed");
    return {};
}

/// sparge's thresholds of each layer: from calls of one more sdpa render, which lie in a folder of their own.
Result<std::vector<capture::LayerThresholds>> spargeThresholds(const TuneVerb& verb, const Plan& plan,
                                                               const machine::Machine& machine,
                                                               const fs::path& folder, std::stop_token stop) {
    constexpr int kCallsPerLayer = 2;
    const fs::path captures = folder / "captures";
    auto checked = plan.checked.with(machine, [&](auto& request) {
        request.saveInputs = true;
        request.inputDir = captures.string();
        request.maxCaptures = kCallsPerLayer * plan.goal.layers;
    });
    if (!checked) return checked.error();
    const bool isCpu = checked->settings().device == "cpu";
    TuningRenders renders(folder, 1, verb.worker.queueOptions(), stop);
    if (auto made = renders.render("sdpa, captured", *std::move(checked), plan.goal.budget); !made)
        return made.error();
    const auto files = capture::captureFiles(captures);
    if (!files) return files.error();
    ProgressLine line;
    // Kernels of a GPU take one value for all heads.
    return capture::tuneSparge(*files, *verb.spargeL1,
                               isCpu ? capture::ThresholdsFor::EachHead : capture::ThresholdsFor::AllHeads,
                               [&](int done, int total) {
                                   line.update("sparge's thresholds", "calls", done, total, -1);
                                   return !stop.stop_requested();
                               });
}

json thresholdsJson(const std::vector<capture::LayerThresholds>& layers) {
    json list = json::array();
    for (const capture::LayerThresholds& layer : layers)
        list.push_back({{"layer", layer.layer},
                        {"kept_share", layer.keptShare},
                        {"l1", layer.relativeL1},
                        {"backend_option", capture::backendOptionsOf({layer})}});
    return list;
}

/// All renders of a tuning, in one worker.
Result<tune::Tuning> search(const TuneVerb& verb, const Plan& plan, const machine::Machine& machine,
                            const fs::path& folder, std::stop_token stop) {
    TuningRenders renders(folder, mostRenders(plan.goal), verb.worker.queueOptions(), std::move(stop));
    return tune::findPolicy(
        plan.goal,
        {.render = [&](const tune::RenderOrder& order) { return render(plan, order, machine, renders); },
         .note = [](const std::string& line) { say("note: " + line); }});
}

bool isRecording(const CheckedRequest& checked) {
    return checked.settings().stepCache.method == protocol::StepCache::Method::Record;
}

/// A recording looks for no policy: BadUsage naming what was given for one.
Result<void> requireNoPolicyAsked(const TuneVerb& verb) {
    for (const auto& [isGiven, option] :
         {std::pair{!verb.budget.empty(), "--budget"}, std::pair{!verb.backends.empty(), "--backends"},
          std::pair{verb.maxRenders.has_value(), "--max-renders"},
          std::pair{verb.spargeL1.has_value(), "--sparge-l1"}})
        if (isGiven)
            return Error{
                ErrorCode::BadUsage,
                std::string(option) + ": --step-cache record looks for no policy; one of the two was needed"};
    return {};
}

/// One render whose steps tell what TeaCache and MagCache have to know, and their file.
int runRecording(const TuneVerb& verb, CheckedRequest checked) {
    const fs::path file = fs::absolute(verb.output.empty() ? kCurvesFile : verb.output).lexically_normal();
    if (auto text = requireUtf8("--output", file.string()); !text) return fail(text.error());
    if (file.extension() != ".json")
        return fail(
            {ErrorCode::BadUsage, "--output " + verb.output + ": a name that ends in .json was needed"});
    if (auto alone = requireNoPolicyAsked(verb); !alone) return fail(alone.error());
    const int steps = checked.settings().numInferenceSteps;
    if (steps < tune::kLeastRecordedSteps)
        return fail({ErrorCode::BadUsage,
                     "--num-inference-steps " + std::to_string(steps) + ": for --step-cache record " +
                         std::to_string(tune::kLeastRecordedSteps) + " or more were needed"});
    const fs::path folder = beside(file, ".files");
    const InterruptWatch interrupts;
    const auto lock = result::WriterLock::acquire(folder / "tuning");
    if (!lock) return fail(lock.error());
    TuningRenders renders(folder, 1, verb.worker.queueOptions(), interrupts.token());
    const std::string model = checked.model().id;
    if (auto made = renders.render("sdpa, recorded", std::move(checked), {}); !made)
        return fail(made.error());
    std::vector<tune::RecordedStep> recorded;
    if (const result::Timing* timing = renders.lastResult().timing())
        for (const result::StepChange& change : timing->changes)
            recorded.push_back({change.step, change.embedding, change.added, change.magnitude});
    const auto curves = tune::fitStepCaches(model, steps, recorded);
    if (!curves) return fail(curves.error());
    const json document = toJson(*curves);
    if (auto written = writeFile(file, printJsonIndented(document) + "\n"); !written)
        return fail(written.error());
    if (verb.json) return printResult(document);
    return printResult("coefficients of teacache and magcache for " + model + " in " + std::to_string(steps) +
                       " steps: " + file.string() + "\nuse them by --step-cache teacache:0.1@" +
                       file.string());
}

int runTune(const TuneVerb& verb, const machine::Machine& machine) {
    auto checked = verb.render.check(protocol::kReferenceBackend, machine);
    if (!checked) return fail(checked.error());
    if (isRecording(*checked)) return runRecording(verb, *std::move(checked));
    auto plan = planOf(verb, machine);
    if (!plan) return fail(plan.error());
    if (auto fits = checkSpargeL1(verb, *plan); !fits) return fail(fits.error());
    const fs::path policy = fs::absolute(policyFileOf(verb)).lexically_normal();
    if (auto text = requireUtf8("--output", policy.string()); !text) return fail(text.error());
    const fs::path folder = beside(policy, ".files");
    const InterruptWatch interrupts;
    const auto lock = result::WriterLock::acquire(folder / "tuning");
    if (!lock) return fail(lock.error());
    std::vector<capture::LayerThresholds> thresholds;
    if (verb.spargeL1) {
        auto found = spargeThresholds(verb, *plan, machine, folder / "captured", interrupts.token());
        if (!found) return fail(found.error());
        thresholds = *std::move(found);
        auto checkedWith = plan->checked.with(machine, [&](auto& request) {
            for (std::string& option : backendOptionsOf(thresholds))
                request.backendOption.push_back(std::move(option));
        });
        if (!checkedWith) return fail(checkedWith.error());
        plan->checked = *std::move(checkedWith);
    }
    const auto tuning = search(verb, *plan, machine, folder, interrupts.token());
    if (!tuning) return fail(tuning.error());
    if (!verdictOf(*tuning).chosen) return failWithoutPolicy(*tuning);

    json document = toJson(*tuning);
    document["policy"] = policy.string();
    if (verb.spargeL1) document["sparge_thresholds"] = thresholdsJson(thresholds);
    document["report"] = beside(policy, ".report.html").string();
    if (auto saved = save(*tuning, plan->checked.request().backendOption, policy, document); !saved)
        return fail(saved.error());
    if (verb.json) return printResult(document);
    std::string text = verdictText(*tuning) + "\n";
    if (const std::string warmUp = warmUpText(*tuning); !warmUp.empty()) text += warmUp + "\n";
    if (const auto floor = tuning->floorQuality)
        text += "Noise floor, sdpa against " + tuning->floorBackend + ": " +
                qualityText(tuning->budget.quality, *floor) + "\n";
    return printResult(text + "policy: " + policy.string() +
                       "\nreport: " + beside(policy, ".report.html").string());
}

}  // namespace

Verb addTuneVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<TuneVerb>();
    CLI::App* command = program.add_subcommand(
        "tune", "The fastest attention policy within a quality budget; coefficients of step caches");
    addCommaList(*command, "--backends", verb->backends,
                 "What the policy may use, separated by commas (default: " + kernels::usualBackendsInWords() +
                     "): " + kernels::backendNames());
    command->add_option(
        "--budget", verb->budget,
        "psnr>=DB or ssim>=N of the frames, l1<=N or cosine>=N of the final latents, against sdpa; "
        "not with --step-cache record, which renders once for the coefficients of step caches");
    command
        ->add_option("--output", verb->output,
                     std::string("The policy; report and clips go beside it (default: ") + kPolicyFile +
                         "; with --step-cache record the coefficients, " + kCurvesFile + ")")
        ->type_name("FILE.json");
    command
        ->add_option(
            "--max-renders", verb->maxRenders,
            "Policies that are rendered at most to find it (default: " + std::to_string(kUsualRenders) + ")")
        ->check(numberFrom(1, 100));
    command
        ->add_option(
            "--sparge-l1", verb->spargeL1,
            "Look for sparge's thresholds first, of each layer and on the CPU of each head: those that "
            "keep least while a head's output is so near exact attention's (relative L1; 0.05 is usual)")
        ->type_name("N");
    command->add_flag("--json", verb->json, "Print one JSON document");
    verb->render.addTo(*command, {"attention_type", "attention_policy", "lockstep", "ulysses_degree",
                                  "ring_degree", "cfg_parallel", "shard_weights"});
    verb->worker.addTo(*command);
    return {command, [verb, machine] { return runTune(*verb, machine.now()); }};
}

}  // namespace reelgrid::cli
