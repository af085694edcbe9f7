#pragma once

#include <QTableWidget>

#include "widgets/charts/chart_table.h"

namespace reelgrid::widgets {

/// Figures in rows; Ctrl+C copies those that are selected, as a spreadsheet takes them.
class ResultTable : public QTableWidget {
    Q_OBJECT

  public:
    /// `textColumns`: how many begin a row with words; figures, to the right of them, are set right.
    explicit ResultTable(int textColumns, QWidget* parent = nullptr);
    void setTable(const ChartTable& table);
    /// Of one row, −1 for none.
    [[nodiscard]] int selectedRow() const;

  protected:
    void keyPressEvent(QKeyEvent* event) override;

  private:
    int m_textColumns;
};

}  // namespace reelgrid::widgets
