#include "core/capture/capture_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace reelgrid::capture {
namespace {

using nlohmann::json;

json number(double value) {
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json numbers(const std::vector<double>& values) {
    json list = json::array();
    for (const double value : values) list.push_back(number(value));
    return list;
}

}  // namespace

const char* dtypeName(const CapturedCall& call) {
    if (call.q_BHND.scalar_type() == at::kFloat) return "fp32";
    return call.q_BHND.scalar_type() == at::kHalf ? "fp16" : "bf16";
}

json toJson(const CapturedCall& call) {
    json object = {{"file", call.file.string()},
                   {"call_idx", call.callIndex},
                   {"dtype", dtypeName(call)},
                   {"q_shape", call.q_BHND.sizes().vec()},
                   {"k_shape", call.k_BHMD.sizes().vec()},
                   {"causal", call.mask == kernels::Mask::Causal},
                   {"key_bias", call.keyBias_M.defined()}};
    if (call.layer) object["layer"] = *call.layer;
    if (call.step) object["step"] = *call.step;
    if (call.scale) object["scale"] = *call.scale;
    for (const auto& [key, text] :
         {std::pair{"branch", &call.branch}, {"kernel", &call.kernel}, {"module", &call.module}})
        if (!text->empty()) object[key] = *text;
    return object;
}

json toJson(const TensorStatistics& statistics, std::int64_t head) {
    json object = {
        {"elements", statistics.elements}, {"nans", statistics.nans}, {"infinities", statistics.infinities}};
    if (statistics.elements > statistics.nans + statistics.infinities) {
        object["mean"] = number(statistics.mean);
        object["std"] = number(statistics.deviation);
        object["absmax"] = number(statistics.absMax());
        object["min"] = number(statistics.low);
        object["max"] = number(statistics.high);
    }
    object["histogram"] = statistics.histogram;
    object["head"] = head;
    object["channel_absmax"] = numbers(statistics.channels.at(std::size_t(head)));
    object["outliers"] = json::array();
    for (const OutlierChannel& each : statistics.outliers)
        object["outliers"].push_back({{"head", each.head},
                                      {"channel", each.channel},
                                      {"absmax", number(each.absMax)},
                                      {"x_median", number(each.timesMedian)}});
    return object;
}

json toJson(const AttentionMap& map) {
    json object = {{"batch", map.batch},     {"head", map.head},
                   {"queries", map.queries}, {"keys", map.keys},
                   {"rows", map.rows},       {"columns", map.columns},
                   {"means", json::array()}, {"queries_per_block", map.queriesPerBlock}};
    for (const auto& row : map.means) object["means"].push_back(numbers(row));
    return object;
}

}  // namespace reelgrid::capture
