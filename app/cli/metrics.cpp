#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/metric_list.h"
#include "app/cli/metric_options.h"
#include "app/cli/metrics_of_clips.h"
#include "app/cli/verb.h"
#include "core/base/number_text.h"
#include "core/comparison/compared_frames.h"
#include "core/devices/gpu_choice.h"
#include "core/machine/local_machine.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/metrics/clip_metrics.h"
#include "core/metrics/measures.h"
#include "core/metrics/metrics_report.h"
#include "core/metrics/temporal.h"
#include "core/result/clip_result.h"
#include "core/result/metrics_file.h"

namespace reelgrid::cli {
namespace {

struct MetricsVerb {
    std::vector<std::string> clips;
    std::string reference;
    std::string apart;
    bool json = false;
    bool csv = false;
    bool list = false;
    bool keep = false;
    MetricOptions asked;
    std::string device;
    std::string prompt;
};

/// Networks of metrics are small beside a model.
constexpr std::uint64_t kNetworkBytes = std::uint64_t{2} << 30;

/// Where --metrics computes.
Result<std::string> deviceOf(const MetricsVerb& verb, const machine::LocalMachine& machine) {
    const devices::GpuSurvey gpus = machine.now().gpus;
    if (verb.device.empty()) return devices::defaultDevice(gpus, kNetworkBytes).text();
    const auto named = devices::deviceNamed(verb.device);
    if (!named) return named.error();
    if (auto usable = devices::requireUsable(gpus, *named); !usable) return usable.error();
    return named->text();
}

Result<void> requireReference(const MetricsVerb& verb) {
    const std::string needing = verb.asked.needingReference();
    if (needing.empty() || !verb.reference.empty()) return {};
    return Error{ErrorCode::BadUsage, "--metrics " + needing + ": --reference was needed"};
}

/// What --metrics names.
Result<void> measureAsked(MetricsVerb& verb, const machine::LocalMachine& machine,
                          metrics::ClipMetrics& measured) {
    if (!verb.asked.any()) return {};
    if (auto is = requireReference(verb); !is) return is;
    const auto device = deviceOf(verb, machine);
    if (!device) return device.error();
    if (auto loaded = verb.asked.load(*device); !loaded) return loaded;
    const std::string& clip = verb.clips.front();
    const result::ClipResult known = result::readResultOfFile(clip);
    for (const Error& problem : known.problems) say("note: " + problem.message);
    const result::Manifest& manifest = known.manifest;
    const std::string prompt = !verb.prompt.empty() ? verb.prompt
                               : manifest.request   ? manifest.request->prompt
                                                    : "";
    const InterruptWatch interrupts;
    const auto done = verb.asked.measure(clip, verb.reference, prompt, measured, interrupts.token());
    if (!done) return done.error();
    return {};
}

std::string shown(double value) {
    return std::isfinite(value) ? fixed(value, 4) : "none";
}

/// With what was measured that was asked for.
std::string withText(const metrics::ClipMetrics& measured) {
    std::string text;
    for (const auto& [measure, with] : measured.measuredWith) text += "\n" + measure + ": " + with;
    return text;
}

std::string forReading(const metrics::ClipMetrics& measured) {
    // As wide as the longest title that is there needs it.
    std::size_t column = 19;
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (numberOf(measure, measured))
            column = std::max(column, std::string_view(measure.title).size() + 2);
    std::string frames = "frames";
    frames.resize(column, ' ');
    std::string text = frames + std::to_string(measured.frames);
    for (const metrics::Measure& measure : metrics::kMeasures) {
        const auto value = numberOf(measure, measured);
        if (!value) continue;
        std::string title = measure.title;
        title.resize(column, ' ');
        const std::string unit = measure.unit;
        text += "\n" + title + shown(*value) + (unit.empty() ? "" : " " + unit);
    }
    if (const std::string verdict = coherenceText(measured); !verdict.empty()) text += "\n" + verdict;
    return text + withText(measured);
}

std::string forMachines(const metrics::ClipMetrics& measured, const std::vector<std::string>& notes) {
    nlohmann::ordered_json document = result::toJson(measured);
    if (!notes.empty()) document["notes"] = notes;
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Several clips, or results that are to have what is measured.
int measureAll(MetricsVerb& verb, const machine::LocalMachine& machine) {
    for (const auto& [isGiven, option] :
         {std::pair{verb.csv, "--csv"}, std::pair{!verb.apart.empty(), "--frames-apart"}})
        if (isGiven)
            return fail({ErrorCode::BadUsage, std::string(option) + ": it is for one clip, without --keep"});
    if (auto ready = verb.asked.requireSources(); !ready) return fail(ready.error());
    if (auto is = requireReference(verb); !is) return fail(is.error());
    const auto device = deviceOf(verb, machine);
    if (!device) return fail(device.error());
    return measureClips({verb.clips, verb.reference, verb.prompt, *device, verb.keep, verb.json}, verb.asked);
}

int listMetrics(const MetricsVerb& verb) {
    if (verb.csv || !verb.clips.empty())
        return fail({ErrorCode::BadUsage, "--list: neither clips nor --csv were needed"});
    return verb.json ? printResult(metricListJson(verb.asked.weights()))
                     : printResult(metricListText(verb.asked.weights()));
}

int runMetrics(MetricsVerb& verb, const machine::LocalMachine& machine) {
    if (verb.list) return listMetrics(verb);
    if (verb.clips.empty()) {
        const auto apart = requireNoFiles("--metrics", verb.asked.names());
        return fail(apart ? Error{ErrorCode::BadUsage, "clip: at least one was needed"} : apart.error());
    }
    if (auto named = verb.asked.requireNames(); !named) return fail(named.error());
    for (const auto& [isGiven, option] :
         {std::pair{!verb.device.empty(), "--device"}, std::pair{!verb.prompt.empty(), "--prompt"}})
        if (isGiven && !verb.asked.any()) sayIdle(option, "it is for --metrics");
    if (verb.json && verb.csv) return fail({ErrorCode::BadUsage, "--json and --csv: only one of them"});
    if (verb.keep || verb.clips.size() > 1) return measureAll(verb, machine);
    const std::string& clip = verb.clips.front();
    const comparison::ComparedPair sources = comparison::comparedPair(clip, verb.reference);
    if (!sources.remark.empty()) say("note: " + sources.remark);
    auto frames = media::RgbReader::open(sources.clip);
    if (!frames) return fail(frames.error());
    auto video = frames->readAll();
    if (!video) return fail(video.error());
    std::optional<media::RgbVideo> reference;
    std::optional<media::ClipInfo> referenceInfo;
    if (!verb.reference.empty()) {
        auto others = media::RgbReader::open(sources.reference);
        if (!others) return fail(others.error());
        auto read = others->readAll();
        if (!read) return fail(read.error());
        reference = *std::move(read);
        referenceInfo = others->info();
    }
    auto measured = metrics::measure(*video, reference ? &*reference : nullptr);
    if (!measured) return fail(measured.error());
    std::vector<std::string> notes = sayRemarks(clip, frames->info());
    if (referenceInfo && verb.reference != clip)
        std::ranges::move(sayRemarks(verb.reference, *referenceInfo), std::back_inserter(notes));
    if (auto asked = measureAsked(verb, machine, *measured); !asked) return fail(asked.error());
    if (!verb.apart.empty()) {
        const auto read = media::readRgb(comparison::comparedFrames(verb.apart).file);
        if (!read) return fail(read.error());
        if (read->frameCount() < 2)
            return fail({ErrorCode::BadUsage, "--frames-apart " + verb.apart + ": it has " +
                                                  std::to_string(read->frameCount()) +
                                                  " frame, at least 2 were needed"});
        measured->independentCorrelation = metrics::frameCorrelation(*read).mean;
    }
    if (const std::string warning = metrics::gateWarning(measured->gates.value()); !warning.empty())
        say(clip + ": " + warning);
    if (referenceInfo) sayUnequal(clip, *measured, frames->info(), *referenceInfo);
    if (verb.csv) return printResult(metrics::metricsCsv(*measured));
    return printResult(verb.json ? forMachines(*measured, notes) : forReading(*measured));
}

}  // namespace

Verb addMetricsVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<MetricsVerb>();
    CLI::App* command = program.add_subcommand(
        "metrics", "Temporal coherence of a clip, and quality against a reference clip");
    command->add_option("clip", verb->clips, "The clip; several are measured one after another");
    command->add_option("--reference", verb->reference, "Also PSNR and SSIM against this clip");
    command->add_option(
        "--frames-apart", verb->apart,
        "A clip whose frames were made apart: its frame correlation stands beside the verdict");
    verb->asked.addTo(*command);
    describeListsBesideFiles(*command, "--metrics", "Clips");
    command->add_option("--prompt", verb->prompt,
                        "What the clip shows, for --metrics clip (default: what it was rendered from)");
    command->add_option("--device", verb->device,
                        "Where --metrics computes: cpu, cuda, cuda:N (default: a GPU where there is one)");
    command->add_flag(
        "--keep", verb->keep,
        "Also write what is measured into the clips' results, where a report and the studio find it");
    command->add_flag("--list", verb->list,
                      "Only say which --metrics can be computed here, and what the others lack");
    command->add_flag("--json", verb->json, "Print one JSON document");
    command->add_flag("--csv", verb->csv, "Print one line a frame");
    return {command, [verb, machine] { return runMetrics(*verb, machine); }};
}

}  // namespace reelgrid::cli
