#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// A LoRA as a request names it: "detail.safetensors" or "detail.safetensors:0.8".
struct LoraChoice {
    std::string file;
    double scale = 1;

    /// BadUsage, which begins with `option`, when the file's name is empty or the scale is no number from
    /// -100 to 100.
    static Result<LoraChoice> from(const std::string& text, const std::string& option = "--lora");
    /// The way back; a scale of 1 is left out.
    [[nodiscard]] std::string text() const;
};

/// What --lora-2 takes for a second expert that stays as it is, where it would get the first one's.
inline constexpr const char* kNoLora = "none";
inline bool isNoLora(const std::vector<std::string>& loras) {
    return loras.size() == 1 && loras.front() == kNoLora;
}

}  // namespace reelgrid::protocol
