#include "core/result/metrics_file.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/metrics/measures.h"
#include "core/protocol/field_reader.h"
#include "core/result/json_numbers.h"
#include "core/result/lockstep_json.h"

namespace reelgrid::result {
namespace {

using metrics::ClipGates;
using metrics::ClipMetrics;
using metrics::Drift;
using metrics::kMeasures;
using metrics::Measure;
using metrics::Series;
using metrics::WrittenAs;
using nlohmann::json;
using nlohmann::ordered_json;
using protocol::FieldReader;

constexpr std::size_t kMaxFrames = 100000;

ordered_json numberOrNull(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json jsonOf(const Series& series) {
    ordered_json perFrame = ordered_json::array();
    for (const double value : series.perFrame) perFrame.push_back(numberOrNull(value));
    return {{"mean", numberOrNull(series.mean)}, {"per_frame", std::move(perFrame)}};
}

ordered_json jsonOf(const ClipGates& gates) {
    return {{"passed", gates.passed()},
            {"flat", gates.flat},
            {"frozen", gates.frozen},
            {"luminance_variance", numberOrNull(gates.luminanceVariance)},
            {"motion", numberOrNull(gates.motion)},
            {"frozen_pairs", gates.frozenPairs}};
}

/// The verdict is of the figures: it is said for readers, and not read.
ordered_json coherenceJson(const ClipMetrics& metrics) {
    ordered_json object;
    if (const auto verdict = metrics::coherenceOf(metrics)) {
        object["verdict"] = nameOf(*verdict);
        object["text"] = metrics::coherenceText(metrics);
        object["least_of_run"] = metrics::kLeastOfRun;
        object["least_of_module"] = metrics::kLeastOfModule;
    }
    if (metrics.change) {
        object["repeated_change"] = numberOrNull(metrics.change->repeated);
        object["squared_change"] = numberOrNull(metrics.change->squared);
    }
    if (metrics.latentCorrelation) object["latents"] = numberOrNull(*metrics.latentCorrelation);
    if (metrics.independentCorrelation)
        object["frames_apart"] = numberOrNull(*metrics.independentCorrelation);
    return object;
}

Result<void> readCoherence(const json* object, ClipMetrics& metrics) {
    if (object == nullptr) return {};
    const double none = std::numeric_limits<double>::quiet_NaN();
    const auto numberOr = [&](const std::optional<double>& number) { return number.value_or(none); };
    std::optional<double> repeated, squared, latents, apart;
    FieldReader fields(*object, "coherence", ErrorCode::InvalidData);
    fields.number("repeated_change", repeated);
    fields.number("squared_change", squared);
    fields.number("latents", latents);
    fields.number("frames_apart", apart);
    if (auto read = fields.finish(); !read) return read.error();
    if (object->contains("repeated_change"))
        metrics.change = metrics::ChangeMeasures{numberOr(repeated), numberOr(squared)};
    if (object->contains("latents")) metrics.latentCorrelation = numberOr(latents);
    if (object->contains("frames_apart")) metrics.independentCorrelation = numberOr(apart);
    return {};
}

void addSeries(ordered_json& object, const Drift& drift) {
    if (drift.latentError) object["latent_error"] = numberOrNull(*drift.latentError);
    for (const Measure& measure : kMeasures)
        if (measure.ofDrift != nullptr && drift.*measure.ofDrift)
            object[measure.key] = jsonOf(*(drift.*measure.ofDrift));
}

void addDrift(ordered_json& object, const Drift& drift) {
    if (drift.measuredOn.empty()) {
        addSeries(object, drift);
        if (drift.referenceFrames && drift.comparedFrames)
            object["reference"] = {{"frames", *drift.referenceFrames},
                                   {"compared_frames", *drift.comparedFrames}};
        if (!drift.reference.empty()) object["reference"]["backend"] = drift.reference;
        if (!drift.referenceSha256.empty()) object["reference"]["sha256"] = drift.referenceSha256;
        return;
    }
    ordered_json own = {{"reference", drift.reference},
                        {"reference_clip", drift.referenceClip},
                        {"reference_sha256", drift.referenceSha256},
                        {"measured_on", drift.measuredOn}};
    addSeries(own, drift);
    object["drift"] = std::move(own);
}

/// The mean is of the list where there is one, whatever is written beside it.
Result<void> readPerFrame(const json* list, const char* key, Series& into) {
    if (list == nullptr) return {};
    auto numbers = numbersFromJson(*list, key);
    if (!numbers) return numbers.error();
    if (!numbers->empty()) into = metrics::seriesOf(*std::move(numbers));
    return {};
}

Result<std::optional<Series>> readSeries(FieldReader& fields, const char* key) {
    const json* object = fields.object(key);
    if (object == nullptr) return std::optional<Series>();
    Series series;
    series.mean = std::numeric_limits<double>::quiet_NaN();
    FieldReader inner(*object, key, ErrorCode::InvalidData);
    inner.number("mean", series.mean);
    const json* list = inner.array("per_frame", kMaxFrames);
    if (auto read = inner.finish(); !read) return read.error();
    if (auto read = readPerFrame(list, key, series); !read) return read.error();
    return std::optional(std::move(series));
}

/// A measure that is written as its mean; older files have no list of it.
Result<std::optional<Series>> readNumber(FieldReader& fields, const char* key, const json* perFrame) {
    std::optional<double> mean;
    fields.number(key, mean);
    Series series{mean.value_or(std::numeric_limits<double>::quiet_NaN()), {}};
    if (perFrame == nullptr) return mean ? std::optional(std::move(series)) : std::nullopt;
    FieldReader inner(*perFrame, "per_frame", ErrorCode::InvalidData);
    const json* list = inner.array(key, kMaxFrames);
    if (auto read = inner.finish(); !read) return read.error();
    if (auto read = readPerFrame(list, key, series); !read) return read.error();
    if (!mean && list == nullptr) return std::optional<Series>();
    return std::optional(std::move(series));
}

/// `metrics --reference` writes an object about the reference clip where a comparison writes its backend.
Result<void> readReference(const json& object, Drift& drift) {
    const auto found = object.find("reference");
    if (found == object.end() || !found->is_object()) {
        FieldReader fields(object, "drift", ErrorCode::InvalidData);
        fields.text("reference", drift.reference, kMaxNameBytes);
        fields.text("reference_sha256", drift.referenceSha256, kMaxNameBytes);
        return fields.finish();
    }
    FieldReader fields(*found, "reference", ErrorCode::InvalidData);
    fields.integer("frames", drift.referenceFrames);
    fields.integer("compared_frames", drift.comparedFrames);
    fields.text("backend", drift.reference, kMaxNameBytes);
    fields.text("sha256", drift.referenceSha256, kMaxNameBytes);
    return fields.finish();
}

Result<std::optional<Drift>> readDrift(const json& object) {
    Drift drift;
    FieldReader fields(object, "drift", ErrorCode::InvalidData);
    fields.text("measured_on", drift.measuredOn, kMaxNameBytes);
    fields.text("reference_clip", drift.referenceClip, kMaxNameBytes);
    fields.number("latent_error", drift.latentError);
    bool any = false;
    for (const Measure& measure : kMeasures) {
        if (measure.ofDrift == nullptr) continue;
        auto series = readSeries(fields, measure.key);
        if (!series) return series.error();
        any = any || series->has_value();
        drift.*measure.ofDrift = *std::move(series);
    }
    if (auto read = fields.finish(); !read) return read.error();
    if (auto read = readReference(object, drift); !read) return read.error();
    if (!any) return std::optional<Drift>();
    return std::optional(std::move(drift));
}

/// Lists are of the clip's frames or pairs of them, a drift's of the frames that were compared. Where frames
/// aren't counted nothing can be said.
Result<void> requireFittingLists(const ClipMetrics& metrics) {
    const auto frames = std::size_t(metrics.frames);
    if (frames == 0) return {};
    const auto misfit = [&](const std::string& what, std::size_t count, const std::string& needed) {
        return Error{ErrorCode::InvalidData, "metrics: " + what + " is of " + std::to_string(count) +
                                                 " frames, " + needed + " needed"};
    };
    if (frames > kMaxFrames)
        return misfit("the clip", frames, "at most " + std::to_string(kMaxFrames) + " were");
    const int compared = metrics.drift ? metrics.drift->comparedFrames.value_or(0) : 0;
    if (compared < 0 || std::size_t(compared) > frames)
        return misfit("compared_frames", std::size_t(compared),
                      "at most " + std::to_string(frames) + " were");
    for (const Measure& measure : kMeasures) {
        const Series* series = seriesOf(measure, metrics);
        const std::size_t count = series == nullptr ? 0 : series->perFrame.size();
        if (count > frames) return misfit(measure.key, count, "at most " + std::to_string(frames) + " were");
        if (measure.ofDrift != nullptr && compared > 0 && count > 0 && count != std::size_t(compared))
            return misfit(measure.key, count, std::to_string(compared) + " as in compared_frames were");
    }
    return {};
}

/// Texts by the measures' keys.
Result<void> readTexts(const json* object, const char* name, std::map<std::string, std::string>& into) {
    if (object == nullptr) return {};
    FieldReader fields(*object, name, ErrorCode::InvalidData);
    for (const Measure& measure : kMeasures) {
        std::optional<std::string> text;
        fields.text(measure.key, text);
        if (text) into[measure.key] = *std::move(text);
    }
    return fields.finish();
}

Result<std::optional<ClipGates>> readGates(const json* object) {
    if (object == nullptr) return std::optional<ClipGates>();
    ClipGates gates;
    gates.luminanceVariance = gates.motion = std::numeric_limits<double>::quiet_NaN();
    FieldReader fields(*object, "gates", ErrorCode::InvalidData);
    fields.boolean("flat", gates.flat);
    fields.boolean("frozen", gates.frozen);
    fields.number("luminance_variance", gates.luminanceVariance);
    fields.number("motion", gates.motion);
    fields.integer("frozen_pairs", gates.frozenPairs, 0);
    if (auto read = fields.finish(); !read) return read.error();
    return std::optional(gates);
}

/// Of everything in metrics.json but this itself.
constexpr const char* kHashKey = "figures_sha256";

std::string hashOf(const json& figures) {
    return sha256Hex(printJson(figures));
}

/// Earlier versions wrote none.
Result<void> requireHash(const json& object) {
    if (!object.is_object() || !object.contains(kHashKey)) return {};
    json figures = object;
    figures.erase(kHashKey);
    if (object.at(kHashKey) == hashOf(figures)) return {};
    return Error{ErrorCode::InvalidData, std::string("its figures aren't those that were written (") +
                                             kHashKey + "), none of them counts"};
}

}  // namespace

ordered_json toJson(const ClipMetrics& metrics) {
    ordered_json object;
    if (!metrics.clipSha256.empty()) object["clip_sha256"] = metrics.clipSha256;
    object["frames"] = metrics.frames;
    ordered_json perFrame;
    for (const Measure& measure : kMeasures) {
        if (measure.ofClip == nullptr || !(metrics.*measure.ofClip)) continue;
        const Series& series = *(metrics.*measure.ofClip);
        if (measure.written == WrittenAs::Series) {
            object[measure.key] = jsonOf(series);
            continue;
        }
        object[measure.key] = numberOrNull(series.mean);
        if (!series.perFrame.empty()) perFrame[measure.key] = jsonOf(series)["per_frame"];
    }
    if (!perFrame.empty()) object["per_frame"] = std::move(perFrame);
    if (metrics.drift) addDrift(object, *metrics.drift);
    if (!metrics.measuredWith.empty()) object["measured_with"] = metrics.measuredWith;
    if (!metrics.measuredWithSha256.empty()) object["measured_with_sha256"] = metrics.measuredWithSha256;
    if (metrics.gates) object["gates"] = jsonOf(*metrics.gates);
    if (ordered_json coherence = coherenceJson(metrics); !coherence.empty())
        object["coherence"] = std::move(coherence);
    if (metrics.lockstep) object["lockstep"] = toJson(*metrics.lockstep);
    return object;
}

std::string metricsJson(const ClipMetrics& metrics) {
    constexpr auto kReplace = ordered_json::error_handler_t::replace;
    ordered_json object = toJson(metrics);
    object[kHashKey] = hashOf(json::parse(object.dump(-1, ' ', false, kReplace)));
    return object.dump(2, ' ', false, kReplace);
}

Result<ClipMetrics> metricsFromJson(const json& object) {
    if (auto same = requireHash(object); !same) return same.error();
    ClipMetrics metrics;
    FieldReader fields(object, "metrics", ErrorCode::InvalidData);
    fields.text("clip_sha256", metrics.clipSha256, kMaxNameBytes);
    fields.integer("frames", metrics.frames, 0);
    const json* perFrame = fields.object("per_frame");
    for (const Measure& measure : kMeasures) {
        if (measure.ofClip == nullptr) continue;
        auto series = measure.written == WrittenAs::Series ? readSeries(fields, measure.key)
                                                           : readNumber(fields, measure.key, perFrame);
        if (!series) return series.error();
        metrics.*measure.ofClip = *std::move(series);
    }
    const json* with = fields.object("measured_with");
    const json* withSha256 = fields.object("measured_with_sha256");
    const json* own = fields.object("drift");
    const json* gatesObject = fields.object("gates");
    const json* coherence = fields.object("coherence");
    const json* lockstep = fields.object("lockstep");
    if (auto read = fields.finish(); !read) return read.error();
    auto drift = readDrift(own != nullptr ? *own : object);
    if (!drift) return drift.error();
    metrics.drift = *std::move(drift);
    if (auto read = readTexts(with, "measured_with", metrics.measuredWith); !read) return read.error();
    if (auto read = readTexts(withSha256, "measured_with_sha256", metrics.measuredWithSha256); !read)
        return read.error();
    auto gates = readGates(gatesObject);
    if (!gates) return gates.error();
    metrics.gates = *std::move(gates);
    if (auto read = readCoherence(coherence, metrics); !read) return read.error();
    if (auto fit = requireFittingLists(metrics); !fit) return fit.error();
    if (lockstep != nullptr) {
        auto map = lockstepFromJson(*lockstep);
        if (!map) return map.error();
        metrics.lockstep = *std::move(map);
    }
    return metrics;
}

}  // namespace reelgrid::result
