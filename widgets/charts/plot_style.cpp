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
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void LegendRow::setItems(std::vector<Item> items) {
    m_items = std::move(items);
    const int height = heightForWidth(width());
    if (height != std::exchange(m_height, height)) updateGeometry();
    update();
}

QString LegendRow::shortName(const Item& item) const {
    return fontMetrics().elidedText(item.name, Qt::ElideMiddle, 160);
}

int LegendRow::widthOf(const Item& item) const {
    return kSwatch + kAfterSwatch + fontMetrics().horizontalAdvance(shortName(item)) +
           (item.value.isEmpty() ? 0 : kBeforeValue + fontMetrics().horizontalAdvance(item.value));
}

int LegendRow::rowHeight() const {
    return fontMetrics().height() + 6;
}

std::vector<QPoint> LegendRow::places(int width) const {
    std::vector<QPoint> places;
    QPoint next(0, 0);
    for (const Item& item : m_items) {
        const int wide = widthOf(item);
        if (next.x() > 0 && next.x() + wide > width) next = {0, next.y() + rowHeight()};
        places.push_back(next);
        next.rx() += wide + kAfterItem;
    }
    return places;
}

QSize LegendRow::sizeHint() const {
    return {220, rowHeight()};
}

int LegendRow::heightForWidth(int width) const {
    const std::vector<QPoint> all = places(width);
    return (all.empty() ? 0 : all.back().y()) + rowHeight();
}

void LegendRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    draw(painter, {0, 0});
}

void LegendRow::draw(QPainter& painter, const QPoint& at) const {
    painter.save();
    painter.translate(at);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetrics metrics = fontMetrics();
    const int baseline = (rowHeight() + metrics.ascent() - metrics.descent()) / 2;
    const std::vector<QPoint> all = places(width());
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const Item& item = m_items[i];
        const auto [x, y] = std::pair(all[i].x(), all[i].y());
        painter.setPen(Qt::NoPen);
        painter.setBrush(item.color);
        painter.drawRoundedRect(QRectF(x, y + (rowHeight() - kSwatch) / 2.0, kSwatch, kSwatch), 2.5, 2.5);
        painter.setPen(theme::kQuiet);
        painter.drawText(x + kSwatch + kAfterSwatch, y + baseline, shortName(item));
        painter.setPen(theme::kText);
        painter.drawText(x + widthOf(item) - metrics.horizontalAdvance(item.value), y + baseline, item.value);
    }
    painter.restore();
}

}  // namespace reelgrid::widgets
