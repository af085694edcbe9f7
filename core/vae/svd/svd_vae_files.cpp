#include "core/vae/svd/svd_vae_files.h"

#include "core/vae/svd/svd_vae.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::vae::svd {

VaeFiles openFiles(const std::filesystem::path& folder) {
    const auto weights = std::make_shared<weights::SafetensorsFolder>(folder);
    const auto config = SvdVaeConfig::from(weights::ModelConfig::read(folder));
    VaeFiles files;
    files.path = folder;
    for (const std::filesystem::path& file : weights->files())
        files.bytes += std::filesystem::file_size(file);
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
