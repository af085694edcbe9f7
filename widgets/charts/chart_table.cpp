#include "widgets/charts/chart_table.h"

#include <QLocale>
#include <cmath>

namespace reelgrid::widgets {

namespace {

QString quoted(QString cell) {
    if (!cell.contains(',') && !cell.contains('"') && !cell.contains('\n')) return cell;
    return '"' + cell.replace("\"", "\"\"") + '"';
}

QString lineOf(const QStringList& cells) {
    QStringList line;
    for (const QString& cell : cells) line.append(quoted(cell));
    return line.join(',') + "\n";
}

}  // namespace

QString ChartTable::csv() const {
    QString text = lineOf(columns);
    for (const QStringList& row : rows) text += lineOf(row);
    return text;
}

QString numberCell(double value) {
    if (!std::isfinite(value)) return {};
    return QLocale::c().toString(value, 'g', QLocale::FloatingPointShortest);
}

}  // namespace reelgrid::widgets
