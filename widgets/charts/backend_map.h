#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

#include "core/protocol/call_map.h"
#include "widgets/charts/heat_map_plot.h"

class QComboBox;

namespace reelgrid::widgets {

class LegendRow;
class PlotMessage;

/// Which backend each layer of one render asked for and got in each step.
struct RenderCalls {
    QString name;
    protocol::CallMaps calls{};
};

/// Shows one render's calls at a time, a row a layer and a column a step; a call that another backend served
/// than it asked for stands out. GUI thread.
class BackendMap : public QWidget {
    Q_OBJECT

  public:
    explicit BackendMap(QWidget* parent = nullptr);

    /// Keeps the chosen render while it is among them; else the first after the reference.
    void setRenders(std::vector<RenderCalls> renders);
    [[nodiscard]] HeatMapPlot& plot() { return *m_plot; }

  private:
    void listModules();
    void showCalls();
    [[nodiscard]] QString readingOf(int step, int layer) const;
    [[nodiscard]] const protocol::CallMaps* calls() const;
    [[nodiscard]] const protocol::CallMap* map() const;

    std::vector<RenderCalls> m_renders;
    QComboBox* m_render;
    QComboBox* m_module;
    LegendRow* m_legend;
    HeatMapPlot* m_plot;
    PlotMessage* m_message;
};

}  // namespace reelgrid::widgets
