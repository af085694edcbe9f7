#include "widgets/measure/kernel_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/measure/bars_chart.h"
#include "widgets/measure/figure_text.h"
#include "widgets/measure/points_chart.h"
#include "widgets/measure/result_table.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

using measurements::KernelRow;

struct Figure {
    const char* name;
    const char* unit;
    std::optional<double> (*of)(const KernelRow& row);
};
constexpr std::array kFigures{
    Figure{QT_TRANSLATE_NOOP("reelgrid::widgets::KernelView", "Time"), "ms",
           [](const KernelRow& row) { return std::optional(row.msP50); }},
    Figure{QT_TRANSLATE_NOOP("reelgrid::widgets::KernelView", "Time of the kernel alone"), "ms",
           [](const KernelRow& row) { return row.msKernelP50; }},
    Figure{QT_TRANSLATE_NOOP("reelgrid::widgets::KernelView", "Speed-up over sdpa"), "×",
           [](const KernelRow& row) { return row.timesSdpa; }},
    Figure{QT_TRANSLATE_NOOP("reelgrid::widgets::KernelView", "Throughput"), "TFLOP/s",
           [](const KernelRow& row) { return row.tflops; }},
    Figure{QT_TRANSLATE_NOOP("reelgrid::widgets::KernelView", "Bandwidth"), "GB/s",
           [](const KernelRow& row) { return row.gbytesPerSecond; }},
    Figure{QT_TRANSLATE_NOOP("reelgrid::widgets::KernelView", "Relative L1 error"), "",
           [](const KernelRow& row) { return std::optional(row.l1); }},
};

QString nameOf(const KernelRow& row) {
    return row.used == row.kernel ? text(row.kernel) : text(row.kernel + " → " + row.used);
}

/// What is to be known of a row's rates; else why another kernel ran.
QString noteOf(const KernelRow& row) {
    if (row.flopAreDenseEquivalent) return KernelView::tr("rates as if dense");
    QStringList notes;
    if (!row.why.empty()) notes << text(row.why);
    if (row.peakShare.value_or(0) > 1)
        notes << KernelView::tr(
            "above the measured peak: it ran at higher clocks than that, or the peak is "
            "not this machine's");
    return notes.join("; ");
}

QString unitOf(const Figure& figure) {
    return QString::fromUtf8(figure.unit);
}

}  // namespace

KernelView::KernelView(measurements::KernelResults results, QWidget* parent)
    : QWidget(parent),
      m_results(std::move(results)),
      m_input(new QComboBox),
      m_figure(new QComboBox),
      m_bars(new BarsChart(tr("KERNELS"))),
      m_roofline(new PointsChart(tr("ROOFLINE"))),
      m_table(new ResultTable(2)) {
    for (const std::string& name : m_results.inputNames()) m_input->addItem(text(name));
    m_input->setAccessibleName(tr("Input"));
    for (const Figure& figure : kFigures) m_figure->addItem(tr(figure.name));
    m_figure->setAccessibleName(tr("Figure"));
    auto* about = new QLabel(QString("%1   %2   %3")
                                 .arg(text(m_results.device), text(m_results.machine),
                                      tr("inputs: %1").arg(text(m_results.inputs))));
    about->setObjectName("quiet");
    about->setTextFormat(Qt::PlainText);
    auto* head = new QHBoxLayout;
    head->addWidget(m_input, 2);
    head->addWidget(m_figure, 1);
    head->addWidget(about, 3);
    auto* charts = new QSplitter(Qt::Horizontal);
    charts->addWidget(m_bars);
    charts->addWidget(m_roofline);
    charts->setSizes({600, 500});
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(charts);
    rows->addWidget(m_table);
    rows->setSizes({420, 260});
    auto* column = new QVBoxLayout(this);
    column->addLayout(head);
    column->addWidget(rows, 1);
    connect(m_input, &QComboBox::currentIndexChanged, this, [this] { show(); });
    connect(m_figure, &QComboBox::currentIndexChanged, this, [this] { show(); });
    show();
}

std::vector<const KernelRow*> KernelView::shownRows() const {
    std::vector<const KernelRow*> rows;
    for (const KernelRow& row : m_results.rows)
        if (text(row.input()) == m_input->currentText()) rows.push_back(&row);
    return rows;
}

void KernelView::show() {
    const auto rows = shownRows();
    drawBars(rows);
    drawRoofline(rows);
    fillTable(rows);
}

void KernelView::drawBars(const std::vector<const KernelRow*>& rows) {
    const Figure& shown = kFigures[std::size_t(std::max(0, m_figure->currentIndex()))];
    const bool isTime = m_figure->currentIndex() == 0;
    std::vector<Bar> bars;
    for (const KernelRow* row : rows) {
        const std::optional<double> value = shown.of(*row);
        if (!value || !std::isfinite(*value)) continue;
        Bar bar{nameOf(*row), backendColor(text(row->used)), *value, {}, {}, {}};
        if (isTime) {
            bar.from = row->msP05;
            bar.upTo = row->msP95;
        }
        bar.text = figure(value, 3) + ' ' + unitOf(shown);
        if (isTime && row->timesSdpa) bar.text += tr("   %1×").arg(fixedText(*row->timesSdpa, 2));
        if (row->flopAreDenseEquivalent) bar.fill = Bar::Fill::Hollow;
        bars.push_back(std::move(bar));
    }
    QString axis = tr(shown.name);
    if (!unitOf(shown).isEmpty()) axis += ", " + unitOf(shown);
    m_bars->setBars(std::move(bars), isTime ? axis + tr("; whiskers: 5 % to 95 % of the turns") : axis);
}

/// Roofs over every intensity that a kernel has, from where memory alone limits to where it doesn't.
void KernelView::drawRoofline(const std::vector<const KernelRow*>& rows) {
    std::vector<PointSeries> series;
    double low = 1, high = 1;
    for (const KernelRow* row : rows)
        if (row->flopPerByte && *row->flopPerByte > 0) {
            low = std::min(low, *row->flopPerByte / 2);
            high = std::max(high, *row->flopPerByte * 4);
        }
    if (m_results.peakGbytesPerSecond.value_or(0) > 0) {
        const double bandwidth = *m_results.peakGbytesPerSecond;
        int shade = 0;
        for (const auto& [type, peak] : m_results.peakGflops) {
            const double ridge = peak / bandwidth;
            PointSeries roof{tr("%1 roof").arg(text(type)), theme::kQuiet.darker(100 + 30 * shade++)};
            roof.points.emplace_back(std::min(low, ridge), bandwidth * std::min(low, ridge));
            roof.points.emplace_back(ridge, peak);
            roof.points.emplace_back(std::max(high, 2 * ridge), peak);
            const QString label =
                tr("%1 roof: %2 GFLOP/s, %3 GB/s").arg(text(type), figure(peak), figure(bandwidth));
            roof.labels = {label, label, label};
            series.push_back(std::move(roof));
        }
    }
    for (const KernelRow* row : rows) {
        if (!row->flopPerByte || !row->tflops) continue;
        constexpr double kGiga = 1e3;
        PointSeries point{nameOf(*row), backendColor(text(row->used)),
                          row->flopAreDenseEquivalent ? PointSeries::Mark::Rings : PointSeries::Mark::Dots};
        point.points.emplace_back(*row->flopPerByte, *row->tflops * kGiga);
        point.labels << tr("%1: %2 GFLOP/s at %3 FLOP/byte%4")
                            .arg(nameOf(*row), figure(*row->tflops * kGiga), figure(row->flopPerByte),
                                 row->flopAreDenseEquivalent ? tr(", as if dense") : QString());
        series.push_back(std::move(point));
    }
    m_roofline->setSeries(std::move(series), {tr("FLOP/byte"), PointAxis::Scale::Logarithmic},
                          {tr("GFLOP/s"), PointAxis::Scale::Logarithmic});
}

void KernelView::fillTable(const std::vector<const KernelRow*>& rows) {
    ChartTable table{
        {tr("kernel"), tr("note"), tr("ms p50"), tr("p95"), tr("kernel ms"), tr("turns"), tr("× sdpa"),
         tr("TFLOP/s"), tr("of peak"), tr("GB/s"), tr("cosine"), tr("L1"), tr("RMSE"), tr("largest error")},
        {}};
    for (const KernelRow* row : rows)
        table.rows.push_back(
            {nameOf(*row), noteOf(*row), figure(row->msP50), figure(row->msP95), figure(row->msKernelP50),
             QString::number(row->repetitions), figure(row->timesSdpa, 3), figure(row->tflops),
             row->peakShare ? QString("%1 %").arg(fixedText(100 * *row->peakShare, 1)) : figure({}),
             figure(row->gbytesPerSecond), fixedText(row->cosine, 6), figure(row->l1, 3),
             figure(row->rmse, 3), figure(row->maxError, 3)});
    m_table->setTable(table);
}

}  // namespace reelgrid::widgets
