#include "core/models/svd/checkpoint.h"

#include <utility>

#include "core/models/svd/names.h"

namespace reelgrid::models::svd {
namespace {

namespace fs = std::filesystem;

/// Whether the component is in one file with all the others.
bool isInFile(const families::ModelIndex& index, const fs::path& component) {
    return component == index.folder();
}

std::int64_t listed(const weights::ModelConfig& config) {
    return static_cast<std::int64_t>(config.integers("block_out_channels").size());
}

}  // namespace

weights::ModelConfig configOf(const families::ModelIndex& index, const std::string& component,
                              const std::string& fileName) {
    const fs::path path = index.pathOf(component);
    const std::string where =
        path.empty() || isInFile(index, path) ? index.folder().string() : (path / fileName).string();
    return {index.config(component, fileName).value(), where};
}

std::unique_ptr<weights::WeightSource> openUnet(const families::ModelIndex& index,
                                                const weights::OpenWeights& open) {
    const fs::path path = index.pathOf("unet");
    auto weights = open(path).weights;
    if (!isInFile(index, path)) return weights;
    const weights::ModelConfig config = configOf(index, "unet");
    return unetInFile(std::move(weights), config.positive("layers_per_block"), listed(config));
}

std::unique_ptr<weights::WeightSource> openVae(const families::ModelIndex& index,
                                               const weights::OpenWeights& open) {
    const fs::path path = index.pathOf("vae");
    auto weights = open(path).weights;
    return isInFile(index, path) ? vaeInFile(std::move(weights), listed(configOf(index, "vae")))
                                 : std::move(weights);
}

std::unique_ptr<weights::WeightSource> openImageEncoder(const families::ModelIndex& index,
                                                        const weights::OpenWeights& open) {
    const fs::path path = index.pathOf("image_encoder");
    auto weights = open(path).weights;
    return isInFile(index, path) ? imageEncoderInFile(std::move(weights)) : std::move(weights);
}

}  // namespace reelgrid::models::svd
