#pragma once

#include <QColor>
#include <QString>
#include <optional>
#include <vector>

#include "core/protocol/call_map.h"
#include "core/result/timing.h"
#include "widgets/charts/chart_frame.h"
#include "widgets/charts/row_names.h"

class QCPItemText;
class QCustomPlot;

namespace reelgrid::widgets {

class BackendMap;
class BarPlot;
class PlotMessage;

/// One render's times, and how they are shown.
struct RenderTiming {
    QString name;
    QColor color;
    result::Timing timing{};
    std::optional<double> outsideAttention{};  ///< seconds of denoising that no backend changes
    protocol::CallMaps calls{};                ///< which backend served what; empty: not recorded
    QString machine{};                         ///< that rendered it; empty: this one
    QString otherWork{};  ///< in what its work differs from that which it is compared with; empty: the same
};

/// What each render took: bars of stages, the seconds of every denoising step, speed-up, memory, and which
/// backend served which layer in which step.
class TimingChart : public ChartFrame {
    Q_OBJECT

  public:
    explicit TimingChart(QWidget* parent = nullptr);

    /// Totals are without loading and measuring. `against` is the render that the others' denoising time is
    /// compared with, by its place.
    void setTimings(std::vector<RenderTiming> timings, std::size_t against = 0);
    enum class View { Stages, Steps, SpeedUp, Memory, Backends };
    void setView(View view);
    [[nodiscard]] View view() const;
    [[nodiscard]] const std::vector<RenderTiming>& timings() const { return m_timings; }
    /// What is drawn in a view.
    [[nodiscard]] QCustomPlot* plotOf(View view) const;

  private:
    /// What is written after a bar, in full and for a narrow chart.
    struct BarText {
        QCPItemText* item = nullptr;
        int row = 0;
        double end = 0;  ///< seconds, where the bar ends
        QString full;
        QString brief;
    };
    void drawStages();
    void fitRows();
    [[nodiscard]] bool fitBarTexts();
    void outlineBars();
    void warnOfUnevenTimes();
    void drawSteps();
    void drawSpeedUps();
    void drawMemory();
    void updateLegend();
    [[nodiscard]] QString stagesReading(const QPoint& at) const;
    [[nodiscard]] QString stepReading(const QPoint& at) const;
    [[nodiscard]] ChartTable stagesTable() const;
    [[nodiscard]] ChartTable stepsTable() const;
    [[nodiscard]] ChartTable memoryTable() const;

    std::vector<RenderTiming> m_timings;
    std::size_t m_against = 0;
    std::vector<BarText> m_barTexts;
    QCustomPlot* m_stages;
    RowNames m_names;
    QCustomPlot* m_steps;
    BarPlot* m_speedUps;
    BarPlot* m_memory;
    BackendMap* m_backends;
    std::vector<PlotMessage*> m_empty;
};

}  // namespace reelgrid::widgets
