#include "widgets/charts/plot_hover.h"

#include <qcustomplot.h>

#include <QMouseEvent>
#include <QToolTip>

namespace reelgrid::widgets {

PlotHover::PlotHover(QCustomPlot* plot, Reading reading)
    : QObject(plot), m_plot(plot), m_reading(std::move(reading)) {
    setObjectName(kName);
    plot->setMouseTracking(true);
    plot->installEventFilter(this);
}

bool PlotHover::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseMove) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        m_shown = m_reading(mouse->position().toPoint());
        // One pixel's rectangle: the tip follows the mouse instead of standing where it first was.
        if (m_shown.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(mouse->globalPosition().toPoint(), m_shown, m_plot);
    } else if (event->type() == QEvent::Leave) {
        m_shown.clear();
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace reelgrid::widgets
