#include "widgets/charts/coherence_chart.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QCoreApplication>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/protocol/attention_call.h"
#include "widgets/charts/metric_table.h"
#include "widgets/charts/plot_hover.h"
#include "widgets/charts/plot_message.h"
#include "widgets/charts/plot_style.h"
#include "widgets/charts/verdict_table.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

// Pixels that the lowest curve is wider than the topmost.
constexpr double kMostWider = 5;
constexpr int kMeasureLetters = 12;

// As metrics::kMeasures has them.
[[maybe_unused]] constexpr const char* kTitles[] = {
    QT_TRANSLATE_NOOP("Measures", "frame correlation"), QT_TRANSLATE_NOOP("Measures", "flickering"),
    QT_TRANSLATE_NOOP("Measures", "warping error"), QT_TRANSLATE_NOOP("Measures", "subject consistency"),
    QT_TRANSLATE_NOOP("Measures", "background consistency")};

QString measureName(const metrics::Measure& measure) {
    return QCoreApplication::translate("Measures", measure.title);
}

QString titleOf(const metrics::Measure& measure) {
    QString title = measureName(measure);
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
    return unit.isEmpty() ? measureName(measure) : QString("%1, %2").arg(measureName(measure), unit);
}

/// A clip that is measured against the reference.
QString withDifference(const ClipCurves& curves) {
    return curves.otherContent.isEmpty()
               ? curves.name
               : QObject::tr("%1 (differs: %2)").arg(curves.name, curves.otherContent);
}

QString whyAbsent(const metrics::Measure& measure) {
    if (measure.measured == metrics::Measured::OnRequest)
        return QObject::tr(
                   "%1 is there where the clips were measured for it: Measure › Compute metrics, or "
                   "reelgrid-cli --metrics.")
            .arg(titleOf(measure));
    if (!measure.needsReference())
        return QObject::tr("Per-frame curves appear with the first measured clip.");
    return QObject::tr("%1 appears once the %2 clip and another of the same size are here.")
        .arg(titleOf(measure), QString::fromStdString(protocol::kReferenceBackend));
}

}  // namespace

CoherenceChart::CoherenceChart(QWidget* parent)
    : ChartFrame(tr("COHERENCE"), parent),
      m_measure(new QComboBox),
      m_plot(new QCustomPlot),
      m_strip(new ThumbnailStrip),
      m_verdicts(new VerdictTable),
      m_numbers(new MetricTable),
      m_empty(new PlotMessage(m_plot)) {
    for (const metrics::Measure& measure : metrics::kMeasures) m_measure->addItem(choiceOf(measure));
    m_measure->setObjectName("measure");
    m_measure->setAccessibleName(tr("What the curves show"));
    m_measure->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_measure->setMinimumContentsLength(kMeasureLetters);
    connect(m_measure, &QComboBox::currentIndexChanged, this, &CoherenceChart::redraw);
    addPage({tr("Curves"), m_plot, m_plot, [this] { return curvesTable(); }});
    addPage({tr("Frames"), m_strip, nullptr, [this] { return curvesTable(); }});
    addPage({tr("Verdicts"), m_verdicts, nullptr, [this] { return m_verdicts->table(); }});
    addPage({tr("Numbers"), m_numbers, nullptr, [this] { return m_numbers->table(); }});
    addToHead(m_measure);
    connect(this, &ChartFrame::pageChanged, this, [this] {
        m_measure->setVisible(view() == View::Curves);
        legend().setVisible(view() == View::Curves);
    });
    connect(m_strip, &ThumbnailStrip::seekRequested, this, &CoherenceChart::seekRequested);

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
    new PlotHover(m_plot, [this](const QPoint& at) { return readingAt(at); });
    m_plot->setCursor(Qt::PointingHandCursor);
    redraw();
}

const metrics::Measure& CoherenceChart::measure() const {
    return metrics::kMeasures[std::size_t(m_measure->currentIndex())];
}

void CoherenceChart::setMeasure(const metrics::Measure& measure) {
    m_measure->setCurrentIndex(int(&measure - metrics::kMeasures.data()));
}

void CoherenceChart::setCurves(std::vector<ClipCurves> curves) {
    m_curves = std::move(curves);
    std::vector<JudgedClip> judged;
    for (const ClipCurves& each : m_curves) judged.push_back({each.name, each.color, each.metrics});
    m_verdicts->setClips(judged);
    for (std::size_t i = 0; i < judged.size(); ++i)
        if (const metrics::ClipMetrics& own = judged[i].metrics; own.drift)
            judged[i].name = withDifference(m_curves[i]);
    m_numbers->setClips(judged);
    redraw();
}

void CoherenceChart::setDuration(double seconds) {
    const double duration = seconds > 0 ? seconds : 1;
    if (duration == m_duration) return;
    m_duration = duration;
    m_strip->setDuration(duration);
    redraw();
}

void CoherenceChart::setPlayhead(double seconds) {
    m_playhead = seconds;
    m_line->start->setCoords(seconds, 0);
    m_line->end->setCoords(seconds, 1);
    m_strip->setPlayhead(seconds);
    if (view() != View::Curves) return;
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

QString CoherenceChart::nameOf(const ClipCurves& curves) const {
    if (!measure().needsReference()) return curves.name;
    if (!curves.otherContent.isEmpty()) return withDifference(curves);
    return curves.role == CurveRole::NoiseFloor ? tr("%1 (noise floor)").arg(curves.name) : curves.name;
}

/// The value that holds at a time is the last one at or before it.
QString CoherenceChart::valueAt(std::size_t curve, double seconds) const {
    const std::vector<Point>& points = m_points[curve];
    const auto after = std::ranges::upper_bound(points, seconds + 1e-6, {}, &Point::seconds);
    if (after == points.begin() || !std::isfinite(std::prev(after)->value)) return {};
    return fixedText(std::prev(after)->value, measure().decimals);
}

void CoherenceChart::updateLegend(LegendSays says) {
    std::vector<LegendRow::Item> items;
    for (std::size_t i = 0; i < m_curves.size(); ++i)
        if (!m_points[i].empty())
            items.push_back({m_curves[i].color, nameOf(m_curves[i]),
                             says == LegendSays::Names ? QString() : valueAt(i, m_playhead)});
    legend().setItems(std::move(items));
}

/// Of the view on show, where the playhead goes.
QRectF CoherenceChart::timeArea() const {
    if (view() == View::Frames) return m_strip->timeArea();
    if (view() != View::Curves || !m_line->visible()) return {};
    const QRect axes = m_plot->axisRect()->rect();
    const double left = m_plot->xAxis->coordToPixel(0);
    return {left, double(axes.top()), m_plot->xAxis->coordToPixel(m_duration) - left, double(axes.height())};
}

StillChart CoherenceChart::still(double pixelRatio) {
    const double playhead = m_playhead;
    const bool hasLine = m_line->visible();
    updateLegend(LegendSays::Names);
    m_line->setVisible(false);
    m_strip->setPlayhead(-1);
    const Drawn chart = drawn(pixelRatio);
    m_line->setVisible(hasLine);
    const QRectF area = timeArea().translated(chart.page);
    m_strip->setPlayhead(playhead);
    updateLegend();
    const bool onPictures = view() == View::Frames;
    return {chart.image,
            {area.topLeft() * pixelRatio, area.size() * pixelRatio},
            m_duration,
            onPictures ? QColor(Qt::white) : theme::kText,
            onPictures ? QColor(Qt::black) : QColor(),
            pixelRatio};
}

QString CoherenceChart::readingAt(const QPoint& at) const {
    if (!m_plot->axisRect()->rect().contains(at)) return {};
    const double seconds = m_plot->xAxis->pixelToCoord(at.x());
    QString words;
    for (std::size_t i = 0; i < m_curves.size(); ++i)
        if (const QString value = valueAt(i, seconds); !value.isEmpty())
            words += QString("\n%1 %2").arg(nameOf(m_curves[i]), value);
    if (words.isEmpty()) return words;
    return tr("%1 at %2 s").arg(axisOf(measure()), fixedText(seconds, 2)) + words;
}

ChartTable CoherenceChart::curvesTable() const {
    ChartTable table{{"clip", "frame", "seconds"}, {}};
    for (const metrics::Measure& each : metrics::kMeasures) table.columns.append(each.key);
    for (const ClipCurves& curves : m_curves)
        for (std::size_t frame = 0; frame < curves.frameSeconds.size(); ++frame) {
            QStringList row{curves.name, QString::number(frame), numberCell(curves.frameSeconds[frame])};
            for (const metrics::Measure& each : metrics::kMeasures) {
                const metrics::Series* series = metrics::seriesOf(each, curves.metrics);
                const bool known = series != nullptr && frame < series->perFrame.size();
                row.append(known ? numberCell(series->perFrame[frame]) : QString());
            }
            table.rows.push_back(row);
        }
    return table;
}

/// Above this curve nothing tells a backend from the reference's own rounding.
void CoherenceChart::drawNoiseFloor(const std::vector<Point>& points, double top) {
    QCPGraph* edge = m_plot->addGraph();
    QCPGraph* area = m_plot->addGraph();
    for (const Point& point : points) {
        if (!std::isfinite(point.value)) continue;
        edge->addData(point.seconds, top);
        area->addData(point.seconds, point.value);
    }
    edge->setPen(Qt::NoPen);
    area->setPen(Qt::NoPen);
    QColor fill = theme::kQuiet;
    fill.setAlphaF(0.16F);
    area->setBrush(fill);
    area->setChannelFillGraph(edge);
}

void CoherenceChart::redraw() {
    m_points.clear();
    for (const ClipCurves& curves : m_curves) m_points.push_back(pointsOf(curves, measure()));
    m_plot->clearGraphs();
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    const std::vector<Point>* floor = nullptr;
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        if (m_points[i].empty()) continue;
        QCPGraph* graph = m_plot->addGraph();
        // Wider below, so that curves that coincide are all seen.
        const auto above = double(m_curves.size() - 1 - i);
        const double wider = std::min(1.6, kMostWider / double(m_curves.size()));
        const bool isFloor = measure().needsReference() && m_curves[i].role == CurveRole::NoiseFloor &&
                             m_curves[i].otherContent.isEmpty();
        if (isFloor) floor = &m_points[i];
        graph->setPen(QPen(m_curves[i].color, 1.6 + wider * above, isFloor ? Qt::DashLine : Qt::SolidLine));
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
    if (floor != nullptr) drawNoiseFloor(*floor, m_plot->yAxis->range().upper);
    m_plot->yAxis->setTickLabels(any);
    m_line->setVisible(any);
    m_empty->say(any ? QString() : whyAbsent(measure()));
    m_line->start->setCoords(m_playhead, 0);
    m_line->end->setCoords(m_playhead, 1);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
    updateLegend();
}

bool CoherenceChart::eventFilter(QObject* watched, QEvent* event) {
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
    return ChartFrame::eventFilter(watched, event);
}

}  // namespace reelgrid::widgets
