#pragma once

#include <QWidget>

#include "core/measurements/capture_results.h"

class QTabWidget;

namespace reelgrid::widgets {

class HeatChart;
class KeptMapView;
class PointsChart;
class ResultTable;

/// What `captures show` says of one call: figures, histograms and channels of q, k and v, and one head's
/// attention.
class CaptureDetailsView : public QWidget {
    Q_OBJECT

  public:
    explicit CaptureDetailsView(QWidget* parent = nullptr);
    void setDetails(const measurements::CaptureDetails& details);

  private:
    void fillFigures(const measurements::CaptureDetails& details);
    void drawHistograms(const measurements::CaptureDetails& details);
    void drawChannels(const measurements::CaptureDetails& details);
    void fillOutliers(const measurements::CaptureDetails& details);
    void drawMap(const measurements::CaptureDetails& details);

    ResultTable* m_figures;
    PointsChart* m_histograms;
    PointsChart* m_channels;
    ResultTable* m_outliers;
    HeatChart* m_map;
    KeptMapView* m_kept;
    QTabWidget* m_maps;  ///< attention, and the blocks that a sparse backend keeps
};

}  // namespace reelgrid::widgets
