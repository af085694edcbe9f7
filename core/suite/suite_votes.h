#pragma once

#include <filesystem>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/comparison/blind_standing.h"
#include "core/session/blind_vote.h"
#include "core/suite/suite_result.h"

namespace reelgrid::suite {

/// What a suite's folder calls the votes about its clips.
inline constexpr const char* kVotesFile = "votes.json";

/// The two rows of a suite to be shown next, the first one on the left: clips that differ on this axis alone.
/// Of the pairs of its values one of those with the fewest votes by chance, of the subjects that have both
/// likewise, and the sides by chance. Nothing where no two clips are there.
std::optional<std::pair<std::size_t, std::size_t>> nextSuitePair(const SuiteResult& suite, std::size_t axis,
                                                                 const std::vector<session::BlindVote>& votes,
                                                                 std::mt19937& chance);

/// How each value of an axis did, in their order: of votes about clips that differ on it alone. A standing's
/// clip is the value as text.
std::vector<comparison::BlindStanding> standingsOf(const SuiteResult& suite, std::size_t axis,
                                                   const std::vector<session::BlindVote>& votes);

/// Those about clips that differ on this axis alone.
std::vector<session::BlindVote> votesOn(const SuiteResult& suite, std::size_t axis,
                                        const std::vector<session::BlindVote>& votes);

/// Untrusted; none where there is no such file. InvalidData naming what is wrong, a clip outside the file's
/// folder too.
Result<std::vector<session::BlindVote>> readVotes(const std::filesystem::path& file);
/// With clips relative to the file's folder.
Result<void> saveVotes(const std::vector<session::BlindVote>& votes, const std::filesystem::path& file);

}  // namespace reelgrid::suite
