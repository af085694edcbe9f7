#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QPushButton;

namespace reelgrid::studio {

/// A line above the grid with something to do about it. Never interrupts.
class Banner : public QFrame {
    Q_OBJECT

  public:
    explicit Banner(QWidget* parent = nullptr);
    /// `accept` and `dismiss` run at most once, and hide it.
    void offer(const QString& text, const QString& acceptText, std::function<void()> accept,
               const QString& dismissText, std::function<void()> dismiss);
    [[nodiscard]] QPushButton* acceptButton() const { return m_accept; }
    [[nodiscard]] QPushButton* dismissButton() const { return m_dismiss; }
    [[nodiscard]] QString text() const;

  private:
    void end(const std::function<void()>& run);

    QLabel* m_text;
    QPushButton* m_accept;
    QPushButton* m_dismiss;
    std::function<void()> m_onAccept;
    std::function<void()> m_onDismiss;
};

}  // namespace reelgrid::studio
