#include "core/result/lockstep_json.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"
#include "core/result/json_numbers.h"

namespace reelgrid::result {
namespace {

using metrics::kOutputMeasures;
using metrics::LockstepBackend;
using metrics::LockstepMap;
using metrics::OutputErrors;
using metrics::OutputMeasure;
using nlohmann::json;
using nlohmann::ordered_json;
using protocol::FieldReader;

constexpr int kMaxLayers = 1000;
constexpr int kMaxSteps = 1000;
constexpr std::size_t kMaxSites = 100000;
constexpr std::size_t kMaxBackends = 64;

/// Digits enough for a cosine that is 1 but for rounding; more would be noise.
ordered_json numberJson(double value) {
    if (!std::isfinite(value)) return nullptr;
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return std::strtod(text, nullptr);
}

ordered_json listJson(const std::vector<double>& values) {
    ordered_json list = ordered_json::array();
    for (const double value : values) list.push_back(numberJson(value));
    return list;
}

ordered_json sitesJson(const std::vector<double>& values, const LockstepMap& map) {
    ordered_json list = ordered_json::array();
    for (int step = 0; step < map.steps; ++step) {
        const auto first = values.begin() + std::ptrdiff_t(map.site(0, step));
        list.push_back(listJson({first, first + map.layers}));
    }
    return list;
}

Result<std::vector<double>> readList(const json& list, std::size_t count, const std::string& what) {
    if (!list.is_array() || list.size() != count)
        return Error{ErrorCode::InvalidData, what + ": a list of " + std::to_string(count) +
                                                 " numbers was needed, it is " + showJson(list)};
    return numbersFromJson(list, what);
}

/// The numbers of every site; nothing when there is no such field.
Result<std::vector<double>> readSites(const json* lists, const LockstepMap& map, const std::string& what) {
    std::vector<double> values;
    if (lists == nullptr) return values;
    if (lists->size() != std::size_t(map.steps))
        return Error{ErrorCode::InvalidData, what + ": " + std::to_string(map.steps) +
                                                 " lists, one a step, were needed, there are " +
                                                 std::to_string(lists->size())};
    for (const json& list : *lists) {
        auto numbers = readList(list, std::size_t(map.layers), what);
        if (!numbers) return numbers.error();
        values.insert(values.end(), numbers->begin(), numbers->end());
    }
    return values;
}

Result<LockstepBackend> readBackend(const json& object, const LockstepMap& map) {
    LockstepBackend backend;
    FieldReader fields(object, "lockstep backend", ErrorCode::InvalidData);
    fields.requireText("backend", backend.name, kMaxNameBytes);
    fields.text("why", backend.why, kMaxNameBytes);
    const json* attention = fields.object("attention", true);
    const json* flow = fields.object("flow", true);
    const json* seconds = fields.array("seconds", kMaxSteps);
    if (auto read = fields.finish(); !read) return read.error();
    FieldReader sites(*attention, backend.name + ": attention", ErrorCode::InvalidData);
    FieldReader steps(*flow, backend.name + ": flow", ErrorCode::InvalidData);
    for (const OutputMeasure& measure : kOutputMeasures) {
        const json* ofSites = sites.array(measure.key, kMaxSteps, true);
        const json* ofSteps = steps.array(measure.key, kMaxSteps, true);
        for (const FieldReader* reader : {&sites, &steps})
            if (auto read = reader->finish(); !read) return read.error();
        auto values = readSites(ofSites, map, backend.name + ": attention: " + measure.key);
        if (!values) return values.error();
        backend.attention.*measure.values = *std::move(values);
        auto flows = readList(*ofSteps, std::size_t(map.steps), backend.name + ": flow: " + measure.key);
        if (!flows) return flows.error();
        backend.flow.*measure.values = *std::move(flows);
    }
    auto times = readSites(seconds, map, backend.name + ": seconds");
    if (!times) return times.error();
    backend.seconds = *std::move(times);
    return backend;
}

}  // namespace

ordered_json toJson(const LockstepMap& map) {
    ordered_json object = {{"reference", map.reference},
                           {"layers", map.layers},
                           {"steps", map.steps},
                           {"branches", "combined"},
                           {"step_size", listJson(map.stepSize)}};
    if (!map.seconds.empty()) object["seconds"] = sitesJson(map.seconds, map);
    object["backends"] = ordered_json::array();
    for (const LockstepBackend& backend : map.backends) {
        ordered_json own = {{"backend", backend.name}};
        for (const OutputMeasure& measure : kOutputMeasures) {
            own["attention"][measure.key] = sitesJson(backend.attention.*measure.values, map);
            own["flow"][measure.key] = listJson(backend.flow.*measure.values);
        }
        if (!backend.seconds.empty()) own["seconds"] = sitesJson(backend.seconds, map);
        if (!backend.why.empty()) own["why"] = backend.why;
        object["backends"].push_back(std::move(own));
    }
    return object;
}

Result<LockstepMap> lockstepFromJson(const json& object) {
    LockstepMap map;
    FieldReader fields(object, "lockstep", ErrorCode::InvalidData);
    fields.integer("layers", map.layers, 1);
    fields.integer("steps", map.steps, 1);
    fields.text("reference", map.reference, kMaxNameBytes);
    const json* stepSize = fields.array("step_size", kMaxSteps, true);
    const json* seconds = fields.array("seconds", kMaxSteps);
    const json* backends = fields.array("backends", kMaxBackends, true);
    if (auto read = fields.finish(); !read) return read.error();
    if (map.layers < 1 || map.layers > kMaxLayers || map.steps < 1 || map.steps > kMaxSteps ||
        map.sites() > kMaxSites)
        return Error{ErrorCode::InvalidData, "lockstep: " + std::to_string(map.layers) + " layers × " +
                                                 std::to_string(map.steps) + " steps: at most " +
                                                 std::to_string(kMaxSites) + " sites were needed"};
    auto sizes = readList(*stepSize, std::size_t(map.steps), "step_size");
    if (!sizes) return sizes.error().in("lockstep");
    map.stepSize = *std::move(sizes);
    auto times = readSites(seconds, map, "seconds");
    if (!times) return times.error().in("lockstep");
    map.seconds = *std::move(times);
    for (const json& each : *backends) {
        auto backend = readBackend(each, map);
        if (!backend) return backend.error().in("lockstep");
        map.backends.push_back(*std::move(backend));
    }
    return map;
}

}  // namespace reelgrid::result
