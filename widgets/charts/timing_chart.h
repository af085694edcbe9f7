#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/result/timing.h"

class QCPItemText;
class QCustomPlot;
class QStackedWidget;
class QPushButton;

namespace reelgrid::widgets {

class LegendRow;

/// One render's times, and how they are shown.
struct RenderTiming {
    QString name;
    QColor color;
    result::Timing timing{};
    std::optional<double> outsideAttention{};  ///< seconds of denoising that no backend changes
};

/// Where the time of each render went: bars of stages, or the seconds of every denoising step.
class TimingChart : public QWidget {
    Q_OBJECT

  public:
    explicit TimingChart(QWidget* parent = nullptr);

    /// Totals are without loading and measuring. The first render is the one the others' denoising time is
    /// compared with.
    void setTimings(std::vector<RenderTiming> timings);
    enum class View { Stages, Steps };
    void setView(View view);
    [[nodiscard]] View view() const;
    [[nodiscard]] const std::vector<RenderTiming>& timings() const { return m_timings; }

  private:
    /// What is written after a bar, in full and for a narrow chart.
    struct BarText {
        QCPItemText* item = nullptr;
        double end = 0;  ///< seconds, where the bar ends
        QString full;
        QString brief;
    };
    void drawStages();
    void fitBarTexts();
    void warnOfUnevenTimes();
    void drawSteps();
    void updateLegend();

    std::vector<RenderTiming> m_timings;
    std::vector<BarText> m_barTexts;
    QStackedWidget* m_pages;
    QCustomPlot* m_stages;
    QCustomPlot* m_steps;
    QPushButton* m_stagesButton;
    QPushButton* m_stepsButton;
    LegendRow* m_legend;
};

}  // namespace reelgrid::widgets
