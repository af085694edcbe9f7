#pragma once

#include <QWidget>

namespace reelgrid::studio {

/// What a newcomer sees where the grid will be: what can be done, and how.
class EmptyState : public QWidget {
    Q_OBJECT

  public:
    explicit EmptyState(QWidget* parent = nullptr);

  Q_SIGNALS:
    void renderClicked();
    void openClicked();
};

}  // namespace reelgrid::studio
