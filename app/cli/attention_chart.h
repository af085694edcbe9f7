#pragma once

#include <optional>
#include <string>

#include "app/cli/attention_table.h"
#include "core/benchmark/attention_report.h"

namespace reelgrid::cli {

/// An SVG file: a bar a kernel, grouped by shape and dtype, its whisker from the 5th to the 95th
/// percentile; below, each kernel's point under the machine's roofs, where those are known. Throughput where
/// no metric is asked for.
std::string attentionChart(const benchmark::AttentionReport& report, std::optional<AttentionMetric> metric);

}  // namespace reelgrid::cli
