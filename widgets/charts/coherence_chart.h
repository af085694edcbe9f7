#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

#include "core/metrics/measures.h"

class QComboBox;
class QCPItemLine;
class QCustomPlot;
class QLabel;

namespace reelgrid::widgets {

class LegendRow;

/// One clip's measurements, and how they are shown.
struct ClipCurves {
    QString name;
    QColor color;
    metrics::ClipMetrics metrics{};
    std::vector<double> frameSeconds{};  ///< when each of its frames is shown
};

/// What is measured frame by frame along the same time as the grid: the playhead is
/// drawn on it, a click or a drag moves the playhead.
class CoherenceChart : public QWidget {
    Q_OBJECT

  public:
    explicit CoherenceChart(QWidget* parent = nullptr);

    void setCurves(std::vector<ClipCurves> curves);
    /// The axis is as long as the comparison, even where no curve reaches.
    void setDuration(double seconds);
    void setPlayhead(double seconds);
    /// One of metrics::kMeasures that is a series.
    void setMeasure(const metrics::Measure& measure);
    [[nodiscard]] const metrics::Measure& measure() const;
    [[nodiscard]] const std::vector<ClipCurves>& curves() const { return m_curves; }

  Q_SIGNALS:
    void seekRequested(double seconds);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Point {
        double seconds = 0;
        double value = 0;
    };
    static std::vector<Point> pointsOf(const ClipCurves& curves, const metrics::Measure& measure);
    void redraw();
    void updateLegend();

    std::vector<ClipCurves> m_curves;
    std::vector<std::vector<Point>> m_points;  // of each, by the measure that is shown
    double m_duration = 1;
    double m_playhead = 0;
    QComboBox* m_measure;
    LegendRow* m_legend;
    QCustomPlot* m_plot;
    QLabel* m_empty;
    QCPItemLine* m_line;
};

}  // namespace reelgrid::widgets
