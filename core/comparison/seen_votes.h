#pragma once

#include <filesystem>
#include <vector>

#include "core/result/component_hash.h"
#include "core/session/blind_vote.h"

namespace reelgrid::comparison {

/// Votes of a blind test, held against the clips that lie at their places now.
struct SeenVotes {
    /// About these very clips, or about clips of which they don't say which they were, as those of earlier
    /// versions.
    std::vector<session::BlindVote> counted;
    int ofOthers = 0;  ///< about other clips that were at these places
};

/// A clip that can't be read is not known to be another one. Reads clips that `hasher` doesn't know yet.
SeenVotes seenVotes(const std::vector<session::BlindVote>& votes, result::ComponentHasher& hasher);

/// Those about two of these clips.
std::vector<session::BlindVote> votesAbout(const std::vector<std::filesystem::path>& clips,
                                           const std::vector<session::BlindVote>& votes);

}  // namespace reelgrid::comparison
