#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"
#include "core/families/model_layout.h"

namespace reelgrid::families::wan {

/// The models that Wan's authors published, as their transformers tell them apart.
enum class WanKind { Text21, Image21, TwoPictures21, TextExperts22, ImageExperts22, TokenTimes22 };

enum class WanTransformers { One, Two };

/// By the transformer's configuration in diffusers' words. Unsupported naming `where` and its channels.
Result<WanKind> wanKindOf(const nlohmann::json& transformer, WanTransformers count, const std::string& where);

/// model_index.json, scheduler_config.json and the VAE's config.json of that kind, with the
/// transformer's. `where`, the path that was given, tells 480p from 720p, which nothing else does. Paths and
/// a second transformer's configuration are left to the caller. Source: wan/configs and generate.py of Wan2.1
/// and Wan2.2.
ModelLayout layoutOf(WanKind kind, const nlohmann::json& transformer, const std::string& where);

}  // namespace reelgrid::families::wan
