#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/benchmark/attention_report.h"

namespace reelgrid::cli {

/// A single figure to compare kernels by.
enum class AttentionMetric { Time, Throughput, Bandwidth, ArithmeticIntensity };

/// BadUsage names the valid ones.
Result<AttentionMetric> attentionMetricFrom(const std::string& name);
const char* nameOf(AttentionMetric metric);

/// For a person: the machine, then one line a kernel and shape. With a metric that figure alone, else all of
/// them.
std::string attentionTable(const benchmark::AttentionReport& report, std::optional<AttentionMetric> metric);

}  // namespace reelgrid::cli
