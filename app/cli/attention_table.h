#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/benchmark/attention_report.h"

namespace reelgrid::cli {

/// A single figure to compare kernels by.
enum class AttentionMetric { Time, Throughput, Bandwidth, ArithmeticIntensity };

/// Nothing for "all"; BadUsage names the valid ones.
Result<std::optional<AttentionMetric>> attentionMetricFrom(const std::string& name);
const char* nameOf(AttentionMetric metric);
/// With its unit, as a title: "throughput (TFLOPS)".
std::string titleOf(AttentionMetric metric);
/// Of a row, in the title's unit, had its median been so many seconds.
double valueOf(AttentionMetric metric, const benchmark::MeasuredCase& measured,
               const benchmark::AttentionRow& row, double seconds);

/// Whether a table has the times of the kernels without their quantisation, too.
enum class KernelTimes { Shown, LeftOut };

/// For a person: the machine and how it was measured, then one line a kernel and shape. With a metric that
/// figure alone, else all of them.
std::string attentionTable(const benchmark::AttentionReport& report, std::optional<AttentionMetric> metric,
                           KernelTimes kernelTimes);

/// Where each kernel lies under the machine's roofs of compute and memory.
std::string rooflineTable(const benchmark::AttentionReport& report);

}  // namespace reelgrid::cli
