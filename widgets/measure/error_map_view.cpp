#include "widgets/measure/error_map_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "widgets/measure/figure_text.h"
#include "widgets/measure/heat_chart.h"

namespace reelgrid::widgets {

namespace {

using metrics::kOutputMeasures;
using metrics::LockstepBackend;
using metrics::OutputErrors;

constexpr int kLeastHeight = 230;

bool isCosine(const metrics::OutputMeasure& measure) {
    return measure.values == &OutputErrors::cosine;
}

/// What the colours show: an error that grows.
double errorOf(const metrics::OutputMeasure& measure, double value) {
    return isCosine(measure) ? std::max(0.0, 1 - value) : value;
}

}  // namespace

ErrorMapView::ErrorMapView(metrics::LockstepMap map, QWidget* parent)
    : QWidget(parent), m_map(std::move(map)), m_measure(new QComboBox) {
    for (const metrics::OutputMeasure& measure : kOutputMeasures)
        m_measure->addItem(isCosine(measure) ? tr("1 − cosine") : QString(measure.title));
    m_measure->setCurrentIndex(1);
    m_measure->setAccessibleName(tr("Measure"));
    auto* about =
        new QLabel(tr("%1 layers × %2 steps on the latents of the %3 clip. A click shows the backend's clip "
                      "where it differs most.")
                       .arg(m_map.layers)
                       .arg(m_map.steps)
                       .arg(QString::fromStdString(m_map.reference)));
    about->setObjectName("quiet");
    about->setTextFormat(Qt::PlainText);
    auto* head = new QHBoxLayout;
    head->addWidget(m_measure);
    head->addWidget(about, 1);
    auto* maps = new QWidget;
    auto* list = new QVBoxLayout(maps);
    list->setContentsMargins(0, 0, 0, 0);
    for (const LockstepBackend& backend : m_map.backends) {
        const QString name = QString::fromStdString(backend.name);
        auto* chart = new HeatChart(name.toUpper());
        chart->setMinimumHeight(kLeastHeight);
        chart->setToolTip(QString::fromStdString(backend.why));
        connect(chart, &HeatChart::cellClicked, this, [this, name] { Q_EMIT backendClicked(name); });
        list->addWidget(chart);
        m_charts.push_back(chart);
    }
    auto* scroll = new QScrollArea;
    scroll->setWidget(maps);
    scroll->setWidgetResizable(true);
    auto* column = new QVBoxLayout(this);
    column->addLayout(head);
    column->addWidget(scroll, 1);
    connect(m_measure, &QComboBox::currentIndexChanged, this, [this] { draw(); });
    draw();
}

void ErrorMapView::draw() {
    const auto& measure =
        kOutputMeasures[std::clamp(m_measure->currentIndex(), 0, int(std::size(kOutputMeasures)) - 1)];
    HeatRange range;
    std::vector<HeatMapCells> all;
    for (const LockstepBackend& backend : m_map.backends) {
        HeatMapCells cells;
        cells.columns = m_map.steps;
        cells.rows = m_map.layers + 1;
        for (const double value : backend.flow.*measure.values)
            cells.values.push_back(errorOf(measure, value));
        for (int layer = 0; layer < m_map.layers; ++layer)
            for (int step = 0; step < m_map.steps; ++step)
                cells.values.push_back(
                    errorOf(measure, (backend.attention.*measure.values)[m_map.site(layer, step)]));
        cells.columnName = tr("denoising step");
        cells.rowName = tr("layer");
        cells.rowLabels = {tr("whole pass")};
        cells.valueName = m_measure->currentText();
        range.add(cells.values);
        all.push_back(std::move(cells));
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        m_charts[i]->setCells(std::move(all[i]), range,
                              [this, i](int step, int row) { return reading(m_map.backends[i], step, row); });
}

QString ErrorMapView::reading(const LockstepBackend& backend, int step, int row) const {
    const bool isWhole = row == 0;
    const OutputErrors& errors = isWhole ? backend.flow : backend.attention;
    const std::size_t index = isWhole ? std::size_t(step) : m_map.site(row - 1, step);
    QString words =
        isWhole ? tr("step %1, whole pass").arg(step) : tr("step %1, layer %2").arg(step).arg(row - 1);
    if (!std::isfinite(errors.relativeL1[index])) {
        words += tr(": not measured");
        return backend.why.empty() ? words : words + " (" + QString::fromStdString(backend.why) + ')';
    }
    words += tr(":  cosine %1   L1 %2   RMSE %3")
                 .arg(figure(errors.cosine[index], 8), figure(errors.relativeL1[index]),
                      figure(errors.rmse[index]));
    if (!isWhole && !backend.seconds.empty()) words += "   " + secondsText(backend.seconds[index]);
    return words;
}

}  // namespace reelgrid::widgets
