#pragma once

#include <QTableView>

namespace reelgrid::studio {

/// A table of rows of which one column gets what the others leave, and never less than can be read.
class WideColumnView : public QTableView {
    Q_OBJECT

  public:
    explicit WideColumnView(QWidget* parent = nullptr);
    /// After the model was set; −1: none is.
    void setWideColumn(int column);

  protected:
    void updateGeometries() override;

  private:
    int m_wide = -1;
};

}  // namespace reelgrid::studio
