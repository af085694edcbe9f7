#include "core/vae/cogvideox/cogvideox_vae_files.h"

#include <utility>

#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::vae::cogvideox {

VaeFiles openFiles(const std::filesystem::path& folder) {
    weights::WeightFile stored = weights::openWeights(folder);
    const auto config = CogVideoXVaeConfig::from(weights::ModelConfig::read(folder));
    VaeFiles files;
    files.path = folder;
    files.bytes = stored.fileBytes();
    const std::shared_ptr<weights::WeightSource> weights = std::move(stored.weights);
    files.load = [weights, config](const VaeComputing& computing,
                                   VaeParts parts) -> std::unique_ptr<VideoVae> {
        return std::make_unique<CogVideoXVae>(
            weights::WeightScope(*weights, computing.dtype, computing.device), config,
            CogVideoXVaeOptions{.parts = parts});
    };
    files.describe = [config](const VaeComputing& computing, VaeParts parts) -> std::unique_ptr<VideoVae> {
        return CogVideoXVae::described(config, computing, parts);
    };
    return files;
}

}  // namespace reelgrid::vae::cogvideox
