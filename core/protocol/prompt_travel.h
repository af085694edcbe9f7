#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// A prompt from a frame on.
struct PromptAt {
    int frame = 0;
    std::string prompt;

    bool operator==(const PromptAt&) const = default;
};

/// "8: a dog | 12: a cat", in the order of frames; none in an empty text. BadUsage naming what is wrong with
/// the text, which can't hold a prompt with a bar in it.
Result<std::vector<PromptAt>> promptTravelFrom(const std::string& text);
/// The way back.
std::string promptTravelText(const std::vector<PromptAt>& travel);

}  // namespace reelgrid::protocol
