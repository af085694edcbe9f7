#include "widgets/measure/trace_view.h"

#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/measure/bars_chart.h"
#include "widgets/measure/figure_text.h"
#include "widgets/measure/result_table.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

using measurements::TraceAdvice;
using measurements::TraceChange;
using measurements::TraceComparison;
using measurements::TraceSummary;
using measurements::TraceTime;

QString percent(double part, double whole) {
    return whole > 0 ? QString("%1 %").arg(fixedText(100 * part / whole, 1)) : figure({});
}

QLabel* plainLabel(const QString& words, const char* look = nullptr) {
    auto* label = new QLabel(words);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (look != nullptr) label->setObjectName(look);
    return label;
}

QWidget* groupsChart(const TraceSummary& summary) {
    const bool onDevice = summary.device.has_value();
    const double whole = onDevice ? *summary.device : summary.selfCpu;
    std::vector<Bar> bars;
    for (const TraceTime& group : summary.groups) {
        const double seconds = onDevice ? group.selfDevice.value_or(0) : group.selfCpu;
        bars.push_back({text(group.name),
                        theme::kAccent,
                        seconds,
                        {},
                        {},
                        secondsText(seconds) + "   " + percent(seconds, whole)});
    }
    std::ranges::sort(bars, std::ranges::greater(), &Bar::value);
    auto* chart =
        new BarsChart(onDevice ? QObject::tr("TIME OF THE DEVICE") : QObject::tr("TIME OF THE THREADS"));
    chart->setBars(std::move(bars), QObject::tr("seconds"));
    return chart;
}

QWidget* adviceList(const TraceSummary& summary) {
    auto* list = new QWidget;
    auto* column = new QVBoxLayout(list);
    column->addWidget(plainLabel(QObject::tr("WHAT TAKES THE TIME, AND WHAT TO TRY"), "heading"));
    for (const TraceAdvice& each : summary.bottlenecks) {
        column->addWidget(plainLabel(
            QString("%1: %2, %3")
                .arg(text(each.what), secondsText(each.seconds), percent(each.seconds, each.ofSeconds))));
        column->addWidget(plainLabel(text(each.evidence), "quiet"));
        column->addWidget(plainLabel(text(each.advice)));
        column->addSpacing(10);
    }
    if (summary.bottlenecks.empty())
        column->addWidget(plainLabel(QObject::tr("None of its events takes any time.")));
    column->addStretch();
    auto* scroll = new QScrollArea;
    scroll->setWidget(list);
    scroll->setWidgetResizable(true);
    return scroll;
}

QWidget* namesTable(const TraceSummary& summary) {
    ChartTable table{{QObject::tr("name"), QObject::tr("group"), QObject::tr("calls"), QObject::tr("self"),
                      QObject::tr("share"), QObject::tr("total")},
                     {}};
    const bool onDevice = summary.device.has_value();
    if (onDevice) table.columns << QObject::tr("self device") << QObject::tr("total device");
    for (const TraceTime& row : summary.names) {
        QStringList line{text(row.name),
                         text(row.group),
                         figure(row.calls, 9),
                         secondsText(row.selfCpu),
                         percent(row.selfCpu, summary.selfCpu),
                         secondsText(row.totalCpu)};
        if (onDevice) line << secondsText(row.selfDevice) << secondsText(row.totalDevice);
        table.rows.push_back(std::move(line));
    }
    auto* widget = new ResultTable(2);
    widget->setTable(table);
    return widget;
}

QWidget* placesTable(const std::vector<TraceTime>& places) {
    ChartTable table{{QObject::tr("name"), QObject::tr("calls"), QObject::tr("time")}, {}};
    for (const TraceTime& place : places)
        table.rows.push_back({text(place.name), figure(place.calls, 9), secondsText(place.totalCpu)});
    auto* widget = new ResultTable(1);
    widget->setTable(table);
    return widget;
}

QString sideText(std::optional<double> seconds, double leftOut) {
    return !seconds && leftOut > 0 ? QObject::tr("left out") : secondsText(seconds);
}

QString callsText(double calls, double leftOut) {
    return leftOut > 0 ? QObject::tr("%1 (%2 left out)").arg(figure(calls, 9), figure(leftOut, 9))
                       : figure(calls, 9);
}

QString differenceText(const TraceChange& change) {
    return (change.difference.value_or(0) > 0 ? "+" : "") + secondsText(change.difference);
}

/// How many events don't count, or not wholly; empty: all of them do.
QStringList doubtsOf(double leftOut, double cutShort) {
    QStringList doubts;
    if (leftOut > 0)
        doubts << QObject::tr("left out (no name, impossible times, or begin and end in two events): %1")
                      .arg(figure(leftOut, 9));
    if (cutShort > 0) doubts << QObject::tr("cut where what they are in ends: %1").arg(figure(cutShort, 9));
    return doubts;
}

QWidget* changesTable(const std::vector<TraceChange>& changes) {
    ChartTable table{{QObject::tr("name"), QObject::tr("before"), QObject::tr("after"),
                      QObject::tr("difference"), QObject::tr("calls before"), QObject::tr("after")},
                     {}};
    for (const TraceChange& change : changes)
        table.rows.push_back({text(change.name), sideText(change.before, change.leftOutBefore),
                              sideText(change.after, change.leftOutAfter), differenceText(change),
                              callsText(change.callsBefore, change.leftOutBefore),
                              callsText(change.callsAfter, change.leftOutAfter)});
    auto* widget = new ResultTable(1);
    widget->setTable(table);
    return widget;
}

/// What is to be known of the two before their figures are believed.
QStringList notesOf(const TraceComparison& comparison) {
    const std::optional<double>&before = comparison.deviceBefore, &after = comparison.deviceAfter;
    QStringList notes;
    if (const auto& one = comparison.decodeBefore, &other = comparison.decodeAfter;
        one && other && *one != *other)
        notes << QObject::tr("The work is not the same: the decode was recorded %1 alone")
                     .arg(*one ? QObject::tr("before") : QObject::tr("after"));
    if (before.has_value() != after.has_value())
        notes << QObject::tr(
                     "The trace %1 has no time of a device: compared is the time of the threads of "
                     "both, without the %2 that the other's device took")
                     .arg(after ? QObject::tr("before") : QObject::tr("after"),
                          secondsText(after ? after : before));
    for (const QString& doubt : doubtsOf(comparison.leftOutBefore, comparison.cutShortBefore))
        notes << QObject::tr("Events before, %1").arg(doubt);
    for (const QString& doubt : doubtsOf(comparison.leftOutAfter, comparison.cutShortAfter))
        notes << QObject::tr("Events after, %1").arg(doubt);
    return notes;
}

}  // namespace

TraceView::TraceView(const TraceSummary& summary, QWidget* parent) : QWidget(parent) {
    QString about =
        tr("%1 events   %2 from the first to the last   threads %3")
            .arg(fixedText(summary.events, 0), secondsText(summary.span), secondsText(summary.selfCpu));
    if (summary.device) about += tr("   device %1").arg(secondsText(summary.device));
    const QStringList doubts = doubtsOf(summary.leftOut, summary.cutShort);
    for (const QString& doubt : doubts) about += "   " + tr("events %1").arg(doubt);
    auto* upper = new QSplitter(Qt::Horizontal);
    upper->addWidget(groupsChart(summary));
    upper->addWidget(adviceList(summary));
    upper->setSizes({560, 560});
    auto* tables = new QTabWidget;
    tables->addTab(namesTable(summary), tr("Operators and kernels"));
    tables->addTab(placesTable(summary.stages), tr("Stages"));
    tables->addTab(placesTable(summary.steps), tr("Steps"));
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(upper);
    rows->addWidget(tables);
    rows->setSizes({330, 360});
    auto* column = new QVBoxLayout(this);
    column->addWidget(plainLabel(about, doubts.isEmpty() ? "quiet" : "note"));
    column->addWidget(rows, 1);
}

TraceComparisonView::TraceComparisonView(const TraceComparison& comparison, QWidget* parent)
    : QWidget(parent) {
    QString about = tr("%1: before %2, after %3")
                        .arg(comparison.of == "device" ? tr("time of the device") : tr("time of the threads"),
                             secondsText(comparison.before), secondsText(comparison.after));
    const bool sameWork = comparison.stepsBefore == comparison.stepsAfter;
    if (!sameWork)
        about += tr(".  The work is not the same: %1 steps were recorded before, %2 after")
                     .arg(comparison.stepsBefore)
                     .arg(comparison.stepsAfter);
    const QStringList notes = notesOf(comparison);
    for (const QString& note : notes) about += ".  " + note;
    std::vector<Bar> bars;
    for (const TraceChange& change : comparison.groups)
        if (change.difference)
            bars.push_back({text(change.name),
                            *change.difference > 0 ? theme::kWrong : theme::kAccent,
                            *change.difference,
                            {},
                            {},
                            differenceText(change)});
    auto* chart = new BarsChart(tr("WHAT CHANGED"));
    chart->setBars(std::move(bars), tr("seconds more (less is better)"));
    auto* tables = new QTabWidget;
    tables->addTab(changesTable(comparison.names), tr("Operators and kernels"));
    tables->addTab(changesTable(comparison.groups), tr("Groups"));
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(chart);
    rows->addWidget(tables);
    rows->setSizes({300, 380});
    auto* column = new QVBoxLayout(this);
    column->addWidget(plainLabel(about, sameWork && notes.isEmpty() ? "quiet" : "note"));
    column->addWidget(rows, 1);
}

}  // namespace reelgrid::widgets
