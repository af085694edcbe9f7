#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QCustomPlot;

namespace reelgrid::widgets {

/// The look that all charts share: panel background, quiet axes, faint grid.
void stylePlot(QCustomPlot& plot);

/// A row of swatches with names and, beside each, the value at the playhead.
class LegendRow : public QWidget {
  public:
    struct Item {
        QColor color;
        QString name;
        QString value;
    };
    explicit LegendRow(QWidget* parent = nullptr);
    void setItems(std::vector<Item> items);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    std::vector<Item> m_items;
};

}  // namespace reelgrid::widgets
