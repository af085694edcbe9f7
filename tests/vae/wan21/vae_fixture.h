#pragma once

#include "core/vae/wan21/wan_vae.h"
#include "tests/vae/clips.h"
#include "tests/vae/fixture_tensors.h"

namespace reelgrid::vae::wan21 {

inline WanVaeConfig fixtureConfig(const std::string& name) {
    return WanVaeConfig::from(weights::ModelConfig::read(fixtureFolder(), name + ".json"));
}

inline WanVae fixtureVae(const std::string& name, WanVaeOptions options = {},
                         at::ScalarType dtype = at::kFloat) {
    TensorMap source(readTensors(name + ".safetensors"));
    return {weights::WeightScope(source, dtype), fixtureConfig(name), options};
}

}  // namespace reelgrid::vae::wan21
