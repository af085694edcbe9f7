#include "widgets/charts/plot_theme.h"

#include <qcustomplot.h>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

QPen followed(QPen pen) {
    pen.setColor(theme::followed(pen.color()));
    return pen;
}

void follow(QCPAxis& axis) {
    constexpr int kTextPixels = 11;
    QFont font = axis.tickLabelFont();
    font.setPixelSize(theme::scaled(kTextPixels));
    axis.setTickLabelFont(font);
    axis.setLabelFont(font);
    axis.setBasePen(followed(axis.basePen()));
    axis.setTickPen(followed(axis.tickPen()));
    axis.setTickLabelColor(theme::followed(axis.tickLabelColor()));
    axis.setLabelColor(theme::followed(axis.labelColor()));
    axis.grid()->setPen(followed(axis.grid()->pen()));
}

void follow(QCustomPlot& plot) {
    // There is no getter for the brush; a plot here stands on a panel.
    plot.setBackground(QBrush(theme::kPanel));
    for (QCPAxisRect* rect : plot.axisRects())
        for (QCPAxis* axis : rect->axes()) follow(*axis);
    for (int i = 0; i < plot.itemCount(); ++i) {
        if (auto* line = qobject_cast<QCPItemLine*>(plot.item(i))) line->setPen(followed(line->pen()));
        if (auto* text = qobject_cast<QCPItemText*>(plot.item(i)))
            text->setColor(theme::followed(text->color()));
    }
    plot.replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace

void followTheme(QWidget& window) {
    for (QCustomPlot* plot : window.findChildren<QCustomPlot*>()) follow(*plot);
}

}  // namespace reelgrid::widgets
