#pragma once

#include <QColor>
#include <QImage>
#include <QString>
#include <QWidget>
#include <vector>

namespace reelgrid::widgets {

/// Some frames of one clip.
struct ClipStrip {
    QString name;
    QColor color;
    struct Picture {
        double seconds = 0;  ///< of the comparison's time
        int frame = 0;
        QImage image;
    };
    std::vector<Picture> pictures{};  ///< ascending
};

/// A row of small pictures for each clip, along the same time as the grid: the playhead is drawn across them,
/// a click or a drag moves it. GUI thread.
class ThumbnailStrip : public QWidget {
    Q_OBJECT

  public:
    explicit ThumbnailStrip(QWidget* parent = nullptr);

    void setStrips(std::vector<ClipStrip> strips);
    void setDuration(double seconds);
    void setPlayhead(double seconds);  ///< below 0: none is drawn
    [[nodiscard]] const std::vector<ClipStrip>& strips() const { return m_strips; }
    [[nodiscard]] double secondsAt(double x) const;
    [[nodiscard]] double xOf(double seconds) const;
    /// Across the rows, from 0 to the duration; empty while there are none.
    [[nodiscard]] QRectF timeArea() const;
    /// What is told of a point: clip, frame and time; empty: nothing is there.
    [[nodiscard]] QString readingAt(const QPoint& at) const;

  Q_SIGNALS:
    void seekRequested(double seconds);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

  private:
    [[nodiscard]] QRect rowOf(int strip) const;
    [[nodiscard]] static const ClipStrip::Picture* pictureAt(const ClipStrip& strip, double seconds);
    void drawRow(QPainter& painter, int strip) const;

    std::vector<ClipStrip> m_strips;
    double m_duration = 1;
    double m_playhead = 0;
};

}  // namespace reelgrid::widgets
