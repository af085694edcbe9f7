#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace reelgrid::families {

/// A folder as Wan's authors publish a model, in the words of diffusers' layout.
struct WanLayout {
    nlohmann::json index;                           ///< what model_index.json would say
    std::map<std::string, nlohmann::json> configs;  ///< each component's config.json (scheduler_config.json)
    std::map<std::string, std::filesystem::path> paths;  ///< where each component is, folder or file
};

/// Whether the folder has a config.json of Wan's own transformer and no model_index.json.
bool isWanLayout(const std::filesystem::path& folder);

/// config.json (WanModel) with diffusion_pytorch_model*.safetensors, or the two experts' folders of Wan 2.2
/// A14B, beside models_t5_*.pth, Wan2.1_VAE.pth and google/umt5-xxl. NotFound, InvalidData or Unsupported
/// naming what is missing or wrong. Source: wan/configs of Wan2.1 and Wan2.2.
Result<WanLayout> readWanLayout(const std::filesystem::path& folder);

}  // namespace reelgrid::families
