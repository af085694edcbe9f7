#include "core/vae/image/image_vae_files.h"

#include <utility>

#include "core/vae/image/image_vae.h"
#include "core/vae/image/names.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::vae::image {

VaeFiles openFiles(const std::filesystem::path& folder) {
    weights::WeightFile stored = weights::openWeights(folder);
    const auto config = ImageVaeConfig::from(weights::ModelConfig::read(folder));
    VaeFiles files;
    files.path = folder;
    files.bytes = stored.fileBytes();
    const std::shared_ptr<weights::WeightSource> weights =
        imageVaeNames(std::move(stored.weights), std::int64_t(config.blockChannels.size()));
    files.load = [weights, config](const VaeComputing& computing,
                                   VaeParts parts) -> std::unique_ptr<VideoVae> {
        return std::make_unique<ImageVae>(weights::WeightScope(*weights, computing.dtype, computing.device),
                                          config, ImageVaeOptions{.parts = parts});
    };
    files.describe = [config](const VaeComputing& computing, VaeParts parts) -> std::unique_ptr<VideoVae> {
        return ImageVae::described(config, computing, parts);
    };
    return files;
}

}  // namespace reelgrid::vae::image
