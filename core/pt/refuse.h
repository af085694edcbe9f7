#pragma once

#include <string>

#include "core/base/result.h"

namespace reelgrid::pt {

/// Ends the reading of a file that isn't one of torch.save: throws Failure(InvalidData) with these words.
[[noreturn]] inline void refuse(const std::string& why) {
    throw Failure(ErrorCode::InvalidData, why);
}

}  // namespace reelgrid::pt
