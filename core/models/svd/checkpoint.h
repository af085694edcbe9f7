#pragma once

#include <memory>

#include "core/families/model_index.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::models::svd {

/// Whether the component is in one file with all the others.
bool isInFile(const families::ModelIndex& index, const std::string& component);

/// A component's configuration, with the file's name for messages. Throws Failure naming it.
weights::ModelConfig configOf(const families::ModelIndex& index, const std::string& component,
                              const std::string& fileName = "config.json");

/// Parameters of the model's parts by diffusers' and transformers' names, of files that `open` opens. Throws
/// Failure naming the file and what is wrong with it.
std::unique_ptr<weights::WeightSource> openUnet(const families::ModelIndex& index,
                                                const weights::OpenWeights& open = weights::openWeights);
std::unique_ptr<weights::WeightSource> openVae(const families::ModelIndex& index,
                                               const weights::OpenWeights& open = weights::openWeights);
std::unique_ptr<weights::WeightSource> openImageEncoder(
    const families::ModelIndex& index, const weights::OpenWeights& open = weights::openWeights);

}  // namespace reelgrid::models::svd
