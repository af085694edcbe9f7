#pragma once

#include <QColor>
#include <QString>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "app/studio/comparison.h"
#include "core/comparison/blind_standing.h"
#include "core/comparison/seen_votes.h"

namespace reelgrid::studio {

class ShownSession;

/// One line of a blind test's results.
struct BlindResult {
    QString name;
    QColor color;
    comparison::BlindStanding standing;
};

/// What a blind test shows, whom its votes are about, and where they are kept. GUI thread.
class BlindClips {
  public:
    virtual ~BlindClips() = default;

    /// To be shown next, the first one on the left; nothing where there are not two that can be shown.
    [[nodiscard]] virtual std::optional<std::pair<std::filesystem::path, std::filesystem::path>> next(
        std::mt19937& chance) const = 0;
    [[nodiscard]] virtual const std::vector<session::BlindVote>& votes() const = 0;
    virtual void setVotes(std::vector<session::BlindVote> votes) = 0;
    /// Of votes about the clips that lie at their places now.
    [[nodiscard]] virtual std::vector<BlindResult> results() const = 0;
    /// Votes about other clips that were at these places: they count for nothing.
    [[nodiscard]] virtual int votesOfOthers() const = 0;
    /// Whom results are of: the heading of their names.
    [[nodiscard]] virtual QString heading() const = 0;
};

/// The clips on show; votes are their session's.
class ShownBlindClips : public BlindClips {
  public:
    ShownBlindClips(const Comparison* comparison, ShownSession* shown)
        : m_comparison(comparison), m_shown(shown) {}

    [[nodiscard]] std::optional<std::pair<std::filesystem::path, std::filesystem::path>> next(
        std::mt19937& chance) const override;
    [[nodiscard]] const std::vector<session::BlindVote>& votes() const override;
    void setVotes(std::vector<session::BlindVote> votes) override;
    [[nodiscard]] std::vector<BlindResult> results() const override;
    [[nodiscard]] int votesOfOthers() const override;
    [[nodiscard]] QString heading() const override;

  private:
    [[nodiscard]] std::vector<std::filesystem::path> candidates() const;
    [[nodiscard]] comparison::SeenVotes seen() const;

    const Comparison* m_comparison;
    ShownSession* m_shown;
};

}  // namespace reelgrid::studio
