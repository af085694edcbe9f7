#include "widgets/charts/coherence_chart.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/protocol/attention_call.h"
#include "widgets/charts/plot_style.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

// Pixels that the lowest curve is wider than the topmost.
constexpr double kMostWider = 5;

std::vector<const metrics::Measure*> seriesMeasures() {
    std::vector<const metrics::Measure*> measures;
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (measure.isSeries()) measures.push_back(&measure);
    return measures;
}

QString titleOf(const metrics::Measure& measure) {
    QString title = measure.title;
    title[0] = title[0].toUpper();
    return title;
}

QString choiceOf(const metrics::Measure& measure) {
    if (!measure.needsReference()) return titleOf(measure);
    return QObject::tr("%1 against %2")
        .arg(titleOf(measure), QString::fromStdString(protocol::kReferenceBackend));
}

QString axisOf(const metrics::Measure& measure) {
    const QString unit = measure.unit;
    return unit.isEmpty() ? QString(measure.title) : QString("%1, %2").arg(measure.title, unit);
}

QString whyAbsent(const metrics::Measure& measure) {
    if (!measure.needsReference())
        return QObject::tr("Per-frame curves appear with the first measured clip.");
    return QObject::tr("%1 appears once the %2 clip and another of the same size are here.")
        .arg(titleOf(measure), QString::fromStdString(protocol::kReferenceBackend));
}

}  // namespace

CoherenceChart::CoherenceChart(QWidget* parent)
    : QWidget(parent),
      m_measure(new QComboBox),
      m_legend(new LegendRow),
      m_plot(new QCustomPlot),
      m_empty(new QLabel(m_plot)) {
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* title = new QLabel(tr("COHERENCE"));
    title->setObjectName("heading");
    for (const metrics::Measure* measure : seriesMeasures()) m_measure->addItem(choiceOf(*measure));
    m_measure->setAccessibleName(tr("What the curves show"));
    connect(m_measure, &QComboBox::currentIndexChanged, this, &CoherenceChart::redraw);

    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addStretch();
    head->addWidget(m_measure);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 12, 8);
    layout->setSpacing(4);
    layout->addLayout(head);
    layout->addWidget(m_legend);
    layout->addWidget(m_plot, 1);

    stylePlot(*m_plot);
    m_plot->xAxis->setLabel(tr("seconds"));
    // The playhead has its own layer: moving it repaints one line, not the curves.
    m_plot->addLayer("playhead", m_plot->layer("main"));
    m_plot->layer("playhead")->setMode(QCPLayer::lmBuffered);
    m_line = new QCPItemLine(m_plot);
    m_line->setLayer("playhead");
    m_line->setPen(QPen(theme::kText, 1));
    for (QCPItemPosition* end : {m_line->start, m_line->end}) {
        end->setTypeX(QCPItemPosition::ptPlotCoords);
        end->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    m_plot->installEventFilter(this);
    m_plot->setCursor(Qt::PointingHandCursor);
    m_empty->setObjectName("quiet");
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setAttribute(Qt::WA_TransparentForMouseEvents);
    redraw();
}

const metrics::Measure& CoherenceChart::measure() const {
    return *seriesMeasures()[std::size_t(m_measure->currentIndex())];
}

void CoherenceChart::setMeasure(const metrics::Measure& measure) {
    const auto measures = seriesMeasures();
    const auto found = std::ranges::find(measures, &measure);
    if (found != measures.end()) m_measure->setCurrentIndex(int(found - measures.begin()));
}

void CoherenceChart::setCurves(std::vector<ClipCurves> curves) {
    m_curves = std::move(curves);
    redraw();
}

void CoherenceChart::setDuration(double seconds) {
    const double duration = seconds > 0 ? seconds : 1;
    if (duration == m_duration) return;
    m_duration = duration;
    redraw();
}

void CoherenceChart::setPlayhead(double seconds) {
    m_playhead = seconds;
    m_line->start->setCoords(seconds, 0);
    m_line->end->setCoords(seconds, 1);
    if (QCPLayer* layer = m_plot->layer("playhead")) layer->replot();
    updateLegend();
}

std::vector<CoherenceChart::Point> CoherenceChart::pointsOf(const ClipCurves& curves,
                                                            const metrics::Measure& measure) {
    std::vector<Point> points;
    const metrics::Series* series = metrics::seriesOf(measure, curves.metrics);
    if (series == nullptr) return points;
    // An entry for frames i and i+1 stands at the later one's time.
    const std::size_t shift = measure.entry == metrics::EntryIs::PairWithNext ? 1 : 0;
    for (std::size_t i = 0; i < series->perFrame.size() && i + shift < curves.frameSeconds.size(); ++i)
        points.push_back({curves.frameSeconds[i + shift], series->perFrame[i]});
    return points;
}

void CoherenceChart::updateLegend() {
    const int decimals = measure().decimals;
    std::vector<LegendRow::Item> items;
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        const std::vector<Point>& points = m_points[i];
        // The value that holds at the playhead is the last one at or before it.
        const auto after = std::ranges::upper_bound(points, m_playhead + 1e-6, {}, &Point::seconds);
        QString value;
        if (after != points.begin() && std::isfinite(std::prev(after)->value))
            value = QString::number(std::prev(after)->value, 'f', decimals);
        if (!points.empty()) items.push_back({m_curves[i].color, m_curves[i].name, value});
    }
    m_legend->setItems(std::move(items));
}

void CoherenceChart::redraw() {
    m_points.clear();
    for (const ClipCurves& curves : m_curves) m_points.push_back(pointsOf(curves, measure()));
    m_plot->clearGraphs();
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        if (m_points[i].empty()) continue;
        QCPGraph* graph = m_plot->addGraph();
        // Wider below, so that curves that coincide are all seen.
        const auto above = double(m_curves.size() - 1 - i);
        const double wider = std::min(1.6, kMostWider / double(m_curves.size()));
        graph->setPen(QPen(m_curves[i].color, 1.6 + wider * above));
        for (const Point& point : m_points[i]) {
            const bool gap = !std::isfinite(point.value);
            graph->addData(point.seconds, gap ? std::numeric_limits<double>::quiet_NaN() : point.value);
            if (gap) continue;
            lowest = std::min(lowest, point.value);
            highest = std::max(highest, point.value);
        }
    }
    m_plot->yAxis->setLabel(axisOf(measure()));
    m_plot->xAxis->setRange(0, m_duration);
    const bool any = lowest <= highest;
    const double room = any ? std::max((highest - lowest) * 0.12, 1e-4 * std::abs(highest) + 1e-6) : 0;
    m_plot->yAxis->setRange(any ? lowest - room : 0, any ? highest + room : 1);
    m_plot->yAxis->setTickLabels(any);
    m_line->setVisible(any);
    m_empty->setVisible(!any);
    m_empty->setText(whyAbsent(measure()));
    m_line->start->setCoords(m_playhead, 0);
    m_line->end->setCoords(m_playhead, 1);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    updateLegend();
}

bool CoherenceChart::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) m_empty->setGeometry(m_plot->rect().adjusted(40, 0, -20, -30));
    const bool press = event->type() == QEvent::MouseButtonPress;
    if (press || event->type() == QEvent::MouseMove) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const bool left = press ? mouse->button() == Qt::LeftButton : bool(mouse->buttons() & Qt::LeftButton);
        if (left && !m_curves.empty()) {
            const double at = m_plot->xAxis->pixelToCoord(mouse->position().x());
            Q_EMIT seekRequested(std::clamp(at, 0.0, m_duration));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace reelgrid::widgets
