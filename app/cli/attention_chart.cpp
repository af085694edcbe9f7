#include "app/cli/attention_chart.h"

#include <algorithm>
#include <vector>

#include "app/cli/roofline_chart.h"
#include "core/base/number_text.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/svg_elements.h"

namespace reelgrid::cli {
namespace {

using namespace comparison;
using benchmark::AttentionReport;
using benchmark::AttentionRow;
using benchmark::MeasuredCase;

constexpr double kWidth = 860;
constexpr double kLabelWidth = 110;
constexpr double kValueWidth = 190;
constexpr double kTitleHeight = 28;
constexpr double kHeadingHeight = 26;
constexpr double kBarHeight = 16;
constexpr double kBarPitch = 22;

struct Spread {
    double middle, low, high;
};

Spread spreadOf(AttentionMetric metric, const MeasuredCase& measured, const AttentionRow& row) {
    const auto value = [&](double seconds) { return valueOf(metric, measured, row, seconds); };
    const auto [low, high] = std::minmax({value(row.p05), value(row.p95)});
    return {value(row.p50), low, high};
}

/// Digits enough to tell values of this size apart.
std::string valueText(double value) {
    return fixed(value, value < 0.1 ? 4 : value < 10 ? 3 : value < 1000 ? 1 : 0);
}

class BarChart {
  public:
    BarChart(const AttentionReport& report, AttentionMetric metric) : m_report(report), m_metric(metric) {
        double longest = 0;
        for (const MeasuredCase& measured : report.cases)
            for (const AttentionRow& row : measured.rows)
                longest = std::max(longest, spreadOf(metric, measured, row).high);
        m_scale = (kWidth - kLabelWidth - kValueWidth) / longest;
    }

    ChartPart draw() {
        m_svg = svgText(
            8, 18, titleOf(m_metric) + ", median; whiskers from the 5th to the 95th percentile of the times");
        m_y = kTitleHeight;
        for (const MeasuredCase& measured : m_report.cases) {
            m_svg += svgText(8, m_y + 17, labelOf(measured.wanted) + " " + nameOf(measured.wanted.type));
            m_y += kHeadingHeight;
            for (const AttentionRow& row : measured.rows) drawBar(measured, row);
        }
        return {m_svg, m_y};
    }

  private:
    void drawBar(const MeasuredCase& measured, const AttentionRow& row) {
        const Spread spread = spreadOf(m_metric, measured, row);
        const auto x = [&](double value) { return kLabelWidth + value * m_scale; };
        const double middle = m_y + kBarHeight / 2;
        m_svg += svgText(kLabelWidth - 8, m_y + 13, row.kernel, TextAnchor::End) +
                 svgRectangle(kLabelWidth, m_y, spread.middle * m_scale, kBarHeight,
                              cssColor(backendColor(row.kernel))) +
                 svgLine(x(spread.low), middle, x(spread.high), middle, "#333");
        for (const double end : {spread.low, spread.high})
            m_svg += svgLine(x(end), middle - 4, x(end), middle + 4, "#333");
        std::string words = valueText(spread.middle);
        if (row.used != row.kernel) words += " (" + row.used + " ran)";
        if (!row.dense) words += " (dense-equivalent)";
        m_svg += svgText(x(spread.high) + 6, m_y + 13, words);
        m_y += kBarPitch;
    }

    const AttentionReport& m_report;
    AttentionMetric m_metric;
    double m_scale = 1;
    std::string m_svg;
    double m_y = 0;
};

}  // namespace

std::string attentionChart(const AttentionReport& report, std::optional<AttentionMetric> metric) {
    const ChartPart bars = BarChart(report, metric.value_or(AttentionMetric::Throughput)).draw();
    const ChartPart roofs = rooflineChart(report, kWidth, bars.height + 10);
    return svgDocument(kWidth, bars.height + 10 + roofs.height, bars.svg + roofs.svg);
}

}  // namespace reelgrid::cli
