#include "core/result/timing.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/one_line.h"
#include "core/protocol/field_reader.h"
#include "core/result/json_numbers.h"

namespace reelgrid::result {
namespace {

using nlohmann::json;
using protocol::FieldReader;

/// The order in which a render goes through its stages; others come after, as they are named.
constexpr const char* kOtherStage = "other";
constexpr const char* kDenoiseStage = "denoise";
constexpr const char* kSaveStage = "save";
constexpr std::array<const char*, 12> kStages{"load",     "text",     "image",    kDenoiseStage,
                                              kSaveStage, "lockstep", "temporal", "decode",
                                              "metrics",  "encode",   "profile",  kOtherStage};
constexpr std::size_t kMaxStages = 64;

/// Names and seconds: stages, parts of a step.
Result<StepParts> secondsByName(const json& object, const std::string& what) {
    StepParts read;
    for (const auto& [name, seconds] : object.items()) {
        if (read.size() >= kMaxStages || name.size() > kMaxNameBytes) continue;
        if (!seconds.is_number())
            return Error{ErrorCode::InvalidData, what + ": " + nameInOneLine(name) + " " + showJson(seconds) +
                                                     ": seconds were needed"};
        read.emplace_back(name, seconds.get<double>());
    }
    return read;
}

Result<void> readStepParts(const json& list, Timing& timing) {
    for (const json& step : list) {
        if (!step.is_object() && !step.is_null())
            return Error{ErrorCode::InvalidData,
                         "step_parts: " + showJson(step) + ": an object or null was needed"};
        auto parts = step.is_null() ? Result<StepParts>(StepParts{}) : secondsByName(step, "step_parts");
        if (!parts) return parts.error();
        timing.stepParts.push_back(*std::move(parts));
    }
    return {};
}

Result<void> readPeaks(const json& object, Timing& timing) {
    for (const auto& [name, bytes] : object.items()) {
        if (timing.peakBytes.size() >= kMaxStages || name.size() > kMaxNameBytes) continue;
        if (!bytes.is_number_unsigned())
            return Error{ErrorCode::InvalidData, "peak_bytes: " + nameInOneLine(name) + " " +
                                                     showJson(bytes) + ": a number of bytes was needed"};
        timing.addPeak(name, bytes.get<std::uint64_t>());
    }
    return {};
}

/// Where the stage belongs; all unknown ones behind the known.
std::size_t placeOf(const std::pair<std::string, double>& stage) {
    return std::size_t(std::find(kStages.begin(), kStages.end(), stage.first) - kStages.begin());
}

/// Null: this step was not measured by part.
json partsJson(const StepParts& parts) {
    json object;
    for (const auto& [name, seconds] : parts) object[name] = seconds;
    return object;
}

Result<void> readPasses(const json& list, Timing& timing) {
    for (const json& step : list) {
        StepPasses& passes = timing.passes.emplace_back();
        FieldReader fields(step, "passes", ErrorCode::InvalidData);
        fields.integer("whole", passes.whole, 0);
        fields.integer("skipped", passes.skipped, 0);
        if (auto read = fields.finish(); !read) return read;
    }
    return {};
}

Result<void> readChanges(const json& list, Timing& timing) {
    for (const json& step : list) {
        StepChange& change = timing.changes.emplace_back();
        FieldReader fields(step, "changes", ErrorCode::InvalidData);
        fields.integer("step", change.step, 0);
        fields.requireNumber("embedding", change.embedding);
        fields.requireNumber("added", change.added);
        fields.requireNumber("magnitude", change.magnitude);
        if (auto read = fields.finish(); !read) return read;
    }
    return {};
}

Result<Timing> timingFromJson(const json& object) {
    Timing timing;
    FieldReader fields(object, "repetition", ErrorCode::InvalidData);
    fields.number("pipe_time", timing.pipeTime);
    fields.number("vae_decode_time", timing.vaeDecodeTime);
    const json* stages = fields.object("stages");
    const json* peaks = fields.object("peak_bytes");
    const json* steps = fields.array("steps", kMaxEntries);
    const json* stepParts = fields.array("step_parts", kMaxEntries);
    const json* passes = fields.array("passes", kMaxEntries);
    const json* changes = fields.array("changes", kMaxEntries);
    fields.number("wall_time", timing.wallTime);
    fields.integer("frames", timing.frames, 1);
    if (auto read = fields.finish(); !read) return read.error();
    if (stages != nullptr) {
        auto read = secondsByName(*stages, "stages");
        if (!read) return read.error();
        timing.stages = *std::move(read);
    }
    if (peaks != nullptr)
        if (auto read = readPeaks(*peaks, timing); !read) return read.error();
    if (stepParts != nullptr)
        if (auto read = readStepParts(*stepParts, timing); !read) return read.error();
    if (passes != nullptr)
        if (auto read = readPasses(*passes, timing); !read) return read.error();
    if (changes != nullptr)
        if (auto read = readChanges(*changes, timing); !read) return read.error();
    std::ranges::stable_sort(timing.stages, {}, placeOf);
    if (steps != nullptr) {
        auto numbers = numbersFromJson(*steps, "steps");
        if (!numbers) return numbers.error();
        timing.steps = *std::move(numbers);
    }
    return timing;
}

}  // namespace

StageKind kindOf(std::string_view stage) {
    if (stage == "load") return StageKind::Loading;
    for (const std::string_view measuring : {"lockstep", "profile", "metrics", kSaveStage})
        if (stage == measuring) return StageKind::Measuring;
    return StageKind::Render;
}

bool isStage(std::string_view name) {
    return std::ranges::find(kStages, name) != kStages.end();
}

std::optional<double> Timing::secondsPerFrame() const {
    if (!pipeTime || !frames || *frames < 1) return std::nullopt;
    return *pipeTime / *frames;
}

std::optional<double> Timing::framesPerSecond() const {
    const auto seconds = secondsPerFrame();
    return seconds && *seconds > 0 ? std::optional(1 / *seconds) : std::nullopt;
}

double Timing::renderSeconds() const {
    double sum = 0;
    for (const auto& [name, seconds] : stages)
        if (kindOf(name) == StageKind::Render) sum += seconds;
    return sum;
}

std::optional<double> Timing::stage(const std::string& name) const {
    for (const auto& [stageName, seconds] : stages)
        if (stageName == name) return seconds;
    return std::nullopt;
}

void Timing::add(const std::string& stageName, double seconds) {
    const auto found = std::ranges::find(stages, stageName, &std::pair<std::string, double>::first);
    if (found == stages.end())
        stages.emplace_back(stageName, seconds);
    else
        found->second += seconds;
}

void Timing::goOnFrom(const Timing& earlier) {
    if (earlier.steps.empty()) return;
    steps.insert(steps.begin(), earlier.steps.begin(), earlier.steps.end());
    passes.insert(passes.begin(), earlier.passes.begin(), earlier.passes.end());
    changes.insert(changes.begin(), earlier.changes.begin(), earlier.changes.end());
    if (!stepParts.empty()) stepParts.insert(stepParts.begin(), earlier.steps.size(), StepParts{});
    for (const char* name : {kDenoiseStage, kSaveStage}) {
        const double seconds = earlier.stage(name).value_or(0);
        if (seconds <= 0) continue;
        add(name, seconds);
        if (wallTime) *wallTime += seconds;
    }
}

void Timing::addPeak(const std::string& stageName, std::uint64_t bytes) {
    const auto found = std::ranges::find(peakBytes, stageName, &std::pair<std::string, std::uint64_t>::first);
    if (found == peakBytes.end())
        peakBytes.emplace_back(stageName, bytes);
    else
        found->second = std::max(found->second, bytes);
}

std::optional<std::uint64_t> Timing::peakOfRender() const {
    std::optional<std::uint64_t> peak;
    for (const auto& [name, bytes] : peakBytes)
        if (kindOf(name) == StageKind::Render) peak = std::max(peak.value_or(0), bytes);
    return peak;
}

Timing Timing::complete() const {
    Timing whole = *this;
    if (wallTime) {
        double inStages = 0;
        for (const auto& [name, seconds] : stages) inStages += seconds;
        whole.add(kOtherStage, std::max(0.0, *wallTime - inStages));  // of ranks the slowest one's are told
    }
    std::ranges::stable_sort(whole.stages, {}, placeOf);
    whole.pipeTime = 0;
    for (const char* part : {"text", "image", kDenoiseStage, "temporal", "decode"})
        *whole.pipeTime += stage(part).value_or(0);
    whole.vaeDecodeTime = stage("decode").value_or(0);
    return whole;
}

json toJson(const std::vector<Timing>& repetitions) {
    json list = json::array();
    for (const Timing& timing : repetitions) {
        json object = {{"stages", json::object()}, {"steps", timing.steps}};
        for (const auto& [name, seconds] : timing.stages) object["stages"][name] = seconds;
        if (timing.pipeTime) object["pipe_time"] = *timing.pipeTime;
        if (timing.wallTime) object["wall_time"] = *timing.wallTime;
        if (timing.frames) object["frames"] = *timing.frames;
        if (const auto seconds = timing.secondsPerFrame()) object["seconds_per_frame"] = *seconds;
        if (const auto rate = timing.framesPerSecond()) object["frames_per_second"] = *rate;
        for (const StepParts& parts : timing.stepParts) object["step_parts"].push_back(partsJson(parts));
        for (const StepPasses& passes : timing.passes)
            object["passes"].push_back({{"whole", passes.whole}, {"skipped", passes.skipped}});
        for (const StepChange& change : timing.changes)
            object["changes"].push_back({{"step", change.step},
                                         {"embedding", change.embedding},
                                         {"added", change.added},
                                         {"magnitude", change.magnitude}});
        if (timing.vaeDecodeTime) object["vae_decode_time"] = *timing.vaeDecodeTime;
        for (const auto& [name, bytes] : timing.peakBytes) object["peak_bytes"][name] = bytes;
        list.push_back(std::move(object));
    }
    return list;
}

Result<std::vector<Timing>> timingsFromJson(const json& list) {
    if (!list.is_array() || list.size() > kMaxEntries)
        return Error{ErrorCode::InvalidData,
                     "a list of at most " + std::to_string(kMaxEntries) + " repetitions was needed"};
    std::vector<Timing> repetitions;
    for (const json& object : list) {
        auto timing = timingFromJson(object);
        if (!timing) return timing.error();
        repetitions.push_back(*std::move(timing));
    }
    return repetitions;
}

}  // namespace reelgrid::result
