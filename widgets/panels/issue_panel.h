#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;
class QScrollArea;

namespace reelgrid::widgets {

/// What went wrong, one line each, until it is dismissed. Takes no room while there is nothing to say and
/// never interrupts.
class IssuePanel : public QWidget {
    Q_OBJECT

  public:
    explicit IssuePanel(QWidget* parent = nullptr);
    /// The same line twice is shown once.
    void addIssue(const QString& line);
    void clear();
    [[nodiscard]] QStringList issues() const { return m_lines; }

  private:
    void remove(const QString& line, QWidget* row);
    void fit();

    QStringList m_lines;
    QScrollArea* m_scroll;
    QVBoxLayout* m_rows;
};

}  // namespace reelgrid::widgets
