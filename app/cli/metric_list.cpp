#include "app/cli/metric_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/metrics/asked_metrics.h"
#include "core/metrics/measures.h"
#include "core/perception/metric_source.h"

namespace reelgrid::cli {

using nlohmann::json;

json metricListJson(const std::string& weights) {
    json list = json::array();
    for (const metrics::AskedMetric& metric : metrics::kAskedMetrics) {
        json row = {
            {"name", metric.name}, {"measure", metric.measure}, {"needs_reference", metric.needsReference}};
        const auto source = perception::findSource(metric.metric, weights);
        if (source)
            row["with"] = source->with;
        else
            row["missing"] = source.error().message;
        list.push_back(std::move(row));
    }
    return {{"metrics", std::move(list)}};
}

std::string metricListText(const std::string& weights) {
    const json list = metricListJson(weights);
    std::string text;
    for (const json& row : list.at("metrics")) {
        text += (text.empty() ? "" : "\n") + row.at("name").get<std::string>() + ": ";
        text += row.contains("with") ? row.at("with").get<std::string>()
                                     : "not here: " + row.at("missing").get<std::string>();
    }
    return text;
}

}  // namespace reelgrid::cli
