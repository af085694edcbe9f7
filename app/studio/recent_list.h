#pragma once

#include <QListWidget>

namespace reelgrid::studio {

class RecentComparisons;

/// The recent comparisons as pictures with prompt, date and backends. One that is activated is asked for.
class RecentList : public QListWidget {
    Q_OBJECT

  public:
    explicit RecentList(const RecentComparisons* recent, QWidget* parent = nullptr);

    /// Hides those that lack one of these words; returns how many are left.
    int showOnly(const QStringList& words);

  Q_SIGNALS:
    void chosen(const QString& folder);

  private:
    void fill();

    const RecentComparisons* m_recent;
};

}  // namespace reelgrid::studio
