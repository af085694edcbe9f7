#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include "core/metrics/measures.h"
#include "widgets/charts/chart_frame.h"
#include "widgets/charts/thumbnail_strip.h"

class QComboBox;
class QCPItemLine;
class QCustomPlot;

namespace reelgrid::widgets {

class PlotMessage;
class MetricTable;
class VerdictTable;

/// What a clip stands for where clips are measured against the reference.
enum class CurveRole {
    Clip,
    NoiseFloor  ///< the same mathematics as the reference's: rounding alone keeps them apart
};

/// One clip's measurements, and how they are shown.
struct ClipCurves {
    QString name;
    QColor color;
    metrics::ClipMetrics metrics{};
    std::vector<double> frameSeconds{};  ///< when each of its frames is shown
    CurveRole role = CurveRole::Clip;
    /// In what it differs from the reference beside how it was computed, "seed": told where clips are
    /// measured against that.
    QString otherContent{};
};

/// What is measured frame by frame, and frames themselves, along the same time as the grid: the playhead is
/// drawn on it, a click or a drag moves the playhead. And what all of that comes to, clip by clip.
class CoherenceChart : public ChartFrame {
    Q_OBJECT

  public:
    explicit CoherenceChart(QWidget* parent = nullptr);

    void setCurves(std::vector<ClipCurves> curves);
    /// The axis is as long as the comparison, even where no curve reaches.
    void setDuration(double seconds);
    void setPlayhead(double seconds);
    /// One of metrics::kMeasures.
    void setMeasure(const metrics::Measure& measure);
    [[nodiscard]] const metrics::Measure& measure() const;
    [[nodiscard]] const std::vector<ClipCurves>& curves() const { return m_curves; }
    enum class View { Curves, Frames, Verdicts, Numbers };
    [[nodiscard]] View view() const { return View(page()); }
    void setView(View view) { showPage(int(view)); }
    [[nodiscard]] ThumbnailStrip& strip() { return *m_strip; }
    [[nodiscard]] const VerdictTable& verdicts() const { return *m_verdicts; }
    [[nodiscard]] const MetricTable& numbers() const { return *m_numbers; }
    [[nodiscard]] StillChart still(double pixelRatio) override;
    /// What is told of a point of the curves, in pixels; empty: nothing.
    [[nodiscard]] QString readingAt(const QPoint& at) const;

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
    void drawNoiseFloor(const std::vector<Point>& points, double top);
    [[nodiscard]] QString valueAt(std::size_t curve, double seconds) const;
    [[nodiscard]] QString nameOf(const ClipCurves& curves) const;
    [[nodiscard]] ChartTable curvesTable() const;
    enum class LegendSays { NamesAndValues, Names };
    void updateLegend(LegendSays says = LegendSays::NamesAndValues);
    [[nodiscard]] QRectF timeArea() const;

    std::vector<ClipCurves> m_curves;
    std::vector<std::vector<Point>> m_points;  // of each, by the measure that is shown
    double m_duration = 1;
    double m_playhead = 0;
    QComboBox* m_measure;
    QCustomPlot* m_plot;
    ThumbnailStrip* m_strip;
    VerdictTable* m_verdicts;
    MetricTable* m_numbers;
    PlotMessage* m_empty;
    QCPItemLine* m_line;
};

}  // namespace reelgrid::widgets
