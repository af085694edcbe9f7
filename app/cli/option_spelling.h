#pragma once

#include <string>
#include <vector>

namespace reelgrid::cli {

/// Rewrites the old spellings of options to the ones that the parser knows: underscores to hyphens
/// (--num_frames), renamed options (--model-path, --compile) and long options behind one hyphen (-metric).
/// Values are left alone, and so is everything after "--".
std::vector<std::string> withCurrentSpelling(std::vector<std::string> arguments);

}  // namespace reelgrid::cli
