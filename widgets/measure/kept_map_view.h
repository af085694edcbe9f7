#pragma once

#include <QWidget>

#include "core/measurements/capture_results.h"

class QCheckBox;
class QLabel;

namespace reelgrid::widgets {

class BarsChart;
class HeatChart;

/// Which blocks of keys each block of a head's queries attends to: kept ones in the colour of the weight that
/// they hold, those left out in grey, or the other way round; and what each head keeps.
class KeptMapView : public QWidget {
    Q_OBJECT

  public:
    explicit KeptMapView(QWidget* parent = nullptr);
    void setMap(const measurements::KeptMap& map);

  private:
    void drawMap();
    void drawHeads();
    [[nodiscard]] QString readingOf(int column, int row) const;

    measurements::KeptMap m_kept;
    HeatChart* m_map;
    BarsChart* m_heads;
    QLabel* m_words;
    QCheckBox* m_showsLeftOut;
};

}  // namespace reelgrid::widgets
