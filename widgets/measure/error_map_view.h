#pragma once

#include <QWidget>
#include <vector>

#include "core/metrics/lockstep_map.h"

class QComboBox;

namespace reelgrid::widgets {

class HeatChart;

/// The errors of other backends in each layer and step of one clip, a heat map for each on one scale of
/// colours. The first row is the step's whole prediction.
class ErrorMapView : public QWidget {
    Q_OBJECT

  public:
    explicit ErrorMapView(metrics::LockstepMap map, QWidget* parent = nullptr);

  Q_SIGNALS:
    /// A cell of its map was clicked.
    void backendClicked(const QString& backend);

  private:
    void draw();
    [[nodiscard]] QString reading(const metrics::LockstepBackend& backend, int step, int row) const;

    metrics::LockstepMap m_map;
    QComboBox* m_measure;
    std::vector<HeatChart*> m_charts;  ///< one a backend
};

}  // namespace reelgrid::widgets
