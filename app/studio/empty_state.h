#pragma once

#include <QWidget>

namespace reelgrid::studio {

class RecentComparisons;

/// What a newcomer sees where the grid will be: what can be done, and how; what there is already to go on
/// with.
class EmptyState : public QWidget {
    Q_OBJECT

  public:
    explicit EmptyState(const RecentComparisons* recent, QWidget* parent = nullptr);

  Q_SIGNALS:
    void renderClicked();
    void openClicked();
    void demoClicked();
    void fourStepsClicked();
    void recentChosen(const QString& folder);
};

}  // namespace reelgrid::studio
