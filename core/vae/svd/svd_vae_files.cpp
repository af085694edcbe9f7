#include "core/vae/svd/svd_vae_files.h"

#include <utility>

#include "core/vae/svd/svd_vae.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::vae::svd {

VaeFiles openFiles(const std::filesystem::path& folder) {
    weights::WeightFile stored = weights::openWeights(folder);
    const auto config = SvdVaeConfig::from(weights::ModelConfig::read(folder));
    VaeFiles files;
    files.path = folder;
    files.bytes = stored.fileBytes();
    const std::shared_ptr<weights::WeightSource> weights = std::move(stored.weights);
    files.load = [weights, config](const VaeComputing& computing,
                                   VaeParts parts) -> std::unique_ptr<VideoVae> {
        return std::make_unique<SvdVae>(weights::WeightScope(*weights, computing.dtype, computing.device),
                                        config, SvdVaeOptions{.parts = parts});
    };
    files.describe = [config](const VaeComputing& computing, VaeParts parts) -> std::unique_ptr<VideoVae> {
        return SvdVae::described(config, computing, parts);
    };
    return files;
}

}  // namespace reelgrid::vae::svd
