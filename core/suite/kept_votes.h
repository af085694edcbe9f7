#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/session/blind_vote.h"

namespace reelgrid::suite {

/// What somebody did to votes.
struct VoteChange {
    std::vector<session::BlindVote> added, withdrawn;
};

/// From one list to another: each vote as often as it is there more often.
VoteChange changeBetween(const std::vector<session::BlindVote>& before,
                         const std::vector<session::BlindVote>& now);

/// The votes in a suite's file as one window changes them: what others have put there or withdrawn since is
/// kept as they did it. One thread at a time.
class KeptVotes {
  public:
    explicit KeptVotes(std::filesystem::path file) : m_file(std::move(file)) {}

    /// Makes the change in what stands in the file now, and returns all that stands there then. What can't be
    /// written waits for the next change: a file that can't be read is left as it is.
    Result<std::vector<session::BlindVote>> change(const VoteChange& change);

  private:
    std::filesystem::path m_file;
    VoteChange m_waiting;  ///< isn't in the file yet
};

}  // namespace reelgrid::suite
