#include "widgets/charts/plot_style.h"

#include <qcustomplot.h>

#include <QPainter>
#include <utility>

#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {
constexpr int kSwatch = 10;
constexpr int kAfterSwatch = 6;
constexpr int kAfterItem = 16;
constexpr int kBeforeValue = 6;
}  // namespace

void stylePlot(QCustomPlot& plot) {
    plot.setBackground(QBrush(theme::kPanel));
    QFont font = plot.font();
    font.setPixelSize(11);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2}) {
        axis->setBasePen(QPen(theme::kLine));
        axis->setTickPen(QPen(theme::kLine));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLengthIn(0);
        axis->setTickLengthOut(4);
        axis->setTickLabelColor(theme::kQuiet);
        axis->setTickLabelFont(font);
        axis->setLabelColor(theme::kQuiet);
        axis->setLabelFont(font);
        axis->setLabelPadding(4);
        axis->grid()->setPen(QPen(theme::kLine, 1, Qt::DotLine));
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->ticker()->setTickCount(5);
    }
    plot.setMinimumHeight(110);
    plot.setNoAntialiasingOnDrag(false);
}

LegendRow::LegendRow(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LegendRow::setItems(std::vector<Item> items) {
    m_items = std::move(items);
    update();
}

QSize LegendRow::sizeHint() const {
    return {220, fontMetrics().height() + 6};
}

void LegendRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetrics metrics = fontMetrics();
    const int baseline = (height() + metrics.ascent() - metrics.descent()) / 2;
    int x = 0;
    for (const Item& item : m_items) {
        const QString name = metrics.elidedText(item.name, Qt::ElideMiddle, 160);
        const int width = kSwatch + kAfterSwatch + metrics.horizontalAdvance(name) +
                          (item.value.isEmpty() ? 0 : kBeforeValue + metrics.horizontalAdvance(item.value));
        if (x + width > this->width()) break;
        painter.setPen(Qt::NoPen);
        painter.setBrush(item.color);
        painter.drawRoundedRect(QRectF(x, (height() - kSwatch) / 2.0, kSwatch, kSwatch), 2.5, 2.5);
        painter.setPen(theme::kQuiet);
        painter.drawText(x + kSwatch + kAfterSwatch, baseline, name);
        painter.setPen(theme::kText);
        painter.drawText(x + width - metrics.horizontalAdvance(item.value), baseline, item.value);
        x += width + kAfterItem;
    }
}

}  // namespace reelgrid::widgets
