#pragma once

#include <QTimer>
#include <QWidget>

#include "app/studio/captions.h"

class QLabel;

namespace reelgrid::widgets {
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// Captions below the grid for an audience: the prompt, and one fact after the other, with the tile that it
/// is about outlined. Hidden while nobody presents. GUI thread.
class Presenter : public QWidget {
    Q_OBJECT

  public:
    Presenter(Comparison* comparison, widgets::VideoGrid* grid, QWidget* parent = nullptr);

    void start(const QString& prompt);
    /// What the window's request asks for: shown unless the clips' manifests say otherwise.
    void setPrompt(const QString& prompt);
    void stop();
    [[nodiscard]] bool isRunning() const { return m_next.isActive(); }
    [[nodiscard]] QString prompt() const;
    [[nodiscard]] QString fact() const;
    /// To the next fact, at once.
    void showNext();

  private:
    void showFact();

    Comparison* m_comparison;
    widgets::VideoGrid* m_grid;
    QLabel* m_prompt;
    QLabel* m_fact;
    QString m_asked;
    std::size_t m_at = 0;
    QTimer m_next;
};

}  // namespace reelgrid::studio
