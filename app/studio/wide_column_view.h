#pragma once

#include <QTableView>

namespace reelgrid::studio {

/// A table of rows of which one column, of long texts, gets what the others leave, and never less than its
/// texts need, in several lines where they are too long for one.
class WideColumnView : public QTableView {
    Q_OBJECT

  public:
    explicit WideColumnView(QWidget* parent = nullptr);
    /// After the model was set; −1: none is.
    void setWideColumn(int column);

  protected:
    void updateGeometries() override;

  private:
    /// What the texts need.
    void measure();

    int m_wide = -1;
    int m_least = 0;
};

}  // namespace reelgrid::studio
