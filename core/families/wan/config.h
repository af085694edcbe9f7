#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::families::wan {

// A Wan transformer's config.json in diffusers' words (WanTransformer3DModel), from what there is in its
// place.

/// Of such a config, ours: the network is of rCM's kind, distilled to a few steps, as TurboDiffusion trains
/// and stores it. Its patch embedding is a linear layer, its timestep's angles are float64's.
inline constexpr const char* kDistilledKey = "few_step_distilled";

/// Likewise: linear layers are stored in int8.
inline constexpr const char* kInt8Key = "int8_linear";

/// Likewise, a text: why the config.json beside the file wasn't used.
inline constexpr const char* kPassedOverKey = "config_passed_over";

/// Likewise: that a file whose shapes alone tell the model has fewer blocks than the published ones.
inline constexpr const char* kFewBlocksKey = "fewer_blocks";

/// Channels of a head, and eps, in every published model.
inline constexpr std::int64_t kPublishedHeadDim = 128;
inline constexpr double kPublishedEps = 1e-6;

/// From the config.json of Wan's authors (WanModel). InvalidData naming `file`, the key and its value.
Result<nlohmann::json> configOfWanModel(const nlohmann::json& own, const std::filesystem::path& file);

/// From the names and shapes of its tensors, those of Wan's authors, diffusers' or TurboDiffusion's, or below
/// a prefix of ComfyUI's. What no shape tells, heads of 128 channels and eps as in all published models, is
/// the config.json's beside `file` where that is the transformer's. InvalidData or Unsupported naming `file`
/// and what it has.
Result<nlohmann::json> configOfTensors(const safetensors::TensorEntries& tensors,
                                       const std::filesystem::path& file);

/// Whether a Wan transformer is among the tensors, by the name of its patch embedding.
bool hasWanTransformer(const safetensors::TensorEntries& tensors);

/// image_dim and its companions, of a transformer that takes a picture's embedding; none for others.
void addImageKeys(const safetensors::TensorEntries& tensors, nlohmann::json& config);

/// Whether the config.json beside a transformer's file decided something of configOfTensors()' result.
bool isDecidedBeside(const nlohmann::json& transformer);

/// Whether a transformer's config says so.
bool isDistilled(const nlohmann::json& transformer);
bool storesInt8(const nlohmann::json& transformer);

}  // namespace reelgrid::families::wan
