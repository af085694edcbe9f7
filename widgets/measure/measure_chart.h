#pragma once

#include <QStringList>
#include <QWidget>
#include <filesystem>
#include <vector>

#include "core/base/result.h"

class QCustomPlot;
class QLabel;

namespace reelgrid::widgets {

/// What a chart shows, as a spreadsheet takes it: numbers with a decimal point.
struct FigureTable {
    QStringList heads;
    std::vector<QStringList> rows;

    [[nodiscard]] QString csv() const;
};

/// A chart with its name, a line for what the pointer rests on, and a button that saves it as a picture or a
/// table. What is drawn is its subclasses'.
class MeasureChart : public QWidget {
    Q_OBJECT

  public:
    explicit MeasureChart(const QString& title, QWidget* parent = nullptr);

    [[nodiscard]] QString title() const;
    [[nodiscard]] const FigureTable& table() const { return m_table; }
    /// What the pointer rests on; empty where there is nothing.
    [[nodiscard]] QString reading() const;
    /// By its ending: .png, .svg or .csv.
    Result<void> exportTo(const std::filesystem::path& file);

  protected:
    [[nodiscard]] QCustomPlot& plot() const { return *m_plot; }
    void setTitle(const QString& title);
    void setTable(FigureTable table) { m_table = std::move(table); }
    void setReading(const QString& reading);

  private:
    void askAndExport();
    Result<QByteArray> svg();

    QLabel* m_title;
    QLabel* m_reading;
    QCustomPlot* m_plot;
    FigureTable m_table;
};

}  // namespace reelgrid::widgets
