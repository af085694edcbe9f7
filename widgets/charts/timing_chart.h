#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <utility>
#include <vector>

class QCPItemText;
class QCustomPlot;
class QStackedWidget;
class QPushButton;

namespace reelgrid::widgets {

class LegendRow;

/// One render's measured times, in seconds. What was not measured is absent.
struct RenderTiming {
    QString name;  ///< the backend
    QColor color;
    std::vector<std::pair<QString, double>> stages;  ///< text, denoise, decode, encode, load, … as measured
    std::vector<double> steps;                       ///< each denoising step
    double outsideAttention = -1;  ///< seconds of denoising that no backend changes; negative: not measured
    [[nodiscard]] double stage(const QString& which) const;  ///< negative when not measured
};

/// Where the time of each render went: bars of stages, or the seconds of every denoising step.
class TimingChart : public QWidget {
    Q_OBJECT

  public:
    explicit TimingChart(QWidget* parent = nullptr);

    /// Totals are without loading. The first render is the one the others' denoising time is compared with.
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
