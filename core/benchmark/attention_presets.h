#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/benchmark/attention_shape.h"

namespace reelgrid::benchmark {

/// An attention call of a published model, of one guidance branch.
struct AttentionPreset {
    std::string_view name;   ///< as --shape takes it
    std::string_view shape;  ///< as parseShape() takes it
    std::string_view origin;
};

std::span<const AttentionPreset> attentionPresets();

/// Null when there is none of that name.
const AttentionPreset* findPreset(std::string_view name);

/// A preset's shape, or parseShape()'s. BadUsage names both ways to say one.
Result<AttentionShape> shapeNamed(const std::string& text);

}  // namespace reelgrid::benchmark
