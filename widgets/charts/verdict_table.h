#pragma once

#include <QTableWidget>
#include <vector>

#include "core/metrics/clip_metrics.h"
#include "widgets/charts/chart_table.h"

namespace reelgrid::widgets {

/// A clip whose coherence is judged.
struct JudgedClip {
    QString name;
    QColor color;
    metrics::ClipMetrics metrics;
};

/// What the coherence of each clip comes to, the figures that decide, and what is asked of them.
class VerdictTable : public QTableWidget {
    Q_OBJECT

  public:
    explicit VerdictTable(QWidget* parent = nullptr);
    void setClips(const std::vector<JudgedClip>& clips);
    [[nodiscard]] ChartTable table() const;

  private:
    void addHeading(int column, const QString& text, const QString& tip);
    void addRow(const JudgedClip& clip);
    /// A figure; one that isn't what is asked for is marked.
    void put(int column, const std::optional<double>& value, bool isMet = true);
};

}  // namespace reelgrid::widgets
