#include "widgets/charts/metric_table.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <cmath>

#include "core/metrics/measures.h"
#include "widgets/charts/chart_table.h"
#include "widgets/theme/local_number.h"

namespace reelgrid::widgets {

namespace {

QString headingOf(const metrics::Measure& measure) {
    const QString name = QCoreApplication::translate("Measures", measure.title);
    return *measure.unit == '\0' ? name : QString("%1\n%2").arg(name, measure.unit);
}

/// With what the clips' numbers were computed; a line for each that differs.
QString withOf(const metrics::Measure& measure, const std::vector<JudgedClip>& clips) {
    QStringList lines;
    for (const JudgedClip& clip : clips) {
        const auto with = clip.metrics.measuredWith.find(measure.key);
        if (with == clip.metrics.measuredWith.end()) continue;
        if (const QString line = QString::fromStdString(with->second); !lines.contains(line)) lines << line;
    }
    return lines.join('\n');
}

}  // namespace

MetricTable::MetricTable(QWidget* parent) : QTableWidget(parent) {
    setAccessibleName(tr("What was measured of the clips"));
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    verticalHeader()->hide();
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setStretchLastSection(true);
}

void MetricTable::setClips(const std::vector<JudgedClip>& clips) {
    std::vector<const metrics::Measure*> shown;
    const auto metricsOf = [](const JudgedClip& clip) -> const metrics::ClipMetrics& { return clip.metrics; };
    for (const metrics::Measure& measure : metrics::kMeasures)
        if (metrics::isShown(measure, clips, metricsOf)) shown.push_back(&measure);
    clear();
    setRowCount(int(clips.size()));
    setColumnCount(int(shown.size()) + 1);
    m_table = {{"clip"}, {}};
    setHorizontalHeaderItem(0, new QTableWidgetItem(tr("clip")));
    for (std::size_t i = 0; i < shown.size(); ++i) {
        auto* heading = new QTableWidgetItem(headingOf(*shown[i]));
        heading->setToolTip(withOf(*shown[i], clips));
        setHorizontalHeaderItem(int(i) + 1, heading);
        m_table.columns.append(shown[i]->key);
    }
    for (std::size_t row = 0; row < clips.size(); ++row) {
        QStringList cells{clips[row].name};
        auto* name = new QTableWidgetItem(clips[row].name);
        name->setForeground(clips[row].color);
        setItem(int(row), 0, name);
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const auto value = metrics::numberOf(*shown[i], clips[row].metrics);
            const bool isThere = value && std::isfinite(*value);
            auto* cell = new QTableWidgetItem(isThere ? fixedText(*value, shown[i]->decimals) : QString("–"));
            cell->setTextAlignment(Qt::AlignCenter);
            setItem(int(row), int(i) + 1, cell);
            cells << (isThere ? numberCell(*value) : QString());
        }
        m_table.rows.push_back(cells);
    }
}

}  // namespace reelgrid::widgets
