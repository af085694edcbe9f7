#include "core/vae/cogvideox/cogvideox_vae_files.h"

#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::vae::cogvideox {

VaeFiles openFiles(const std::filesystem::path& folder) {
    const auto weights = std::make_shared<weights::SafetensorsFolder>(folder);
    const auto config = CogVideoXVaeConfig::from(weights::ModelConfig::read(folder));
    VaeFiles files;
    files.path = folder;
    for (const std::filesystem::path& file : weights->files())
        files.bytes += std::filesystem::file_size(file);
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
