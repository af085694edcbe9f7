#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/vae/video_vae.h"

namespace reelgrid::vae {

/// An autoencoder of clips on the disk, by itself.
struct VaeFiles {
    std::filesystem::path path;
    std::uint64_t bytes = 0;  ///< of its weight files

    using Make = std::function<std::unique_ptr<VideoVae>(const VaeComputing& computing, VaeParts parts)>;
    /// Throws Failure naming the file and what is wrong with it.
    Make load;
    /// Without weights: its shape, tiles and bytes. Nothing can be encoded or decoded with it; a GPU isn't
    /// started.
    Make describe;
};

/// Opens a VAE of any kind: a diffusers folder of it or of a whole model, or a file in one of the forms that
/// its folder names (core/vae/wan21/vae_checkpoint.h). Throws Failure naming what is missing or wrong.
VaeFiles openVae(const std::filesystem::path& path);

}  // namespace reelgrid::vae
