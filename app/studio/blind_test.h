#pragma once

#include <QObject>
#include <memory>
#include <random>

#include "app/studio/blind_clips.h"

namespace reelgrid::studio {

class BlindTestView;

/// The blind test: which pair comes next, what was answered, how those who are compared stand. Of the clips
/// on show, or of others that it is started with. GUI thread.
class BlindTest : public QObject {
    Q_OBJECT

  public:
    BlindTest(Comparison* comparison, ShownSession* shown, BlindTestView* view, QObject* parent = nullptr);

    /// Of the clips on show. False where there are not two clips that can be shown.
    bool start();
    /// Of these.
    bool start(std::shared_ptr<BlindClips> clips);
    void end();
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// Votes came or went by another way, undo for one.
    void follow();
    /// Those about the clips on show.
    void forgetVotes();
    /// For tests: the same seed shows the same pairs.
    void setSeed(unsigned seed) { m_chance.seed(seed); }
    /// The clips on show.
    [[nodiscard]] const BlindClips& shown() const { return *m_shown; }
    /// Those that it was last started with.
    [[nodiscard]] const BlindClips& current() const { return *m_clips; }
    [[nodiscard]] int voteCount() const;

  Q_SIGNALS:
    void votesChanged();
    void ended();

  private:
    void showNext();
    void vote(session::Preference preference);
    void takeBack();

    std::shared_ptr<BlindClips> m_shown;
    std::shared_ptr<BlindClips> m_clips;
    BlindTestView* m_view;
    std::mt19937 m_chance{std::random_device{}()};
    session::BlindVote m_shownPair;  // of the clips on show, before anybody votes
    std::size_t m_votesShown = 0;
    bool m_running = false;
};

/// How often two of them were compared.
int votesIn(const std::vector<BlindResult>& results);

/// How those who were compared stand, for a person: a table in a window of its own.
void showBlindResults(const BlindClips& clips, QWidget* parent);

}  // namespace reelgrid::studio
