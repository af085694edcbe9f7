#pragma once

#include <string>
#include <vector>

namespace reelgrid::parallel {

/// How a rank ended.
struct RankEnd {
    int status = 0;      ///< exit code; 128 + signal when it was killed
    std::string errors;  ///< what it wrote
};

/// Runs the test case DISABLED_InRank.<body> of this program in so many processes, which meet as torchrun's
/// do. Those that don't end within a minute are killed.
std::vector<RankEnd> runRanks(int ranks, const std::string& body);

}  // namespace reelgrid::parallel
