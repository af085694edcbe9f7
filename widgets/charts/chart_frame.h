#pragma once

#include <QList>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "widgets/charts/chart_table.h"
#include "widgets/charts/still_chart.h"

class QComboBox;
class QCustomPlot;
class QHBoxLayout;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace reelgrid::widgets {

class LegendRow;

/// One view of a chart frame.
struct ChartPage {
    QString title;  ///< on its button, where a frame has several
    QWidget* widget = nullptr;
    QCustomPlot* plot = nullptr;  ///< in the widget; null: the widget is drawn as it is on screen
    std::function<ChartTable()> table;
};

/// What surrounds a chart: heading, views to choose from, legend, and a menu that saves the view as a picture
/// or as numbers and takes the chart into a window of its own. GUI thread.
class ChartFrame : public QWidget {
    Q_OBJECT

  public:
    explicit ChartFrame(const QString& heading, QWidget* parent = nullptr);

    /// Of the view on show.
    [[nodiscard]] ChartTable table() const;
    /// The view on show as the file's name ends: .png, .svg (drawn, not a picture of pixels) or .csv.
    Result<void> save(const std::filesystem::path& file);
    /// The view on show as large as it is on screen, each pixel there as many as `pixelRatio`.
    [[nodiscard]] virtual StillChart still(double pixelRatio);
    [[nodiscard]] int page() const;
    void showPage(int page);
    [[nodiscard]] QStringList pageTitles() const;

    /// Into a window of its own, and back to where it was; closing that window puts it back.
    void detach();
    void putBack();
    [[nodiscard]] bool isDetached() const { return !m_place.isNull(); }

  Q_SIGNALS:
    void failed(const QString& message);
    void pageChanged(int page);

  protected:
    struct Drawn {
        QImage image;
        QPoint page;  ///< where the view begins below heading and legend, in pixels of the screen
    };
    /// While nothing else is drawn its plot is laid out as it is in the picture.
    [[nodiscard]] Drawn drawn(double pixelRatio) const;
    void addPage(ChartPage page);
    /// Before the frame's menu.
    void addToHead(QWidget* widget);
    [[nodiscard]] LegendRow& legend() { return *m_legend; }
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void buildMenu();
    void fitHead();
    void askAndSave(const QString& ending);
    QPoint draw(QPainter& painter, const QSize& size, bool asShapes) const;
    [[nodiscard]] Result<void> savePng(const QString& file) const;
    [[nodiscard]] Result<void> saveSvg(const QString& file) const;

    QString m_heading;
    std::vector<ChartPage> m_pages;
    std::vector<QPushButton*> m_buttons;
    QComboBox* m_choice;  // instead of the buttons where there is no room for them
    QHBoxLayout* m_head;
    LegendRow* m_legend;
    QStackedWidget* m_stack;
    QToolButton* m_menu;
    QPointer<QWidget> m_place;  // stands where the frame was while it is in a window of its own
    QList<int> m_sizes;         // of the splitter that it was in
};

}  // namespace reelgrid::widgets
