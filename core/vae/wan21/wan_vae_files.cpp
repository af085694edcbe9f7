#include "core/vae/wan21/wan_vae_files.h"

#include <utility>

#include "core/vae/wan21/wan_vae.h"

namespace reelgrid::vae::wan21 {

VaeFiles filesOf(VaeCheckpoint checkpoint) {
    const auto shared = std::make_shared<const VaeCheckpoint>(std::move(checkpoint));
    return {.path = shared->path,
            .bytes = shared->bytes,
            .load = [shared](const VaeComputing& computing, VaeParts parts) -> std::unique_ptr<VideoVae> {
                return std::make_unique<WanVae>(
                    weights::WeightScope(*shared->weights, computing.dtype, computing.device), shared->config,
                    WanVaeOptions{.parts = parts});
            },
            .describe = [shared](const VaeComputing& computing, VaeParts parts) -> std::unique_ptr<VideoVae> {
                return WanVae::described(shared->config, computing, parts);
            }};
}

VaeFiles openFiles(const std::filesystem::path& path) {
    return filesOf(openCheckpoint(path));
}

}  // namespace reelgrid::vae::wan21
