#pragma once

#include <string>

#include "core/base/result.h"

namespace reelgrid::protocol {

/// A LoRA as a request names it: "detail.safetensors" or "detail.safetensors:0.8".
struct LoraChoice {
    std::string file;
    double scale = 1;

    /// BadUsage when the file's name is empty or the scale is no number from -100 to 100.
    static Result<LoraChoice> from(const std::string& text);
    /// The way back; a scale of 1 is left out.
    [[nodiscard]] std::string text() const;
};

}  // namespace reelgrid::protocol
