#include "widgets/charts/timing_chart.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/comparison/same_work.h"
#include "core/result/warm_up.h"
#include "widgets/charts/backend_map.h"
#include "widgets/charts/bar_plot.h"
#include "widgets/charts/plot_hover.h"
#include "widgets/charts/plot_message.h"
#include "widgets/charts/plot_style.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

// Loading comes last: a warm worker has nothing to load, and the stages before stay comparable.
const QStringList kStageOrder{"denoise", "decode", "text", "encode", "metrics", "other", "load", "image"};

/// 0 where the stage was not measured: then there is nothing to draw.
double secondsOf(const RenderTiming& timing, const QString& stage) {
    return timing.timing.stage(stage.toStdString()).value_or(0);
}

QStringList orderedStages(const std::vector<RenderTiming>& timings) {
    QStringList stages = kStageOrder;
    for (const RenderTiming& timing : timings)
        for (const auto& [stage, seconds] : timing.timing.stages)
            if (const QString name = QString::fromStdString(stage);
                !stages.contains(name) && result::kindOf(stage) != result::StageKind::Measuring)
                stages.insert(stages.size() - 1, name);
    stages.removeIf([&](const QString& stage) {
        return std::ranges::none_of(timings,
                                    [&](const RenderTiming& timing) { return secondsOf(timing, stage) > 0; });
    });
    return stages;
}

// Of the chart's width: what the bars keep, however long the text after them.
constexpr double kLeastForBars = 0.35;
constexpr int kBeforeBarText = 6;

QColor mixed(const QColor& color, const QColor& with, double share) {
    const auto channel = [share](int one, int other) {
        return int(std::lround(one * (1 - share) + other * share));
    };
    return {channel(color.red(), with.red()), channel(color.green(), with.green()),
            channel(color.blue(), with.blue())};
}

/// The backend's colour, a step nearer to the panel's for every stage after the first; loading is grey.
QColor shade(const QColor& base, const QString& stage) {
    if (stage == "load") return mixed(theme::kFaint, theme::kPanel, 0.5);
    const auto position = std::max<qsizetype>(0, kStageOrder.indexOf(stage));
    return mixed(base, theme::kPanel, 1 - 1 / (1 + 0.55 * double(position)));
}

QString secondsText(double seconds) {
    return QObject::tr("%1 s").arg(fixedText(seconds, seconds < 10 ? 2 : 1));
}

constexpr double kGigabyte = 1e9;
QString gigabytesText(std::uint64_t bytes) {
    const double gigabytes = double(bytes) / kGigabyte;
    return QObject::tr("%1 GB").arg(fixedText(gigabytes, gigabytes < 10 ? 2 : 1));
}

/// How many times as fast as the first render's; nothing where one of them was not measured.
std::optional<double> ratio(std::optional<double> first, std::optional<double> own) {
    if (!first || !own || !(*first > 0) || !(*own > 0)) return std::nullopt;
    return *first / *own;
}

std::optional<double> attentionOf(const RenderTiming& timing) {
    const auto denoise = timing.timing.stage("denoise");
    if (!denoise || !timing.outsideAttention) return std::nullopt;
    return *denoise - *timing.outsideAttention;
}

}  // namespace

TimingChart::TimingChart(QWidget* parent)
    : ChartFrame(tr("TIME"), parent),
      m_stages(new QCustomPlot),
      m_names(m_stages),
      m_steps(new QCustomPlot),
      m_speedUps(new BarPlot),
      m_memory(new BarPlot),
      m_backends(new BackendMap) {
    for (QCustomPlot* plot : {m_stages, m_steps}) stylePlot(*plot);
    m_stages->yAxis->grid()->setVisible(false);
    m_stages->yAxis->setTickPen(Qt::NoPen);
    m_stages->yAxis->setTickLabelColor(theme::kText);
    connect(m_stages, &QCustomPlot::afterLayout, this, &TimingChart::fitRows);
    m_steps->xAxis->setLabel(tr("denoising step"));
    m_steps->yAxis->setLabel(tr("seconds a step"));
    new PlotHover(m_stages, [this](const QPoint& at) { return stagesReading(at); });
    new PlotHover(m_steps, [this](const QPoint& at) { return stepReading(at); });
    m_speedUps->setMark(1);
    addPage({tr("Stages"), m_stages, m_stages, [this] { return stagesTable(); }});
    addPage({tr("Steps"), m_steps, m_steps, [this] { return stepsTable(); }});
    addPage({tr("Speed-up"), m_speedUps, m_speedUps->plot(), [this] { return m_speedUps->table(); }});
    addPage({tr("Memory"), m_memory, m_memory->plot(), [this] { return memoryTable(); }});
    addPage({tr("Backends"), m_backends, m_backends->plot().plot(),
             [this] { return m_backends->plot().table(); }});
    connect(this, &ChartFrame::pageChanged, this, &TimingChart::updateLegend);
    for (QCustomPlot* plot : {m_stages, m_steps, m_speedUps->plot(), m_memory->plot()})
        m_empty.push_back(new PlotMessage(plot));
    setTimings({});
}

TimingChart::View TimingChart::view() const {
    return View(page());
}

void TimingChart::setView(View view) {
    showPage(int(view));
}

QCustomPlot* TimingChart::plotOf(View view) const {
    switch (view) {
        case View::Stages:
            return m_stages;
        case View::Steps:
            return m_steps;
        case View::SpeedUp:
            return m_speedUps->plot();
        case View::Memory:
            return m_memory->plot();
        case View::Backends:
            return m_backends->plot().plot();
    }
    return nullptr;
}

void TimingChart::setTimings(std::vector<RenderTiming> timings, std::size_t against) {
    m_timings = std::move(timings);
    m_against = against < m_timings.size() ? against : 0;
    warnOfUnevenTimes();
    drawStages();
    drawSteps();
    drawSpeedUps();
    drawMemory();
    std::vector<RenderCalls> calls;
    for (const RenderTiming& timing : m_timings) calls.push_back({timing.name, timing.calls});
    m_backends->setRenders(std::move(calls));
    for (PlotMessage* message : m_empty)
        message->say(m_timings.empty() ? tr("Times appear with the first render.") : QString());
    updateLegend();
}

void TimingChart::updateLegend() {
    std::vector<LegendRow::Item> items;
    if (view() == View::Stages) {
        for (const QString& stage : orderedStages(m_timings))
            items.push_back({shade(theme::kText, stage), stage, {}});
    } else if (view() == View::Steps) {
        for (const RenderTiming& timing : m_timings) items.push_back({timing.color, timing.name, {}});
    }
    legend().setVisible(!items.empty());
    legend().setItems(std::move(items));
}

void TimingChart::drawSpeedUps() {
    std::vector<Bar> bars;
    for (const RenderTiming& timing : m_timings) {
        const RenderTiming& first = m_timings[m_against];
        const auto denoise = result::denoiseRatio(first.timing, timing.timing);
        if (!denoise) continue;
        Bar bar{timing.name, timing.color, *denoise};
        const QString times = fixedText(*denoise, 2);
        bar.text = tr("%1×").arg(times);
        bar.reading = tr("%1 against %2\ndenoise %3×").arg(timing.name, first.name, times);
        if (const auto attention = ratio(attentionOf(first), attentionOf(timing)))
            bar.reading += tr("\nattention %1×").arg(fixedText(*attention, 2));
        if (const auto whole = ratio(first.timing.renderSeconds(), timing.timing.renderSeconds()))
            bar.reading += tr("\nwhole render %1×").arg(fixedText(*whole, 2));
        if (!timing.otherWork.isEmpty()) {
            bar.text = tr("%1×, other work").arg(times);
            bar.reading += tr("\ndiffers: %1").arg(timing.otherWork);
        }
        bars.push_back(std::move(bar));
    }
    const QString axis = m_timings.empty()
                             ? tr("speed-up of denoising")
                             : tr("speed-up of denoising, %1 = 1").arg(m_timings[m_against].name);
    m_speedUps->setBars(std::move(bars), axis);
}

void TimingChart::drawMemory() {
    std::vector<Bar> bars;
    for (const RenderTiming& timing : m_timings) {
        const auto peak = timing.timing.peakOfRender();
        if (!peak) continue;
        Bar bar{timing.name, timing.color, double(*peak) / kGigabyte};
        bar.text = gigabytesText(*peak);
        bar.reading = timing.name;
        for (const auto& [stage, bytes] : timing.timing.peakBytes)
            bar.reading += QString("\n%1 %2").arg(QString::fromStdString(stage), gigabytesText(bytes));
        bars.push_back(std::move(bar));
    }
    m_memory->setBars(std::move(bars), tr("peak memory in GB, the model included"));
}

QString TimingChart::stagesReading(const QPoint& at) const {
    const auto index = std::lround(m_names.placeOf(0) - m_stages->yAxis->pixelToCoord(at.y()));
    if (!m_stages->axisRect()->rect().contains(at) || index < 0 || index >= std::ssize(m_timings)) return {};
    const RenderTiming& timing = m_timings[std::size_t(index)];
    QString words = tr("%1: %2").arg(timing.name, secondsText(timing.timing.renderSeconds()));
    for (const auto& [stage, seconds] : timing.timing.stages)
        words += QString("\n%1 %2").arg(QString::fromStdString(stage), secondsText(seconds));
    return words;
}

QString TimingChart::stepReading(const QPoint& at) const {
    if (!m_steps->axisRect()->rect().contains(at)) return {};
    const auto step = std::lround(m_steps->xAxis->pixelToCoord(at.x()));
    QString words;
    for (const RenderTiming& timing : m_timings)
        if (step >= 1 && step <= std::ssize(timing.timing.steps))
            words += QString("\n%1 %2").arg(
                timing.name, tr("%1 s").arg(fixedText(timing.timing.steps[std::size_t(step) - 1], 3)));
    return words.isEmpty() ? words : tr("step %1").arg(step) + words;
}

ChartTable TimingChart::stagesTable() const {
    ChartTable table{{"clip"}, {}};
    std::vector<std::string> stages;
    for (const RenderTiming& timing : m_timings)
        for (const auto& [stage, seconds] : timing.timing.stages)
            if (std::ranges::find(stages, stage) == stages.end()) stages.push_back(stage);
    for (const std::string& stage : stages) table.columns.append(QString::fromStdString(stage) + "_s");
    for (const RenderTiming& timing : m_timings) {
        QStringList row{timing.name};
        for (const std::string& stage : stages) {
            const auto seconds = timing.timing.stage(stage);
            row.append(seconds ? numberCell(*seconds) : QString());
        }
        table.rows.push_back(row);
    }
    return table;
}

ChartTable TimingChart::stepsTable() const {
    ChartTable table{{"step"}, {}};
    std::size_t most = 0;
    for (const RenderTiming& timing : m_timings) {
        table.columns.append(timing.name + "_s");
        most = std::max(most, timing.timing.steps.size());
    }
    for (std::size_t step = 0; step < most; ++step) {
        QStringList row{QString::number(step + 1)};
        for (const RenderTiming& timing : m_timings)
            row.append(step < timing.timing.steps.size() ? numberCell(timing.timing.steps[step]) : QString());
        table.rows.push_back(row);
    }
    return table;
}

ChartTable TimingChart::memoryTable() const {
    ChartTable table{{"clip", "stage", "peak_bytes"}, {}};
    for (const RenderTiming& timing : m_timings)
        for (const auto& [stage, bytes] : timing.timing.peakBytes)
            table.rows.push_back({timing.name, QString::fromStdString(stage), QString::number(bytes)});
    return table;
}

void TimingChart::drawStages() {
    m_stages->clearPlottables();
    m_stages->clearItems();
    m_barTexts.clear();
    const int count = int(m_timings.size());
    QStringList names;
    for (const RenderTiming& timing : m_timings) names.append(timing.name);
    m_names.set(names);
    double longest = 0;
    for (int i = 0; i < count; ++i) {
        const RenderTiming& timing = m_timings[std::size_t(i)];
        const double row = m_names.placeOf(i);
        QCPBars* below = nullptr;
        const double total = timing.timing.renderSeconds();
        double end = 0;
        for (const QString& stage : orderedStages(m_timings)) {
            const double seconds = secondsOf(timing, stage);
            if (seconds <= 0) continue;
            auto* bars = new QCPBars(m_stages->yAxis, m_stages->xAxis);
            bars->setBrush(shade(timing.color, stage));
            bars->setWidth(0.62);
            bars->setAntialiased(true);
            bars->setData({row}, {seconds});
            if (below != nullptr) bars->moveAbove(below);
            below = bars;
            end += seconds;
        }
        if (total <= 0) continue;
        longest = std::max(longest, end);
        const QString text = secondsText(total);
        const auto denoise = result::denoiseRatio(m_timings[m_against].timing, timing.timing);
        BarText after{nullptr, i, end, text, text};
        if (std::size_t(i) != m_against && denoise) {
            const QString ratio = fixedText(*denoise, 2);
            after.full += tr("   denoise %1× %2").arg(ratio, m_timings[m_against].name);
            if (timing.otherWork.isEmpty())
                after.brief += tr("   %1×").arg(ratio);
            else
                after.full += tr(" (differs: %1)").arg(timing.otherWork);
        }
        auto* label = new QCPItemText(m_stages);
        label->position->setCoords(end, row);
        label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        label->setPadding(QMargins(kBeforeBarText, 0, 0, 0));
        label->setText(after.full);
        label->setColor(theme::kText);
        label->setFont(m_stages->xAxis->tickLabelFont());
        label->setClipToAxisRect(false);
        after.item = label;
        m_barTexts.push_back(after);
    }
    outlineBars();
    m_stages->xAxis->setRange(0, longest > 0 ? longest : 1);
    m_stages->replot(QCustomPlot::rpQueuedReplot);
}

/// A line between stages, which would hide bars that are as thin as it.
void TimingChart::outlineBars() {
    for (int i = 0; i < m_stages->plottableCount(); ++i)
        m_stages->plottable(i)->setPen(m_names.areCrowded() ? QPen(Qt::NoPen) : QPen(theme::kPanel, 1));
}

/// Once the layout says how large the chart is.
void TimingChart::fitRows() {
    const bool isRenamed = m_names.fit();
    if (isRenamed) outlineBars();
    if (fitBarTexts() || isRenamed) m_stages->replot(QCustomPlot::rpQueuedReplot);
}

/// Gives each text the room that it needs after its bar; whether the axis has another range now.
bool TimingChart::fitBarTexts() {
    const double width = m_stages->axisRect()->width();
    double range = 0;
    for (const BarText& after : m_barTexts) {
        after.item->setVisible(m_names.isNamed(after.row));
        range = std::max(range, after.end);
        if (!after.item->visible()) continue;
        const QFontMetrics metrics(after.item->font());
        const auto roomBeside = [&](const QString& text) {
            return width - metrics.horizontalAdvance(text) - 2 * kBeforeBarText;
        };
        const bool inFull = roomBeside(after.full) >= kLeastForBars * width;
        const QString& text = inFull ? after.full : after.brief;
        after.item->setText(text);
        range = std::max(range, after.end * width / std::max(kLeastForBars * width, roomBeside(text)));
    }
    if (range <= 0 || std::abs(range - m_stages->xAxis->range().upper) < 1e-6 * range) return false;
    m_stages->xAxis->setRange(0, range);
    return true;
}

void TimingChart::warnOfUnevenTimes() {
    std::vector<double> seconds;
    for (const RenderTiming& timing : m_timings)
        if (timing.outsideAttention) seconds.push_back(*timing.outsideAttention);
    const auto isElsewhere = [this](const RenderTiming& timing) {
        return timing.machine != m_timings.front().machine;
    };
    if (std::ranges::any_of(m_timings, isElsewhere)) {
        m_stages->xAxis->setLabelColor(theme::kWarning);
        m_stages->xAxis->setLabel(tr("seconds, of different machines: not comparable"));
        QStringList places;
        for (const RenderTiming& timing : m_timings)
            places.append(timing.name + ": " +
                          (timing.machine.isEmpty() ? tr("this machine") : timing.machine));
        return m_stages->setToolTip(places.join('\n'));
    }
    const bool isCold = std::ranges::any_of(
        m_timings, [](const RenderTiming& timing) { return result::warmUpSeconds(timing.timing) > 0; });
    const auto work = comparison::sameWorkOf(seconds);
    const bool uneven = work && work->isUneven();
    m_stages->xAxis->setLabelColor(uneven || isCold ? theme::kWarning : theme::kQuiet);
    m_stages->xAxis->setLabel(uneven ? tr("seconds; uneven: the same work took %1 to %2 s")
                                           .arg(localText(fixedOrShort(work->fastest, 1)),
                                                localText(fixedOrShort(work->slowest, 1)))
                              : isCold ? tr("seconds, with starts that the ratios leave out")
                                       : tr("seconds"));
    m_stages->setToolTip(
        uneven   ? tr("Denoising outside attention is the same work for every backend. Here it did not take "
                        "the same time: the machine was busy with something else, or changed its clock. "
                        "Render again on a quiet machine before quoting a ratio of times.")
        : isCold ? tr("The first denoising steps of a render took longer than its later ones: a device's "
                      "libraries start, kernels are compiled or tuned. Ratios of denoising leave that out; "
                      "two repetitions measure without it.")
                 : QString());
}

void TimingChart::drawSteps() {
    m_steps->clearGraphs();
    std::size_t most = 1;
    double slowest = 0;
    for (const RenderTiming& timing : m_timings) {
        const std::vector<double>& seconds = timing.timing.steps;
        if (seconds.empty()) continue;
        QCPGraph* graph = m_steps->addGraph();
        graph->setPen(QPen(timing.color, 2));
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, timing.color, 5));
        for (std::size_t step = 0; step < seconds.size(); ++step) {
            graph->addData(double(step + 1), seconds[step]);
            slowest = std::max(slowest, seconds[step]);
        }
        most = std::max(most, seconds.size());
    }
    const QSharedPointer<QCPAxisTickerFixed> whole(new QCPAxisTickerFixed);
    whole->setTickStep(most > 12 ? 5 : 1);
    whole->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    m_steps->xAxis->setTicker(whole);
    m_steps->xAxis->setRange(0.5, double(most) + 0.5);
    // From zero: a difference of a hundredth must not look like a factor.
    m_steps->yAxis->setRange(0, slowest > 0 ? slowest * 1.15 : 1);
    m_steps->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace reelgrid::widgets
