#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace reelgrid::studio {

class RecentComparisons;
class RecentList;

/// The comparisons of the results folder with their pictures, and a line that looks for words in their
/// prompts, backends, models and dates.
class Library : public QWidget {
    Q_OBJECT

  public:
    explicit Library(const RecentComparisons* comparisons, QWidget* parent = nullptr);

    /// All of these words, in any order.
    void lookFor(const QString& words);
    [[nodiscard]] const RecentList& list() const { return *m_list; }
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    void chosen(const QString& folder);

  private:
    void filter();

    QLineEdit* m_words;
    QLabel* m_count;
    RecentList* m_list;
};

}  // namespace reelgrid::studio
