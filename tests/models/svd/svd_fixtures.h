#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::svd {

inline const std::filesystem::path kSvdFixtures =
    std::filesystem::path(REELGRID_SOURCE_DIR) / "tests/fixtures/svd";

inline weights::ModelConfig svdConfig(const std::string& name) {
    return weights::ModelConfig::read(kSvdFixtures, name + ".json");
}

/// What was recorded in a file.
class Recorded {
  public:
    explicit Recorded(const std::string& name) : m_file(kSvdFixtures / (name + ".safetensors")) {}
    at::Tensor operator()(const std::string& name) { return m_file.require(name, *m_file.shapeOf(name)); }

  private:
    weights::SafetensorsFolder m_file;
};

/// Largest difference over the reference's largest value.
inline double errorAgainst(const at::Tensor& made, const at::Tensor& reference) {
    if (made.sizes() != reference.sizes() || !made.isfinite().all().item<bool>()) return 1e30;
    return ((made.to(at::kFloat) - reference).abs().max() / reference.abs().max()).item<double>();
}

using Parameters = std::map<std::string, std::vector<std::int64_t>>;

/// Configuration and parameters of a part as it is published.
struct OfficialPart {
    explicit OfficialPart(const std::string& name)
        : json(nlohmann::json::parse(std::ifstream(kSvdFixtures / "official_parameters.json")).at(name)),
          config(json.at("config"), name),
          parameters(json.at("parameters").get<Parameters>()) {}

    nlohmann::json json;
    weights::ModelConfig config;
    Parameters parameters;
};

}  // namespace reelgrid::models::svd
