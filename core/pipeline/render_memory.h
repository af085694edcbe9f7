#pragma once

#include <cstdint>
#include <optional>

#include "core/pipeline/family_registry.h"
#include "core/pipeline/memory_choice.h"

namespace reelgrid::pipeline {

/// How a model is loaded for a render whose parts lie so.
LoadChoices loadChoicesOf(const catalog::RenderSettings& settings, const MemoryChoice& memory);

/// Settles --offload and the encoders by what is `available` to the render; `present`, where there is one, is
/// how the model lies already and stays. Throws Failure.
MemoryChoice chooseMemoryFor(const families::ModelInfo& model, const catalog::RenderSettings& settings,
                             const execution::Execution& execution, std::uint64_t available,
                             const std::optional<MemoryChoice>& present = std::nullopt);

}  // namespace reelgrid::pipeline
