#include "app/studio/wide_column_view.h"

#include <QHeaderView>
#include <algorithm>

namespace reelgrid::studio {

namespace {
constexpr int kLeastWidth = 240;
}  // namespace

WideColumnView::WideColumnView(QWidget* parent) : QTableView(parent) {
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setAlternatingRowColors(true);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setWordWrap(false);
    verticalHeader()->hide();
}

void WideColumnView::setWideColumn(int column) {
    m_wide = column;
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    if (column >= 0) horizontalHeader()->setSectionResizeMode(column, QHeaderView::Fixed);
}

void WideColumnView::updateGeometries() {
    QTableView::updateGeometries();
    if (model() == nullptr || m_wide < 0) return;
    const int others = horizontalHeader()->length() - horizontalHeader()->sectionSize(m_wide);
    const int width = std::max(kLeastWidth, viewport()->width() - others);
    // Which comes back here with nothing left to do.
    if (width != horizontalHeader()->sectionSize(m_wide)) horizontalHeader()->resizeSection(m_wide, width);
}

}  // namespace reelgrid::studio
