#include "widgets/measure/result_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>

#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {
constexpr int kRowHeight = 24;
constexpr int kWidestColumn = 420;
}  // namespace

ResultTable::ResultTable(int textColumns, QWidget* parent)
    : QTableWidget(parent), m_textColumns(textColumns) {
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setStyleSheet(
        QString("QHeaderView::section { background: %1; color: %2; border: none; padding: 4px 8px; }"
                "QTableWidget { background: %1; alternate-background-color: %3; }"
                "QTableWidget::item { padding: 0 8px; }")
            .arg(theme::kPanel.name(), theme::kQuiet.name(), theme::kWindow.name()));
}

void ResultTable::setTable(const ChartTable& table) {
    clear();
    setColumnCount(int(table.columns.size()));
    setRowCount(int(table.rows.size()));
    setHorizontalHeaderLabels(table.columns);
    for (int column = m_textColumns; column < columnCount(); ++column)
        horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (int row = 0; row < rowCount(); ++row)
        for (int column = 0; column < columnCount(); ++column) {
            const QString text = visible(table.rows[std::size_t(row)].value(column));
            auto* item = new QTableWidgetItem(text);
            item->setTextAlignment((column < m_textColumns ? Qt::AlignLeft : Qt::AlignRight) |
                                   Qt::AlignVCenter);
            if (column < m_textColumns) item->setToolTip(text);
            setItem(row, column, item);
        }
    resizeColumnsToContents();
    for (int column = 0; column < columnCount(); ++column)
        if (columnWidth(column) > kWidestColumn) setColumnWidth(column, kWidestColumn);
}

int ResultTable::selectedRow() const {
    const QList<QTableWidgetSelectionRange> ranges = selectedRanges();
    return ranges.isEmpty() ? -1 : ranges.first().topRow();
}

void ResultTable::keyPressEvent(QKeyEvent* event) {
    if (!event->matches(QKeySequence::Copy)) return QTableWidget::keyPressEvent(event);
    QStringList lines;
    for (int row = 0; row < rowCount(); ++row) {
        if (!selectionModel()->isRowSelected(row, {})) continue;
        QStringList cells;
        for (int column = 0; column < columnCount(); ++column) cells << item(row, column)->text();
        lines << cells.join('\t');
    }
    QApplication::clipboard()->setText(lines.join('\n'));
}

}  // namespace reelgrid::widgets
