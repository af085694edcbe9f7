#pragma once

#include <QLabel>

class QCustomPlot;

namespace reelgrid::widgets {

/// Words in the middle of a chart that has nothing to show.
class PlotMessage : public QLabel {
  public:
    explicit PlotMessage(QCustomPlot* plot);
    /// Empty: the chart has something to show.
    void say(const QString& words);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace reelgrid::widgets
