#pragma once

#include <QWidget>

#include "core/measurements/vae_results.h"

class QComboBox;

namespace reelgrid::widgets {

class BarsChart;

/// What `bench vae` measured: bars of one figure, and all figures.
class VaeView : public QWidget {
    Q_OBJECT

  public:
    explicit VaeView(measurements::VaeResults results, QWidget* parent = nullptr);

  private:
    void drawBars();
    [[nodiscard]] QWidget* table() const;

    measurements::VaeResults m_results;
    QComboBox* m_figure;
    BarsChart* m_bars;
};

}  // namespace reelgrid::widgets
