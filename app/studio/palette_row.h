#pragma once

#include <QStyledItemDelegate>

namespace reelgrid::studio {

/// A row of the command palette: what it does on the left, its keys (kKeysRole) on the right.
class PaletteRow : public QStyledItemDelegate {
  public:
    static constexpr int kKeysRole = Qt::UserRole + 1;
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace reelgrid::studio
