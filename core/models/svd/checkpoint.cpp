#include "core/models/svd/checkpoint.h"

#include <utility>

#include "core/models/svd/names.h"

namespace reelgrid::models::svd {
namespace {

namespace fs = std::filesystem;

std::int64_t listed(const weights::ModelConfig& config) {
    return static_cast<std::int64_t>(config.integers("block_out_channels").size());
}

}  // namespace

bool isInFile(const families::ModelIndex& index, const std::string& component) {
    return index.pathOf(component) == index.folder();
}

weights::ModelConfig configOf(const families::ModelIndex& index, const std::string& component,
                              const std::string& fileName) {
    const fs::path path = index.pathOf(component);
    const std::string where =
        path.empty() || isInFile(index, component) ? index.folder().string() : (path / fileName).string();
    return {index.config(component, fileName).value(), where};
}

std::unique_ptr<weights::WeightSource> openUnet(const families::ModelIndex& index,
                                                const weights::OpenWeights& open) {
    auto weights = open(index.pathOf("unet")).weights;
    if (!isInFile(index, "unet")) return weights;
    const weights::ModelConfig config = configOf(index, "unet");
    return unetInFile(std::move(weights), config.positive("layers_per_block"), listed(config));
}

std::unique_ptr<weights::WeightSource> openVae(const families::ModelIndex& index,
                                               const weights::OpenWeights& open) {
    auto weights = open(index.pathOf("vae")).weights;
    return isInFile(index, "vae") ? vaeInFile(std::move(weights), listed(configOf(index, "vae")))
                                  : std::move(weights);
}

std::unique_ptr<weights::WeightSource> openImageEncoder(const families::ModelIndex& index,
                                                        const weights::OpenWeights& open) {
    auto weights = open(index.pathOf("image_encoder")).weights;
    return isInFile(index, "image_encoder") ? imageEncoderInFile(std::move(weights)) : std::move(weights);
}

}  // namespace reelgrid::models::svd
