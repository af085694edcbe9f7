#pragma once

#include <functional>
#include <memory>

#include "app/studio/blind_clips.h"
#include "app/studio/suite/opened_suite.h"
#include "core/suite/kept_votes.h"

namespace reelgrid::studio {

struct SuiteVotes;

/// Is told of what was done to the votes.
using VotesChanged = std::function<void(const std::shared_ptr<SuiteVotes>&, const suite::VoteChange&)>;

/// The votes about a suite's clips.
struct SuiteVotes {
    std::vector<session::BlindVote> votes;
    VotesChanged changed;
    int unkept = 0;  ///< changes that are on their way to the file

    /// Those in the file, with what others did there. Theirs come first: what is taken back is the last one.
    void follow(const std::vector<session::BlindVote>& inFile);
};

/// Clips of a suite that differ on one axis alone; what is voted for is the axis's values.
class SuiteBlindClips : public BlindClips {
  public:
    SuiteBlindClips(std::shared_ptr<const suite::SuiteResult> suite, std::size_t axis,
                    std::shared_ptr<SuiteVotes> votes);

    [[nodiscard]] std::optional<std::pair<std::filesystem::path, std::filesystem::path>> next(
        std::mt19937& chance) const override;
    [[nodiscard]] const std::vector<session::BlindVote>& votes() const override { return m_votes->votes; }
    void setVotes(std::vector<session::BlindVote> votes) override;
    [[nodiscard]] std::vector<BlindResult> results() const override;
    [[nodiscard]] int votesOfOthers() const override;
    [[nodiscard]] QString heading() const override;

  private:
    [[nodiscard]] comparison::SeenVotes seen() const;

    std::shared_ptr<const suite::SuiteResult> m_suite;
    std::size_t m_axis;
    std::shared_ptr<SuiteVotes> m_votes;
};

}  // namespace reelgrid::studio
