#pragma once

#include <QObject>
#include <QPoint>
#include <QString>
#include <functional>

class QCustomPlot;

namespace reelgrid::widgets {

/// Reads a chart where the mouse is: a tip beside it says what is there.
class PlotHover : public QObject {
  public:
    /// Its object name, by which a plot's is found.
    static constexpr const char* kName = "hover";
    /// Says what is at a point of the plot, in pixels; empty: nothing.
    using Reading = std::function<QString(const QPoint& at)>;
    PlotHover(QCustomPlot* plot, Reading reading);

    /// What the tip says now; empty: there is none.
    [[nodiscard]] const QString& shown() const { return m_shown; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QCustomPlot* m_plot;
    Reading m_reading;
    QString m_shown;
};

}  // namespace reelgrid::widgets
