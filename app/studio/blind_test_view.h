#pragma once

#include <QWidget>
#include <filesystem>
#include <set>

#include "core/session/blind_vote.h"
#include "widgets/video_grid/player.h"

class QLabel;
class QPushButton;

namespace reelgrid::widgets {
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// Two clips side by side that are called A and B and nothing else, and a key for each answer. It has a
/// player of its own, so that nothing of the window tells which is which. GUI thread.
class BlindTestView : public QWidget {
    Q_OBJECT

  public:
    explicit BlindTestView(QWidget* parent = nullptr);

    void showPair(const std::filesystem::path& first, const std::filesystem::path& second);
    void showProgress(const QString& text);
    /// Nothing is played any more.
    void clear();
    [[nodiscard]] widgets::VideoGrid& grid() { return *m_grid; }
    [[nodiscard]] widgets::Player& player() { return m_player; }
    [[nodiscard]] QString progress() const;

  Q_SIGNALS:
    /// Only once both clips can be seen.
    void answered(reelgrid::session::Preference preference);
    void takeBackRequested();
    void endRequested();
    void clipFailed(const QString& message);

  protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    QPushButton* addAnswer(const QString& text, const QString& keys, session::Preference preference);
    void answer(session::Preference preference);
    void showTiles();
    void showFrames();
    [[nodiscard]] bool isReady() const;

    widgets::Player m_player;
    widgets::VideoGrid* m_grid;
    QLabel* m_question;
    QLabel* m_progress;
    std::set<int> m_failed;
    int m_first = -1;  // the player's numbers of the two clips
    int m_second = -1;
};

}  // namespace reelgrid::studio
