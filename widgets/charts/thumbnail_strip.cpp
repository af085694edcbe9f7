#include "widgets/charts/thumbnail_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {
constexpr int kNameWidth = 96;
constexpr int kGap = 4;
constexpr int kRowSwatch = 10;
constexpr int kTallestRow = 96;
}  // namespace

ThumbnailStrip::ThumbnailStrip(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tr("Frames of every clip along the time"));
    setMinimumHeight(90);
}

void ThumbnailStrip::setStrips(std::vector<ClipStrip> strips) {
    m_strips = std::move(strips);
    update();
}

void ThumbnailStrip::setDuration(double seconds) {
    m_duration = seconds > 0 ? seconds : 1;
    update();
}

void ThumbnailStrip::setPlayhead(double seconds) {
    // Only the two places of the line are painted anew.
    for (const double at : {m_playhead, seconds}) update(QRect(int(std::floor(xOf(at))) - 2, 0, 5, height()));
    m_playhead = seconds;
}

double ThumbnailStrip::xOf(double seconds) const {
    return kNameWidth + seconds / m_duration * std::max(1, width() - kNameWidth - 1);
}

double ThumbnailStrip::secondsAt(double x) const {
    const double share = (x - kNameWidth) / std::max(1, width() - kNameWidth - 1);
    return std::clamp(share, 0.0, 1.0) * m_duration;
}

QRect ThumbnailStrip::rowOf(int strip) const {
    const int count = std::max(1, int(m_strips.size()));
    const int tall = std::min(kTallestRow, (height() - (count - 1) * kGap) / count);
    return {0, strip * (tall + kGap), width(), std::max(1, tall)};
}

/// The last one at or before that time.
const ClipStrip::Picture* ThumbnailStrip::pictureAt(const ClipStrip& strip, double seconds) {
    const auto after =
        std::ranges::upper_bound(strip.pictures, seconds + 1e-6, {}, &ClipStrip::Picture::seconds);
    if (strip.pictures.empty()) return nullptr;
    return after == strip.pictures.begin() ? &*after : &*std::prev(after);
}

void ThumbnailStrip::drawRow(QPainter& painter, int strip) const {
    const ClipStrip& clip = m_strips[std::size_t(strip)];
    const QRect row = rowOf(strip);
    painter.setPen(Qt::NoPen);
    painter.setBrush(clip.color);
    painter.drawRoundedRect(QRectF(0, row.center().y() - kRowSwatch / 2.0, kRowSwatch, kRowSwatch), 2.5, 2.5);
    painter.setPen(theme::kText);
    const QRect name(kRowSwatch + 6, row.top(), kNameWidth - kRowSwatch - 12, row.height());
    painter.drawText(name, Qt::AlignVCenter,
                     fontMetrics().elidedText(clip.name, Qt::ElideMiddle, name.width()));
    if (clip.pictures.empty()) return;
    const QSizeF size = clip.pictures.front().image.size();
    const double wide = std::max(8.0, row.height() * size.width() / std::max(1.0, size.height()));
    // Side by side from the start, each the picture of its left edge's time.
    for (double x = kNameWidth; x < width(); x += wide) {
        const ClipStrip::Picture* picture = pictureAt(clip, secondsAt(x));
        const double shown = std::min(wide, width() - x);
        const QImage& image = picture->image;
        painter.drawImage(QRectF(x, row.top(), shown - 1, row.height()), image,
                          QRectF(0, 0, image.width() * shown / wide, image.height()));
    }
}

void ThumbnailStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    if (m_strips.empty()) {
        painter.setPen(theme::kQuiet);
        painter.drawText(rect(), Qt::AlignCenter, tr("Frames appear with the first clip."));
        return;
    }
    for (int i = 0; i < int(m_strips.size()); ++i) drawRow(painter, i);
    if (m_playhead < 0) return;
    const double x = std::floor(xOf(m_playhead)) + 0.5;
    // On pictures a line of one colour gets lost.
    for (const QPen& pen : {QPen(Qt::black, 3), QPen(Qt::white, 1)}) {
        painter.setPen(pen);
        painter.drawLine(QPointF(x, 0), QPointF(x, timeArea().bottom()));
    }
}

QRectF ThumbnailStrip::timeArea() const {
    if (m_strips.empty()) return {};
    return {xOf(0), 0, xOf(m_duration) - xOf(0), double(rowOf(int(m_strips.size()) - 1).bottom())};
}

void ThumbnailStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_strips.empty()) return QWidget::mousePressEvent(event);
    Q_EMIT seekRequested(secondsAt(event->position().x()));
}

void ThumbnailStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton && !m_strips.empty())
        Q_EMIT seekRequested(secondsAt(event->position().x()));
    const QString reading = readingAt(event->position().toPoint());
    if (reading.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event->globalPosition().toPoint(), reading, this);
}

QString ThumbnailStrip::readingAt(const QPoint& at) const {
    for (int i = 0; i < int(m_strips.size()); ++i) {
        if (!rowOf(i).contains(at) || at.x() < kNameWidth) continue;
        const ClipStrip& clip = m_strips[std::size_t(i)];
        const ClipStrip::Picture* picture = pictureAt(clip, secondsAt(at.x()));
        if (picture == nullptr) return clip.name;
        return tr("%1: frame %2 at %3 s")
            .arg(clip.name)
            .arg(picture->frame + 1)
            .arg(fixedText(picture->seconds, 2));
    }
    return {};
}

}  // namespace reelgrid::widgets
