#include "app/studio/palette_row.h"

#include <QPainter>

#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {
constexpr int kMargin = 10;
constexpr int kMoreHeight = 8;
}  // namespace

void PaletteRow::paint(QPainter* painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index) const {
    const QString keys = index.data(kKeysRole).toString();
    QStyleOptionViewItem left = option;
    QStyledItemDelegate::paint(painter, left, index);
    if (keys.isEmpty()) return;
    painter->save();
    painter->setFont(option.font);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->setPen(selected ? widgets::theme::kOnAccent : widgets::theme::kQuiet);
    painter->drawText(option.rect.adjusted(0, 0, -kMargin, 0), Qt::AlignRight | Qt::AlignVCenter, keys);
    painter->restore();
}

QSize PaletteRow::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, kMoreHeight);
}

}  // namespace reelgrid::studio
