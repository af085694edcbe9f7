#pragma once

#include <QWidget>

namespace reelgrid::widgets {

/// The comparison's time as a bar: click or drag seeks. Shows the A–B range.
class TimelineSlider : public QWidget {
    Q_OBJECT

  public:
    explicit TimelineSlider(QWidget* parent = nullptr);

    void setDuration(double seconds);
    void setPosition(double seconds);
    /// Empty (a == b) hides it.
    void setRange(double a, double b);
    QSize sizeHint() const override { return {200, 22}; }
    QSize minimumSizeHint() const override { return {60, 22}; }

  Q_SIGNALS:
    void seekRequested(double seconds);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

  private:
    [[nodiscard]] double xOf(double seconds) const;
    void seekTo(double x);

    double m_duration = 0;
    double m_position = 0;
    double m_rangeA = 0;
    double m_rangeB = 0;
};

}  // namespace reelgrid::widgets
