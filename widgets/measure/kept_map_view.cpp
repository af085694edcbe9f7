#include "widgets/measure/kept_map_view.h"

#include <QCheckBox>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "widgets/measure/bars_chart.h"
#include "widgets/measure/figure_text.h"
#include "widgets/measure/heat_chart.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::widgets {

namespace {

using measurements::BlockSpot;
using measurements::KeptMap;

const QColor kHeadColor(0x4f, 0x9c, 0xf9), kShownHeadColor(0xe0, 0xb0, 0x50);

QString keptPercent(double share) {
    return QObject::tr("%1 %").arg(figure(100 * share, 4));
}

/// "3" or "3–5"
QString spanText(std::int64_t first, std::int64_t last) {
    return first == last ? QString::number(first) : QString("%1–%2").arg(first).arg(last);
}

QString spotText(const BlockSpot& place) {
    const QString tokens = QObject::tr("tokens %1").arg(spanText(place.firstToken, place.lastToken));
    if (!place.inClip) return tokens;
    const auto& at = *place.inClip;
    return QObject::tr("%1: frames %2, rows %3, columns %4")
        .arg(tokens, spanText(at[0], at[1]), spanText(at[2], at[3]), spanText(at[4], at[5]));
}

}  // namespace

KeptMapView::KeptMapView(QWidget* parent)
    : QWidget(parent),
      m_map(new HeatChart(tr("KEPT BLOCKS"))),
      m_heads(new BarsChart(tr("HEADS"))),
      m_words(new QLabel),
      m_showsLeftOut(new QCheckBox(tr("What is left out"))) {
    m_words->setObjectName("quiet");
    m_words->setTextFormat(Qt::PlainText);
    m_words->setWordWrap(true);
    m_showsLeftOut->setToolTip(
        tr("Colours the blocks that are left out, by the weight that is lost with them"));
    auto* charts = new QSplitter;
    charts->addWidget(m_map);
    charts->addWidget(m_heads);
    charts->setSizes({380, 160});
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 0);
    column->addWidget(m_words);
    column->addWidget(m_showsLeftOut);
    column->addWidget(charts, 1);
    connect(m_showsLeftOut, &QCheckBox::toggled, this, &KeptMapView::drawMap);
}

void KeptMapView::setMap(const KeptMap& map) {
    m_kept = map;
    QStringList options;
    for (const auto& [key, value] : map.options)
        // A value for each head is a long one.
        if (value.size() <= 24) options << text(key) + "=" + text(value);
    m_words->setText(tr("%1%2 keeps %3 of head %4's pairs of blocks, which hold %5 of the weight; %6 of each "
                        "block's queries were computed for that")
                         .arg(text(map.backend),
                              options.isEmpty() ? QString() : " (" + options.join(", ") + ")",
                              keptPercent(map.keptShare))
                         .arg(map.head)
                         .arg(keptPercent(map.keptWeight))
                         .arg(map.queriesPerBlock));
    drawMap();
    drawHeads();
}

void KeptMapView::drawMap() {
    HeatMapCells cells;
    cells.columns = m_kept.columns;
    cells.rows = m_kept.rows;
    cells.values = m_kept.weights;
    const bool shown = !m_showsLeftOut->isChecked();
    for (std::size_t i = 0; i < cells.values.size(); ++i)
        if (m_kept.kept[i] != shown) cells.values[i] = std::numeric_limits<double>::quiet_NaN();
    cells.columnName = tr("blocks of %1 keys").arg(m_kept.keysTogether);
    cells.rowName = tr("blocks of %1 queries").arg(m_kept.queriesTogether);
    cells.valueName = shown ? tr("weight of a kept block") : tr("weight of a block left out");
    HeatRange range;
    range.add(m_kept.weights);
    // Weights go down to nothing; five powers of ten below the largest are told apart.
    constexpr double kDynamic = 1e-5;
    range.low = std::max(range.low, range.high * kDynamic);
    m_map->setCells(std::move(cells), range, [this](int column, int row) { return readingOf(column, row); });
}

QString KeptMapView::readingOf(int column, int row) const {
    const std::size_t at = std::size_t(row) * std::size_t(m_kept.columns) + std::size_t(column);
    const QString kept = m_kept.kept[at] ? tr("kept") : tr("left out");
    return tr("queries' block %1, %2\nkeys' block %3, %4\n%5, %6 of the queries' weight")
        .arg(row)
        .arg(spotText(m_kept.queryPlaces[std::size_t(row)]))
        .arg(column)
        .arg(spotText(m_kept.keyPlaces[std::size_t(column)]), kept, keptPercent(m_kept.weights[at]));
}

void KeptMapView::drawHeads() {
    std::vector<Bar> bars;
    for (std::size_t head = 0; head < m_kept.keptShareOfHead.size(); ++head) {
        const double share = m_kept.keptShareOfHead[head];
        bars.push_back({.name = tr("head %1").arg(head),
                        .color = int(head) == m_kept.head ? kShownHeadColor : kHeadColor,
                        .value = 100 * share,
                        .text = keptPercent(share)});
    }
    m_heads->setBars(std::move(bars), tr("kept blocks, %"));
}

}  // namespace reelgrid::widgets
