#include "widgets/panels/timeline_slider.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {
constexpr double kEdge = 8;  // room for the knob at both ends
}  // namespace

TimelineSlider::TimelineSlider(QWidget* parent) : QWidget(parent) {
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Position"));
}

void TimelineSlider::setDuration(double seconds) {
    m_duration = seconds;
    setEnabled(seconds > 0);
    update();
}

void TimelineSlider::setPosition(double seconds) {
    m_position = seconds;
    update();
}

void TimelineSlider::setRange(double a, double b) {
    m_rangeA = a;
    m_rangeB = b;
    update();
}

double TimelineSlider::xOf(double seconds) const {
    const double fraction = m_duration > 0 ? std::clamp(seconds / m_duration, 0.0, 1.0) : 0;
    return kEdge + fraction * (width() - 2 * kEdge);
}

void TimelineSlider::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const double middle = height() / 2.0;
    const auto bar = [&](double from, double to, const QColor& color) {
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(from, middle - 2, std::max(0.0, to - from), 4), 2, 2);
    };
    bar(kEdge, width() - kEdge, theme::kLine);
    if (!isEnabled()) return;
    const bool ranged = m_rangeA != m_rangeB;
    if (ranged) bar(xOf(m_rangeA), xOf(m_rangeB), theme::kFaint);
    bar(ranged ? std::min(xOf(m_rangeA), xOf(m_position)) : kEdge, xOf(m_position), theme::kAccent);
    if (ranged) {
        painter.setBrush(theme::kText);
        for (const double end : {m_rangeA, m_rangeB})
            painter.drawRect(QRectF(xOf(end) - 1, middle - 6, 2, 12));
    }
    // White alone is not seen in the light theme.
    painter.setPen(QPen(theme::kAccent, 2));
    painter.setBrush(Qt::white);
    painter.drawEllipse(QPointF(xOf(m_position), middle), 5.5, 5.5);
}

void TimelineSlider::seekTo(double x) {
    const double span = width() - 2 * kEdge;
    if (m_duration > 0 && span > 0)
        Q_EMIT seekRequested(std::clamp((x - kEdge) / span, 0.0, 1.0) * m_duration);
}

void TimelineSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) seekTo(event->position().x());
}

void TimelineSlider::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) seekTo(event->position().x());
}

}  // namespace reelgrid::widgets
