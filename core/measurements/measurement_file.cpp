#include "core/measurements/measurement_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/result/lockstep_json.h"

namespace reelgrid::measurements {
namespace {

using nlohmann::json;

template <class T>
Result<Measurement> wrapped(Result<T> read) {
    if (!read) return read.error();
    return Measurement(*std::move(read));
}

struct Kind {
    const char* title;
    std::array<const char*, 3> keys;  ///< that only such a document has all of
    Result<Measurement> (*read)(const json&);
};

/// In the order of Measurement's alternatives.
constexpr std::array kKinds{
    Kind{"Kernel benchmark",
         {"rows", "clock", "peak_gflops"},
         [](const json& document) { return wrapped(kernelResultsFrom(document)); }},
    Kind{"VAE benchmark",
         {"rows", "tile", "shapes"},
         [](const json& document) { return wrapped(vaeResultsFrom(document)); }},
    Kind{"Trace",
         {"bottlenecks", "names", "span"},
         [](const json& document) { return wrapped(traceSummaryFrom(document)); }},
    Kind{"Two traces",
         {"steps_before", "steps_after", "names"},
         [](const json& document) { return wrapped(traceComparisonFrom(document)); }},
    Kind{"Captures",
         {"captures", "folder", "unreadable"},
         [](const json& document) { return wrapped(captureListFrom(document)); }},
    Kind{"Capture",
         {"capture", "attention_map", "tensors"},
         [](const json& document) { return wrapped(captureDetailsFrom(document)); }},
    Kind{"Tuned policy",
         {"budget", "curve", "renders"},
         [](const json& document) { return wrapped(tuningResultsFrom(document)); }},
    Kind{"Error maps", {"lockstep", "lockstep", "lockstep"}, [](const json& document) {
             return wrapped(result::lockstepFromJson(document.at("lockstep")));
         }}};
static_assert(kKinds.size() == std::variant_size_v<Measurement>);

const Kind* kindOf(const json& document) {
    const auto* found = std::ranges::find_if(kKinds, [&](const Kind& kind) {
        return std::ranges::all_of(kind.keys, [&](const char* key) { return document.contains(key); });
    });
    return found == kKinds.end() ? nullptr : found;
}

}  // namespace

bool isMeasurement(const json& document) {
    return document.is_object() && kindOf(document) != nullptr;
}

Result<Measurement> measurementFrom(const json& document) {
    const Kind* kind = document.is_object() ? kindOf(document) : nullptr;
    if (kind == nullptr)
        return Error{
            ErrorCode::InvalidData,
            "not a result of bench, captures, profile or tune, and no metrics.json with lockstep maps"};
    return kind->read(document);
}

std::string titleOf(const Measurement& measurement) {
    return kKinds.at(measurement.index()).title;
}

}  // namespace reelgrid::measurements
