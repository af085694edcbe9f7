#pragma once

#include <QObject>
#include <random>

#include "app/studio/comparison.h"
#include "core/comparison/blind_standing.h"

namespace reelgrid::studio {

class BlindTestView;
class ShownSession;

/// The blind test of the clips on show: which pair comes next, what was answered, how the backends stand.
/// Votes are the session's. GUI thread.
class BlindTest : public QObject {
    Q_OBJECT

  public:
    BlindTest(Comparison* comparison, ShownSession* shown, BlindTestView* view, QObject* parent = nullptr);

    /// False where there are not two clips that can be shown.
    bool start();
    void end();
    [[nodiscard]] bool isRunning() const { return m_running; }
    /// Votes came or went by another way, undo for one.
    void follow();
    void forgetVotes();
    /// For tests: the same seed shows the same pairs.
    void setSeed(unsigned seed) { m_chance.seed(seed); }
    [[nodiscard]] std::vector<comparison::BlindStanding> standings() const;
    [[nodiscard]] int voteCount() const;

  Q_SIGNALS:
    void votesChanged();
    void ended();

  private:
    void showNext();
    void vote(session::Preference preference);
    void takeBack();
    [[nodiscard]] std::vector<std::filesystem::path> candidates() const;

    Comparison* m_comparison;
    ShownSession* m_shown;
    BlindTestView* m_view;
    std::mt19937 m_chance{std::random_device{}()};
    std::pair<std::filesystem::path, std::filesystem::path> m_pair;
    std::size_t m_votesShown = 0;
    bool m_running = false;
};

/// How the backends stand, for a person: a table in a window of its own.
void showBlindResults(const BlindTest& test, const Comparison& comparison, QWidget* parent);

}  // namespace reelgrid::studio
