#include "core/vae/vae_files.h"

#include <array>

#include "core/vae/cogvideox/cogvideox_vae_files.h"
#include "core/vae/image/image_vae_files.h"
#include "core/vae/svd/svd_vae_files.h"
#include "core/vae/wan21/wan_vae_files.h"
#include "core/weights/model_config.h"

namespace reelgrid::vae {
namespace {

namespace fs = std::filesystem;

struct Kind {
    /// _class_name of its config.json.
    const char* className;
    VaeFiles (*open)(const fs::path& folder);
};

/// One line a kind of autoencoder that is known by its folder's configuration.
constexpr std::array kKinds{
    Kind{"AutoencoderKLCogVideoX", cogvideox::openFiles},
    Kind{"AutoencoderKL", image::openFiles},
    Kind{"AutoencoderKLTemporalDecoder", svd::openFiles},
};

std::string classIn(const fs::path& folder) {
    std::error_code failed;
    if (!fs::is_regular_file(folder / "config.json", failed)) return {};
    return weights::ModelConfig::read(folder).textOr("_class_name", "");
}

}  // namespace

VaeFiles openVae(const fs::path& path) {
    for (const fs::path& folder : {path, path / "vae"}) {
        const std::string found = classIn(folder);
        for (const Kind& kind : kKinds)
            if (found == kind.className) return kind.open(folder);
    }
    // Wan's come in other forms, too.
    return wan21::openFiles(path);
}

}  // namespace reelgrid::vae
