#include "widgets/charts/verdict_table.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <cmath>

#include "core/metrics/coherence_figures.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

using metrics::Coherence;

enum Column { Clip, Verdict, Correlation, Latents, Apart, Motion, Repeated, Explained, ColumnCount };

// As metrics::nameOf() has them.
[[maybe_unused]] constexpr const char* kVerdicts[] = {
    QT_TRANSLATE_NOOP("Verdicts", "coherent"), QT_TRANSLATE_NOOP("Verdicts", "incoherent"),
    QT_TRANSLATE_NOOP("Verdicts", "cross-faded"), QT_TRANSLATE_NOOP("Verdicts", "frozen"),
    QT_TRANSLATE_NOOP("Verdicts", "flat")};

constexpr int kDecimals = 2;
constexpr int kFigureRole = Qt::UserRole;  // the number itself: its text is by the locale

QString twoDecimals(double value) {
    return fixedText(value, kDecimals);
}

}  // namespace

VerdictTable::VerdictTable(QWidget* parent) : QTableWidget(0, ColumnCount, parent) {
    setAccessibleName(tr("What the clips’ coherence comes to"));
    const QString asOf = twoDecimals(metrics::kLeastOfRun), asOfModule = twoDecimals(metrics::kLeastOfModule);
    addHeading(Clip, tr("clip"), {});
    addHeading(Verdict, tr("verdict"),
               tr("Frozen and cross-faded clips correlate as well as moving ones: coherent is a clip whose "
                  "frames correlate, that moves, and whose changes either don’t repeat or are explained by "
                  "flow."));
    addHeading(Correlation, tr("correlation\n> %1, > %2").arg(asOf, asOfModule),
               tr("Of neighbouring frames: above %1 is asked of a run, above %2 of a temporal module")
                   .arg(asOf, asOfModule));
    addHeading(Latents, tr("latents"), tr("Frame correlation of the latents"));
    addHeading(Apart, tr("apart"), tr("Frame correlation of frames that were made apart"));
    addHeading(Motion, tr("motion\n≥ %1").arg(twoDecimals(metrics::kLeastMotion)),
               tr("Codes by which neighbouring frames differ"));
    addHeading(Repeated, tr("repeats\n≤ %1").arg(twoDecimals(metrics::kMostRepeated)),
               tr("How much the change from beginning to middle is that from there to the end: more is a "
                  "cross-fade, unless flow explains it"));
    addHeading(Explained, tr("flow\n≥ %1").arg(twoDecimals(metrics::kLeastExplained)),
               tr("Share of the change that optical flow explains"));
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    verticalHeader()->hide();
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setStretchLastSection(true);
}

void VerdictTable::addHeading(int column, const QString& text, const QString& tip) {
    auto* heading = new QTableWidgetItem(text);
    heading->setToolTip(tip);
    setHorizontalHeaderItem(column, heading);
}

void VerdictTable::put(int column, const std::optional<double>& value, bool isMet) {
    const bool isThere = value && std::isfinite(*value);
    auto* item = new QTableWidgetItem(isThere ? twoDecimals(*value) : QString("–"));
    if (isThere) item->setData(kFigureRole, *value);
    item->setTextAlignment(Qt::AlignCenter);
    if (isThere && !isMet) item->setForeground(theme::kWarning);
    setItem(rowCount() - 1, column, item);
}

void VerdictTable::addRow(const JudgedClip& clip) {
    insertRow(rowCount());
    const int row = rowCount() - 1;
    auto* name = new QTableWidgetItem(clip.name);
    name->setForeground(clip.color);
    setItem(row, Clip, name);
    const metrics::ClipMetrics& measured = clip.metrics;
    const auto verdict = coherenceOf(measured);
    auto* words = new QTableWidgetItem(
        verdict ? QCoreApplication::translate("Verdicts", metrics::nameOf(*verdict)) : tr("not judged"));
    if (!verdict) words->setToolTip(tr("Fewer than three frames, or measured by an older program"));
    if (verdict && *verdict != Coherence::Coherent) words->setForeground(theme::kWarning);
    setItem(row, Verdict, words);
    if (!verdict) return;
    const double correlation = measured.frameCorrelation->mean;
    put(Correlation, correlation, correlation > metrics::kLeastOfRun);
    put(Latents, measured.latentCorrelation);
    put(Apart, measured.independentCorrelation);
    put(Motion, measured.gates->motion, !measured.gates->frozen);
    put(Repeated, measured.change->repeated, *verdict != Coherence::CrossFaded);
    put(Explained, explainedByFlow(measured), *verdict != Coherence::CrossFaded);
}

void VerdictTable::setClips(const std::vector<JudgedClip>& clips) {
    setRowCount(0);
    for (const JudgedClip& clip : clips) addRow(clip);
}

ChartTable VerdictTable::table() const {
    ChartTable table{{"clip", "verdict", "frame_correlation", "latent_correlation", "independent_correlation",
                      "motion", "changes_repeat", "flow_explains"},
                     {}};
    for (int row = 0; row < rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < ColumnCount; ++column) {
            const QTableWidgetItem* cell = item(row, column);
            const QVariant value = cell == nullptr ? QVariant() : cell->data(kFigureRole);
            if (column < Correlation)
                cells << cell->text();
            else
                cells << (value.isValid() ? QString::number(value.toDouble(), 'f', kDecimals) : QString());
        }
        table.rows.push_back(cells);
    }
    return table;
}

}  // namespace reelgrid::widgets
