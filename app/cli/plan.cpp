#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/console.h"
#include "app/cli/number_range.h"
#include "app/cli/plan_source.h"
#include "app/cli/render_options.h"
#include "app/cli/verb.h"
#include "core/base/byte_count.h"
#include "core/base/number_text.h"
#include "core/base/one_line.h"
#include "core/base/text_table.h"
#include "core/catalog/model_catalog.h"
#include "core/machine/local_machine.h"
#include "core/pipeline/rank_planning.h"
#include "core/result/clip_result.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;
using parallel::CardRates;
using parallel::PassWork;
using parallel::StepPlan;

struct PlanVerb {
    RenderOptions render;
    std::string attentionType = protocol::kReferenceBackend;
    int gpus = 8;
    std::string from;
    double teraflops = 0;
    double memoryGb = 80;
    // What copies of libtorch reach on an H100 (HBM3).
    double memoryRateGb = 2500;
    int gpusPerHost = 8;
    // Within a host what NCCL moves over NVLink between two H100 (docs/log/measurements.md); between hosts a
    // guess, 10 Gbit/s.
    double linkGb = 245, linkUs = 50, networkGb = 1.1, networkUs = 100;
    bool shardWeights = false, json = false;
};

struct Plan {
    StepPlan step;
    std::optional<std::uint64_t> bytes;
};

/// A machine that needn't be here: one GPU that the request is resolved for.
machine::Machine plannedMachine(machine::Machine machine, double memoryGb) {
    const auto bytes = static_cast<std::uint64_t>(memoryGb * 1e9);
    machine.gpus = {};
    machine.gpus.gpus.push_back(
        {.index = 0, .name = "planned", .capability = {9, 0}, .bytes = bytes, .freeBytes = bytes});
    machine.gpus.driverCuda = devices::kLeastDriverCuda;
    return machine;
}

int passesOf(const catalog::RenderSettings& settings) {
    return settings.guidanceScale > 1 ? 2 : 1;
}

/// What a clip's times say of the card that rendered it alone, and how far that may be relied on.
struct ClipRates {
    CardRates card;
    std::vector<std::string> remarks;
};

Result<ClipRates> ratesOfClip(const std::string& clip, const families::ModelInfo& model,
                              const catalog::RenderSettings& planned) {
    const std::string where = "--from " + clip;
    const result::ClipResult result = result::readResultOfFile(clip);
    const auto refused = [&](const std::string& why) {
        return Error{ErrorCode::BadUsage, where + ": " + why};
    };
    if (!result.problems.empty()) return refused(result.problems.front().message);
    const auto& settings = result.manifest.settings;
    const UsualStep step = result.timing() == nullptr ? UsualStep() : usualStepOf(*result.timing());
    if (!settings || !result.manifest.request || !(step.seconds > 0))
        return refused("a clip with its manifest and its times was needed");
    if (const std::string why = whyNotPlannedFrom(result, planned); !why.empty()) return refused(why);
    const auto itsModel = catalog::findModel(*result.manifest.request);
    if (!itsModel) return itsModel.error().in(where);
    const auto work = pipeline::passWorkOf(*itsModel, *settings);
    if (!work) return work.error().in(where);

    ClipRates rates;
    if (result.manifest.modelId != model.id)
        rates.remarks.push_back("the clip is of model " + nameInOneLine(result.manifest.modelId) + ", not " +
                                model.id + ": a card is taken to compute both as fast");
    const double passes = passesOf(*settings);
    const double attention = passes * work->attentionFlops, other = passes * work->otherFlops;
    if (step.attention > 0) {
        rates.card = {attention / step.attention, other / (step.seconds - step.attention)};
    } else {
        rates.card = {(attention + other) / step.seconds, (attention + other) / step.seconds};
        rates.remarks.emplace_back(
            "attention wasn't timed apart in the clip: it is taken to be as fast as the rest");
    }
    return rates;
}

std::vector<int> countsUpTo(int most) {
    std::vector<int> counts;
    for (int count = 1; count < most; count *= 2) counts.push_back(count);
    counts.push_back(most);
    return counts;
}

std::string rowRemark(const Plan& plan, double memoryGb) {
    if (!plan.bytes || double(*plan.bytes) <= memoryGb * 1e9) return {};
    return "  doesn't fit";
}

TableLine lineOf(const Plan& plan, double alone, double memoryGb) {
    const StepPlan& step = plan.step;
    return {{std::to_string(step.degrees.ranks()), std::to_string(step.degrees.cfg),
             std::to_string(step.degrees.ring), std::to_string(step.degrees.ulysses),
             significant(step.seconds(), 3), significant(step.compute, 3), significant(step.ulysses, 3),
             significant(step.ring, 3), significant(step.gather, 3), significant(step.weights, 3),
             fixed(alone / step.seconds(), 2), plan.bytes ? byteCount(*plan.bytes) : "?"},
            rowRemark(plan, memoryGb)};
}

json planJson(const Plan& plan) {
    const StepPlan& step = plan.step;
    json object = {{"gpus", step.degrees.ranks()},     {"cfg_parallel", step.degrees.cfg},
                   {"ring_degree", step.degrees.ring}, {"ulysses_degree", step.degrees.ulysses},
                   {"step_seconds", step.seconds()},   {"compute_seconds", step.compute},
                   {"ulysses_seconds", step.ulysses},  {"ring_seconds", step.ring},
                   {"gather_seconds", step.gather},    {"weights_seconds", step.weights}};
    if (plan.bytes) object["memory_bytes"] = *plan.bytes;
    return object;
}

std::vector<std::string> assumptionsOf(const PlanVerb& verb, const catalog::RenderSettings& settings,
                                       const ClipRates& rates) {
    const CardRates& card = rates.card;
    const auto tera = [](double rate) { return significant(rate / 1e12, 3) + " TFLOP/s"; };
    const std::string source =
        verb.from.empty() ? "as given (--tflops)" : "as " + verb.from + " took (--from)";
    std::vector<std::string> assumptions = {
        "one card computes attention with " + tera(card.attention) + ", the rest with " + tera(card.other) +
            ", " + source + ", and no slower with a part of the tokens",
        "it reads and writes " + significant(verb.memoryRateGb, 3) + " GB/s where it copies (--memory-rate)",
        "a GPU sends " + significant(verb.linkGb, 3) + " GB/s to another one of its host, " +
            significant(verb.linkUs, 3) + " µs a message (--link, --link-us)",
        "and " + significant(verb.networkGb, 3) + " GB/s to one of another host, " +
            significant(verb.networkUs, 3) + " µs a message (--network, --network-us); " +
            std::to_string(verb.gpusPerHost) + " GPUs in each host (--gpus-per-host)",
        std::string(
            "exchanges for Ulysses and of predictions wait; a ring's are hidden behind attention as far "
            "as they go; ") +
            (verb.shardWeights ? "each rank holds a part of the blocks' weights and gathers each block while "
                                 "the one before computes (--shard-weights)"
                               : "each rank holds all weights"),
        "text encoder, VAE and loading are not in the step"};
    if (settings.stepCache.isOn() && settings.stepCache.method != protocol::StepCache::Method::Record)
        assumptions.push_back("every step is computed whole: how many steps --step-cache " +
                              textOf(settings.stepCache) + " leaves out isn't known before it is rendered");
    if (settings.offload == protocol::kOffloadBlocks)
        assumptions.emplace_back(
            "blocks are there when they are computed: what fetching them from the host's memory takes "
            "(--offload blocks) isn't in the step");
    assumptions.insert(assumptions.begin() + 1, rates.remarks.begin(), rates.remarks.end());
    return assumptions;
}

int print(const PlanVerb& verb, const catalog::RenderSettings& settings, const PassWork& work,
          const ClipRates& rates, const std::vector<Plan>& best, const std::vector<Plan>& all) {
    const CardRates& card = rates.card;
    const std::vector<std::string> assumptions = assumptionsOf(verb, settings, rates);
    if (verb.json) {
        json document = {{"tokens", work.tokens},
                         {"heads", work.heads},
                         {"layers", work.layers},
                         {"passes", passesOf(settings)},
                         {"attention_flops", work.attentionFlops},
                         {"other_flops", work.otherFlops},
                         {"attention_flops_per_second", card.attention},
                         {"other_flops_per_second", card.other},
                         {"assumptions", assumptions},
                         {"best", json::array()},
                         {"plans", json::array()}};
        for (const Plan& plan : best) document["best"].push_back(planJson(plan));
        for (const Plan& plan : all) document["plans"].push_back(planJson(plan));
        return printResult(document);
    }
    const TableLine head{{"GPUs", "cfg", "ring", "ulysses", "step s", "compute", "ulysses", "ring", "gather",
                          "weights", "speed-up", "memory"},
                         ""};
    const double alone = best.front().step.seconds();
    std::vector<TableLine> lines{head}, others{head};
    for (const Plan& plan : best) lines.push_back(lineOf(plan, alone, verb.memoryGb));
    for (const Plan& plan : all) others.push_back(lineOf(plan, alone, verb.memoryGb));
    std::string text = std::to_string(work.tokens) + " tokens, " + std::to_string(work.heads) + " heads, " +
                       std::to_string(work.layers) + " layers, " + std::to_string(passesOf(settings)) +
                       " passes a step: " +
                       significant(passesOf(settings) * (work.attentionFlops + work.otherFlops) / 1e12, 3) +
                       " TFLOP\n\nThe fastest on each number of GPUs:\n" + alignedTable(lines, 0) +
                       "\nAll ways to share on " + std::to_string(verb.gpus) + ":\n" +
                       alignedTable(others, 0) + "\nAssumed:";
    for (const std::string& assumption : assumptions) text += "\n  " + assumption;
    return printResult(text);
}

Result<void> checkSources(const PlanVerb& verb) {
    if (!verb.from.empty() && verb.teraflops > 0)
        return Error{ErrorCode::BadUsage, "--tflops " + significant(verb.teraflops, 4) + ": --from " +
                                              verb.from +
                                              " says what one card reaches; one of the two was needed"};
    if (verb.from.empty() && verb.teraflops <= 0)
        return Error{
            ErrorCode::BadUsage,
            "plan: what one card reaches was needed: --from CLIP, which one rank rendered, or --tflops X"};
    return {};
}

Result<void> checkShardWeights(const PlanVerb& verb, const families::ModelInfo& model) {
    if (!verb.shardWeights) return {};
    if (!model.takes("shard_weights"))
        return Error{ErrorCode::BadUsage,
                     "--shard-weights: " + model.family + " models are rendered by one process"};
    if (verb.gpus == 1)
        return Error{ErrorCode::BadUsage,
                     "--shard-weights: one GPU holds all weights; --gpus 2 or more was needed"};
    return {};
}

/// Whether a render takes these degrees with all else that is planned. One GPU, which others are compared
/// with, holds all weights.
Result<void> checkDegrees(const PlanVerb& verb, const CheckedRequest& checked,
                          const machine::Machine& machine, const parallel::Degrees& degrees) {
    const auto given = [](int degree) { return degree > 1 ? std::optional(degree) : std::nullopt; };
    const auto shared = checked.with(machine, [&](protocol::RenderRequest& request) {
        request.cfgParallel = given(degrees.cfg);
        request.ringDegree = given(degrees.ring);
        request.ulyssesDegree = given(degrees.ulysses);
        request.shardWeights = verb.shardWeights && degrees.ranks() > 1;
    });
    if (!shared) return shared.error();
    return {};
}

int runPlan(const PlanVerb& verb, const machine::Machine& local) {
    if (auto sources = checkSources(verb); !sources) return fail(sources.error());
    const machine::Machine machine = plannedMachine(local, verb.memoryGb);
    const auto checked = verb.render.check(verb.attentionType, machine);
    if (!checked) return fail(checked.error());
    catalog::RenderSettings settings = checked->settings();
    if (auto shards = checkShardWeights(verb, checked->model()); !shards) return fail(shards.error());
    settings.shardWeights = verb.shardWeights;
    const auto work = pipeline::passWorkOf(checked->model(), settings);
    if (!work) return fail(work.error());
    auto rates = verb.from.empty() ? Result(ClipRates{{verb.teraflops * 1e12, verb.teraflops * 1e12}, {}})
                                   : ratesOfClip(verb.from, checked->model(), settings);
    if (!rates) return fail(rates.error());
    rates->card.memory = verb.memoryRateGb * 1e9;
    const parallel::Links links{.gpusPerHost = verb.gpusPerHost,
                                .inHost = {verb.linkGb * 1e9, verb.linkUs * 1e-6},
                                .betweenHosts = {verb.networkGb * 1e9, verb.networkUs * 1e-6}};
    std::optional<Error> refused;
    const auto plansOn = [&](int gpus) {
        std::vector<Plan> plans;
        for (const StepPlan& step : parallel::plansFor(
                 gpus, *work, passesOf(settings), pipeline::mayRing(settings), rates->card, links,
                 verb.shardWeights ? parallel::WeightsOnRank::Shard : parallel::WeightsOnRank::All)) {
            if (auto taken = checkDegrees(verb, *checked, machine, step.degrees); !taken)
                refused = taken.error();
            else
                plans.push_back({step, pipeline::bytesOnRank(checked->model(), settings, step.degrees)});
        }
        return plans;
    };
    std::vector<Plan> best, all;  // `all` in the end: of the last count, --gpus
    for (const int count : countsUpTo(verb.gpus)) {
        refused.reset();
        all = plansOn(count);
        if (!all.empty()) best.push_back(all.front());
    }
    if (all.empty() && refused) return fail(refused->in("--gpus " + std::to_string(verb.gpus)));
    if (all.empty())
        return fail({ErrorCode::BadUsage, "--gpus " + std::to_string(verb.gpus) + ": " +
                                              std::to_string(work->heads) + " heads and " +
                                              std::to_string(passesOf(settings)) +
                                              " passes can't be shared by as many without a ring, which " +
                                              settings.attentionType + " has none of"});
    return print(verb, settings, *work, *rates, best, all);
}

}  // namespace

Verb addPlanVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<PlanVerb>();
    CLI::App* command = program.add_subcommand(
        "plan",
        "Which degrees to share a render by on several GPUs, with the expected time of a step and memory");
    constexpr int kMostGpus = 64;
    constexpr double kMostFigure = 1e6, kLeastFigure = 1e-6;
    const auto figure = [&](const char* option, double& value, const char* help, const char* unit) {
        return command->add_option(option, value, help)
            ->type_name(unit)
            ->check(numberFrom(kLeastFigure, kMostFigure));
    };
    command->add_option("--gpus", verb->gpus, "How many there are")
        ->check(numberFrom(1, kMostGpus))
        ->capture_default_str();
    command
        ->add_option("--from", verb->from,
                     "A clip that one of them rendered alone: its times say what a card reaches")
        ->type_name("CLIP");
    figure("--tflops", verb->teraflops, "What one of them reaches in this model, in the place of --from",
           "TFLOP/s");
    figure("--memory", verb->memoryGb, "What each of them has", "GB")->capture_default_str();
    figure("--memory-rate", verb->memoryRateGb, "What it reads and writes where it copies", "GB/s")
        ->capture_default_str();
    command->add_option("--gpus-per-host", verb->gpusPerHost, "How many of them are in one host")
        ->check(numberFrom(1, kMostGpus))
        ->capture_default_str();
    figure("--link", verb->linkGb, "What each sends to another one of its host", "GB/s")
        ->capture_default_str();
    figure("--link-us", verb->linkUs, "How long a message takes there", "µs")->capture_default_str();
    figure("--network", verb->networkGb, "The same to another host", "GB/s")->capture_default_str();
    figure("--network-us", verb->networkUs, "Likewise", "µs")->capture_default_str();
    command
        ->add_option("--attention-type", verb->attentionType,
                     "Backend of self-attention: " + kernels::backendNames() + " or default")
        ->capture_default_str();
    command->add_flag("--shard-weights", verb->shardWeights,
                      "Each rank holds one part of the transformer's blocks and gathers each block while the "
                      "one before computes");
    command->add_flag("--json", verb->json, "Print one JSON document");
    verb->render.addTo(*command, {"attention_type",
                                  "device",
                                  "ulysses_degree",
                                  "ring_degree",
                                  "cfg_parallel",
                                  "shard_weights",
                                  "fps",
                                  "lockstep",
                                  "num_repetitions",
                                  "profile_output",
                                  "profile_wait",
                                  "profile_warmup",
                                  "profile_active",
                                  "save_inputs",
                                  "input_dir",
                                  "max_captures",
                                  "capture_module",
                                  "capture_layers",
                                  "capture_steps",
                                  "max_capture_gib",
                                  "save_latents_every",
                                  "chain_save"});
    return {command, [verb, machine] { return runPlan(*verb, machine.now()); }};
}

}  // namespace reelgrid::cli
