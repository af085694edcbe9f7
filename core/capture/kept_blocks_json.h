#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/capture/kept_blocks.h"

namespace reelgrid::capture {

/// A head's map as `captures show --map` prints it: docs/reference/file-formats.md. Weights have four digits.
nlohmann::json toJson(const KeptBlocks& blocks);
nlohmann::json toJson(const KeptShares& shares);

/// A line a pair of blocks: which tokens, whether it is kept, and of the queries' weight what it holds.
std::string csvOf(const KeptBlocks& blocks);

}  // namespace reelgrid::capture
