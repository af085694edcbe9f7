#include "app/studio/wide_column_view.h"

#include <QHeaderView>
#include <algorithm>

#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

// Pixels of normal text.
constexpr int kLeastWide = 240;
constexpr int kMostWide = 560;
constexpr int kPadding = 24;

constexpr int kMostPromptLines = 5;
constexpr int kMostMeasured = 1000;

/// Lines break between words, so that they are not filled.
int linesFor(int width, int room) {
    return width <= room ? 1 : std::min(kMostPromptLines, int(1.15 * width / room) + 1);
}

}  // namespace

WideColumnView::WideColumnView(QWidget* parent) : QTableView(parent) {
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setAlternatingRowColors(true);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setShowGrid(false);
    verticalHeader()->hide();
}

void WideColumnView::setWideColumn(int column) {
    m_wide = column;
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setMaximumSectionSize(widgets::theme::scaled(4 * kMostWide));
    if (column < 0) return;
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Fixed);
    connect(model(), &QAbstractItemModel::modelReset, this, &WideColumnView::measure);
    measure();
}

void WideColumnView::measure() {
    int widest = 0;
    for (int row = 0; row < std::min(kMostMeasured, model()->rowCount()); ++row) {
        const QString text = model()->index(row, m_wide).data(Qt::DisplayRole).toString();
        widest = std::max(widest, fontMetrics().horizontalAdvance(text));
    }
    using widgets::theme::scaled;
    const int room = scaled(kMostWide);
    m_least = std::clamp(widest, scaled(kLeastWide), room) + kPadding;
    const int lines = linesFor(widest, room);
    verticalHeader()->setDefaultSectionSize(lines * fontMetrics().lineSpacing() + kPadding / 2);
}

void WideColumnView::updateGeometries() {
    QTableView::updateGeometries();
    if (model() == nullptr || m_wide < 0) return;
    const int others = horizontalHeader()->length() - horizontalHeader()->sectionSize(m_wide);
    const int width = std::max(m_least, viewport()->width() - others);
    // Which comes back here with nothing left to do.
    if (width != horizontalHeader()->sectionSize(m_wide)) horizontalHeader()->resizeSection(m_wide, width);
}

}  // namespace reelgrid::studio
