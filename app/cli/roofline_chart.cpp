#include "app/cli/roofline_chart.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/number_text.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/svg_elements.h"

namespace reelgrid::cli {
namespace {

using namespace comparison;
using benchmark::AttentionReport;
using benchmark::AttentionRow;
using benchmark::MeasuredCase;

constexpr double kAxisWidth = 80, kRight = 20;
constexpr double kTitleHeight = 28, kPlotHeight = 320, kFooter = 30;

/// Whole powers of ten around all values that it has seen.
class LogAxis {
  public:
    void see(double value) {
        m_low = std::min(m_low, std::floor(std::log10(value)));
        m_high = std::max(m_high, std::ceil(std::log10(value)));
    }
    [[nodiscard]] double share(double value) const { return (std::log10(value) - m_low) / (m_high - m_low); }
    [[nodiscard]] double lowest() const { return std::pow(10, m_low); }
    [[nodiscard]] double highest() const { return std::pow(10, m_high); }

  private:
    double m_low = 300, m_high = -300;
};

class RooflineChart {
  public:
    RooflineChart(const AttentionReport& report, double width, double top)
        : m_report(report),
          m_width(width),
          m_legend(svgLegend(keys(), kAxisWidth, width - kRight)),
          m_top(top + kTitleHeight + m_legend.height) {
        for (const auto& [name, rate] : benchmark::kPeakTypes)
            if (report.peaks.*rate > 0) {
                m_rates.see(report.peaks.*rate);
                m_intensities.see(report.peaks.*rate / report.peaks.bytesPerSecond);
            }
        for (const MeasuredCase& measured : report.cases)
            for (const AttentionRow& row : measured.rows) {
                m_rates.see(rateOf(measured, row));
                m_intensities.see(intensityOf(measured, row));
            }
    }

    [[nodiscard]] double height() const { return kTitleHeight + m_legend.height + kPlotHeight + kFooter; }

    std::string draw() {
        const double legendTop = m_top - m_legend.height;
        m_svg = "<g transform=\"translate(0 " + svgNumber(legendTop) + ")\">" + m_legend.svg + "</g>";
        m_svg += svgText(8, legendTop - 8,
                         "roofline, GFLOP/s over FLOP/byte: memory " +
                             fixed(m_report.peaks.bytesPerSecond / 1e9, 1) +
                             " GB/s; hollow: operations of dense attention");
        drawGrid();
        drawRoofs();
        for (const MeasuredCase& measured : m_report.cases)
            for (const AttentionRow& row : measured.rows) drawPoint(measured, row);
        return m_svg;
    }

  private:
    [[nodiscard]] double x(double intensity) const {
        return kAxisWidth + m_intensities.share(intensity) * (m_width - kAxisWidth - kRight);
    }
    [[nodiscard]] double y(double rate) const { return m_top + (1 - m_rates.share(rate)) * kPlotHeight; }

    void drawGrid() {
        const double bottom = m_top + kPlotHeight;
        for (double rate = m_rates.lowest(); rate <= 1.01 * m_rates.highest(); rate *= 10)
            m_svg +=
                svgLine(kAxisWidth, y(rate), m_width - kRight, y(rate), "#ddd") +
                svgText(kAxisWidth - 6, y(rate) + 4, fixed(rate / 1e9, rate < 1e9 ? 3 : 0), TextAnchor::End);
        for (double at = m_intensities.lowest(); at <= 1.01 * m_intensities.highest(); at *= 10)
            m_svg += svgLine(x(at), m_top, x(at), bottom, "#ddd") +
                     svgText(x(at), bottom + 16, fixed(at, at < 1 ? 2 : 0), TextAnchor::Middle);
    }

    void drawRoofs() {
        const double bandwidth = m_report.peaks.bytesPerSecond;
        double highest = 0;
        for (const auto& [name, rate] : benchmark::kPeakTypes) {
            const double peak = m_report.peaks.*rate;
            if (peak <= 0) continue;
            highest = std::max(highest, peak);
            m_svg += svgLine(x(peak / bandwidth), y(peak), m_width - kRight, y(peak), "#666", 1.5) +
                     svgText(m_width - kRight, y(peak) - 4, name, TextAnchor::End);
        }
        // The slope of memory, up to the highest roof and not below the axes' corner.
        const double start = std::max(m_intensities.lowest(), m_rates.lowest() / bandwidth);
        m_svg += svgLine(x(start), y(start * bandwidth), x(highest / bandwidth), y(highest), "#666", 1.5);
    }

    void drawPoint(const MeasuredCase& measured, const AttentionRow& row) {
        const double px = x(intensityOf(measured, row)), py = y(rateOf(measured, row));
        m_svg +=
            svgDot(px, py, 5, cssColor(backendColor(row.used)), row.dense ? Marker::Filled : Marker::Hollow);
    }

    /// Points of one call lie close together: a legend names them.
    [[nodiscard]] std::vector<SvgKey> keys() const {
        std::vector<SvgKey> keys;
        for (const MeasuredCase& measured : m_report.cases)
            for (const AttentionRow& row : measured.rows)
                if (std::ranges::find(keys, row.used, &SvgKey::name) == keys.end())
                    keys.push_back({row.used, cssColor(backendColor(row.used))});
        return keys;
    }

    const AttentionReport& m_report;
    double m_width;
    SvgLegend m_legend;
    double m_top;
    LogAxis m_intensities, m_rates;
    std::string m_svg;
};

}  // namespace

ChartPart rooflineChart(const AttentionReport& report, double width, double top) {
    const bool known = report.peaks.fp32 > 0 && report.peaks.bytesPerSecond > 0 && !report.cases.empty();
    if (!known) return {};
    RooflineChart chart(report, width, top);
    return {chart.draw(), chart.height()};
}

}  // namespace reelgrid::cli
