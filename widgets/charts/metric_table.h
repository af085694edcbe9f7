#pragma once

#include <QTableWidget>
#include <vector>

#include "widgets/charts/chart_table.h"
#include "widgets/charts/verdict_table.h"

namespace reelgrid::widgets {

/// What was measured of each clip as one number a measure; what was measured on request has a column where a
/// clip has it.
class MetricTable : public QTableWidget {
    Q_OBJECT

  public:
    explicit MetricTable(QWidget* parent = nullptr);
    void setClips(const std::vector<JudgedClip>& clips);
    [[nodiscard]] ChartTable table() const { return m_table; }

  private:
    ChartTable m_table{{"clip"}, {}};
};

}  // namespace reelgrid::widgets
