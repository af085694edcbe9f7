#include "core/session/clip_measurements.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/protocol/field_reader.h"
#include "core/protocol/parse_json.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::session {
namespace {

using nlohmann::json;
using protocol::FieldReader;

constexpr std::size_t kMaxFileBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxFrames = 100000;
constexpr std::size_t kMaxEntries = 10000;
constexpr std::size_t kMaxNameBytes = 1024;

/// The order in which a render goes through its stages; others come after, as they are named.
constexpr std::array<const char*, 6> kStages{"load", "text", "denoise", "decode", "metrics", "encode"};

/// A list of numbers, null meaning that there is no value.
Result<std::vector<double>> readNumbers(const json& list, const char* key) {
    std::vector<double> numbers;
    numbers.reserve(list.size());
    for (const json& value : list) {
        if (!value.is_null() && !value.is_number())
            return Error{ErrorCode::InvalidData,
                         std::string(key) + ": " + protocol::showJson(value) + ": a number was needed"};
        numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
    }
    return numbers;
}

Result<std::optional<FrameSeries>> readSeries(FieldReader& fields, const char* key) {
    const json* object = fields.object(key);
    if (object == nullptr) return std::optional<FrameSeries>();
    FrameSeries series;
    series.mean = std::numeric_limits<double>::quiet_NaN();
    FieldReader inner(*object, key, ErrorCode::InvalidData);
    inner.number("mean", series.mean);
    const json* list = inner.array("per_frame", kMaxFrames);
    if (auto read = inner.finish(); !read) return read.error();
    if (list != nullptr) {
        auto numbers = readNumbers(*list, key);
        if (!numbers) return numbers.error();
        series.perFrame = *std::move(numbers);
    }
    return std::optional(std::move(series));
}

Result<void> readStages(const json& object, RunTiming& run) {
    const auto add = [&](const std::string& name, const json& seconds) -> Result<void> {
        if (!seconds.is_number())
            return Error{ErrorCode::InvalidData,
                         "stages: " + name + " " + protocol::showJson(seconds) + ": seconds were needed"};
        run.stages.emplace_back(name, seconds.get<double>());
        return {};
    };
    for (const char* name : kStages)
        if (const auto found = object.find(name); found != object.end())
            if (auto added = add(name, *found); !added) return added;
    for (const auto& [name, seconds] : object.items()) {
        const bool known = std::find(kStages.begin(), kStages.end(), name) != kStages.end();
        if (known || run.stages.size() >= 64 || name.size() > kMaxNameBytes) continue;
        if (auto added = add(name, seconds); !added) return added;
    }
    return {};
}

Result<RunTiming> readRun(const json& object) {
    RunTiming run;
    FieldReader fields(object, "repetition", ErrorCode::InvalidData);
    double seconds = 0;
    if (object.is_object() && object.contains("pipe_time")) {
        fields.number("pipe_time", seconds);
        run.pipeTime = seconds;
    }
    if (object.is_object() && object.contains("vae_decode_time")) {
        fields.number("vae_decode_time", seconds);
        run.vaeDecodeTime = seconds;
    }
    const json* stages = fields.object("stages");
    const json* steps = fields.array("steps", kMaxEntries);
    if (auto read = fields.finish(); !read) return read.error();
    if (stages != nullptr)
        if (auto read = readStages(*stages, run); !read) return read.error();
    if (steps != nullptr) {
        auto numbers = readNumbers(*steps, "steps");
        if (!numbers) return numbers.error();
        run.steps = *std::move(numbers);
    }
    return run;
}

Result<void> readTiming(const json& list, ClipMeasurements& into) {
    if (!list.is_array() || list.size() > kMaxEntries)
        return Error{ErrorCode::InvalidData,
                     "a list of at most " + std::to_string(kMaxEntries) + " repetitions was needed"};
    std::vector<RunTiming> runs;
    for (const json& object : list) {
        auto run = readRun(object);
        if (!run) return run.error();
        runs.push_back(*std::move(run));
    }
    into.runs = std::move(runs);
    return {};
}

Result<std::optional<Drift>> readDrift(const json& object) {
    Drift drift;
    FieldReader fields(object, "drift", ErrorCode::InvalidData);
    // `metrics --reference` writes an object about the reference clip here, which has no name to show.
    if (object.is_object() && object.contains("reference") && object["reference"].is_string())
        fields.text("reference", drift.reference, kMaxNameBytes);
    fields.text("measured_on", drift.measuredOn, kMaxNameBytes);
    auto psnr = readSeries(fields, "psnr");
    if (!psnr) return psnr.error();
    auto ssim = readSeries(fields, "ssim");
    if (!ssim) return ssim.error();
    if (auto read = fields.finish(); !read) return read.error();
    drift.psnr = *std::move(psnr);
    drift.ssim = *std::move(ssim);
    if (!drift.psnr && !drift.ssim) return std::optional<Drift>();
    return std::optional(std::move(drift));
}

Result<void> readMetrics(const json& object, ClipMeasurements& into) {
    FieldReader fields(object, "metrics", ErrorCode::InvalidData);
    auto correlation = readSeries(fields, "frame_correlation");
    if (!correlation) return correlation.error();
    std::optional<double> flickering;
    std::optional<double> warpingError;
    fields.number("flickering", flickering);
    fields.number("warping_error", warpingError);
    const json* inner = fields.object("drift");
    if (auto read = fields.finish(); !read) return read.error();
    auto drift = readDrift(inner != nullptr ? *inner : object);
    if (!drift) return drift.error();
    into.frameCorrelation = *std::move(correlation);
    into.flickering = flickering;
    into.warpingError = warpingError;
    into.drift = *std::move(drift);
    return {};
}

Result<AttentionUse> readUse(const json& object) {
    AttentionUse use;
    FieldReader fields(object, "attention", ErrorCode::InvalidData);
    fields.text("module", use.module, kMaxNameBytes);
    fields.requireText("requested", use.requested, kMaxNameBytes);
    fields.requireText("used", use.used, kMaxNameBytes);
    fields.text("why", use.why);
    fields.integer("calls", use.calls);
    fields.number("seconds", use.seconds);
    if (auto read = fields.finish(); !read) return read.error();
    return use;
}

Result<void> readManifest(const json& object, ClipMeasurements& into) {
    FieldReader fields(object, "manifest", ErrorCode::InvalidData);
    const json* attention = fields.array("attention", kMaxEntries);
    const json* request = fields.object("request");
    fields.text("frames_sha256", into.framesSha256, kMaxNameBytes);
    if (auto read = fields.finish(); !read) return read.error();
    for (std::size_t i = 0; attention != nullptr && i < attention->size(); ++i) {
        auto use = readUse((*attention)[i]);
        if (!use) return use.error();
        into.attention.push_back(*std::move(use));
    }
    if (request != nullptr) {
        auto read = protocol::renderRequestFromJson(*request);
        if (!read) return read.error();
        into.request = *std::move(read);
    }
    return {};
}

template <class Reader>
void readCompanion(const std::filesystem::path& file, Reader reader, ClipMeasurements& into) {
    auto text = readFile(file, kMaxFileBytes);
    if (!text) {
        if (text.error().code != ErrorCode::NotFound) into.problems.push_back(text.error());
        return;
    }
    auto parsed = protocol::parseJson(*text, file.string());
    if (!parsed) {
        into.problems.push_back(parsed.error());
        return;
    }
    if (auto read = reader(*parsed, into); !read) into.problems.push_back(read.error().in(file.string()));
}

}  // namespace

std::optional<double> RunTiming::stage(const std::string& name) const {
    for (const auto& [stageName, seconds] : stages)
        if (stageName == name) return seconds;
    return std::nullopt;
}

std::string ClipMeasurements::usedAttention(const std::string& module) const {
    std::vector<std::string> used;
    for (const AttentionUse& use : attention)
        if (use.module == module && std::find(used.begin(), used.end(), use.used) == used.end())
            used.push_back(use.used);
    std::string joined;
    for (const std::string& name : used) joined += (joined.empty() ? "" : "+") + name;
    return joined;
}

ClipMeasurements readClipMeasurements(const std::filesystem::path& clip) {
    ClipMeasurements measurements;
    const std::filesystem::path folder = protocol::resultFolderOf(clip);
    readCompanion(folder / protocol::kTimingFile, readTiming, measurements);
    readCompanion(folder / protocol::kMetricsFile, readMetrics, measurements);
    readCompanion(folder / protocol::kManifestFile, readManifest, measurements);
    return measurements;
}

}  // namespace reelgrid::session
