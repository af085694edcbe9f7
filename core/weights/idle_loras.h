#pragma once

#include <string>
#include <vector>

#include "core/weights/lora.h"

namespace reelgrid::weights {

/// A line for each file that changes nothing of any model, with why: its scale is 0, or so is all that it
/// would add, as of a LoRA with an alpha of 0 or of one that was saved before its first step, or it adds too
/// little for any weight, or for those that it was merged into, every tensor of it. A file that stands there
/// several times is for several networks. Reads each file up to the first layer that changes something.
/// Throws Failure as SafetensorsFolder and LoraSettings::of() do.
std::vector<std::string> idleLoras(const std::vector<Lora>& loras);

}  // namespace reelgrid::weights
