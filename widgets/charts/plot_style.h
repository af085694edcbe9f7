#pragma once

#include <QPoint>
#include <QString>
#include <QWidget>
#include <vector>

class QCustomPlot;
class QPainter;

namespace reelgrid::widgets {

/// The look that all charts share: panel background, quiet axes, faint grid.
void stylePlot(QCustomPlot& plot);

/// Swatches with names and, beside each, the value at the playhead; in as many rows as the width asks for.
class LegendRow : public QWidget {
  public:
    struct Item {
        QColor color;
        QString name;
        QString value;
    };
    explicit LegendRow(QWidget* parent = nullptr);
    void setItems(std::vector<Item> items);
    /// As on screen, at this place of another picture.
    void draw(QPainter& painter, const QPoint& at) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }
    int heightForWidth(int width) const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    [[nodiscard]] QString shortName(const Item& item) const;
    [[nodiscard]] int widthOf(const Item& item) const;
    [[nodiscard]] int rowHeight() const;
    /// Top left of each item in a widget of this width.
    [[nodiscard]] std::vector<QPoint> places(int width) const;

    std::vector<Item> m_items;
    int m_height = 0;  ///< that the layout was last asked for
};

}  // namespace reelgrid::widgets
