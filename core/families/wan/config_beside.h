#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace reelgrid::families::wan {

/// What the config.json beside a file with a transformer says of it. Folders hold several checkpoints beside
/// one config.json, which is then of one of them at most.
struct ConfigBeside {
    nlohmann::json config = nlohmann::json::object();  ///< in diffusers' words; empty where it isn't used
    /// Why there is one that isn't used: it contradicts the tensors, with both values. A line for people.
    std::string passedOver{};
};

/// `shapes`: what the tensors say, in diffusers' words but for the heads, which have so many `channels`
/// together. A config.json of something else than a Wan transformer is none.
ConfigBeside configBeside(const std::filesystem::path& file, const nlohmann::json& shapes,
                          std::int64_t channels);

}  // namespace reelgrid::families::wan
