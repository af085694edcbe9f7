#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <array>
#include <vector>

class QComboBox;
class QCPItemLine;
class QCustomPlot;
class QLabel;

namespace reelgrid::widgets {

class LegendRow;

/// What is measured frame by frame.
enum class FrameMeasure { Correlation, Psnr, Ssim };
inline constexpr std::array kFrameMeasures{FrameMeasure::Correlation, FrameMeasure::Psnr, FrameMeasure::Ssim};

/// One clip's per-frame measurements. A measurement that was not made is an empty list; within a list a NaN
/// is a gap.
struct ClipCurves {
    struct Point {
        double seconds = 0;
        double value = 0;
    };
    QString name;
    QColor color;
    std::array<std::vector<Point>, kFrameMeasures.size()> points;
};

/// Temporal coherence and likeness to the reference clip along the same time as the grid: the playhead is
/// drawn on it, a click or a drag moves the playhead.
class CoherenceChart : public QWidget {
    Q_OBJECT

  public:
    explicit CoherenceChart(QWidget* parent = nullptr);

    void setCurves(std::vector<ClipCurves> curves);
    /// The axis is as long as the comparison, even where no curve reaches.
    void setDuration(double seconds);
    void setPlayhead(double seconds);
    void setMeasure(FrameMeasure measure);
    [[nodiscard]] FrameMeasure measure() const;
    [[nodiscard]] const std::vector<ClipCurves>& curves() const { return m_curves; }

  Q_SIGNALS:
    void seekRequested(double seconds);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void redraw();
    void updateLegend();

    std::vector<ClipCurves> m_curves;
    double m_duration = 1;
    double m_playhead = 0;
    QComboBox* m_measure;
    LegendRow* m_legend;
    QCustomPlot* m_plot;
    QLabel* m_empty;
    QCPItemLine* m_line;
};

}  // namespace reelgrid::widgets
