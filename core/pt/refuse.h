#pragma once

#include <algorithm>
#include <string>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::pt {

/// Ends the reading of a file that isn't one of torch.save: throws Failure(InvalidData) with these words.
[[noreturn]] inline void refuse(const std::string& why) {
    throw Failure(ErrorCode::InvalidData, why);
}

/// A name that a file has for something, on one line: as it is where it is short and plain, else quoted.
inline std::string shownName(const std::string& name) {
    constexpr std::size_t kShort = 160;
    const bool isPlain = std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
    return isPlain && name.size() <= kShort ? name : safetensors::quotedName(name);
}

}  // namespace reelgrid::pt
