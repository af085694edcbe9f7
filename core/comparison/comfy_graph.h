#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/comparison/clip_origin.h"

namespace reelgrid::comparison {

/// What a graph in ComfyUI's API format renders: an object of node id → {"class_type", "inputs"}, an input a
/// value or a link [id, slot]. Of several samplers after each other the first one counts. Untrusted: links
/// may lead nowhere or in circles. Nothing where it is no graph, has no sampler, or says nothing of it.
std::optional<ClipOrigin> originOfGraph(const nlohmann::json& graph);

}  // namespace reelgrid::comparison
