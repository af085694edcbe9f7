#pragma once

#include <string>

#include "core/benchmark/attention_report.h"

namespace reelgrid::cli {

/// Content of an SVG drawing.
struct ChartPart {
    std::string svg;
    double height = 0;
};

/// Rates over arithmetic intensity, both logarithmic, under a roof for each measured peak; its top edge at
/// `top`. Empty where compute or memory is unknown.
ChartPart rooflineChart(const benchmark::AttentionReport& report, double width, double top);

}  // namespace reelgrid::cli
