#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace reelgrid::widgets {

/// The numbers behind a chart, as they are saved. An empty cell: not measured.
struct ChartTable {
    QStringList columns;
    std::vector<QStringList> rows;

    /// RFC 4180, a point for decimals whatever the locale.
    [[nodiscard]] QString csv() const;
};

/// A cell with all digits that a double has; empty for one that isn't finite.
QString numberCell(double value);

}  // namespace reelgrid::widgets
