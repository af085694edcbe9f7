#pragma once

#include <string>

#include "core/benchmark/attention_shape.h"
#include "core/families/attention_presets.h"

namespace reelgrid::benchmark {

using families::AttentionPreset;
using families::attentionPresets;
using families::findPreset;

/// A preset's shape, or parseShape()'s. BadUsage names both ways to say one.
Result<AttentionShape> shapeNamed(const std::string& text);

}  // namespace reelgrid::benchmark
