#include "core/vae/wan21/vae_checkpoint.h"

#include <utility>

#include "core/base/result.h"
#include "core/vae/wan21/original_names.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::vae::wan21 {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";
/// In every checkpoint with Wan's own names, and in no other.
constexpr const char* kOriginalFirstConv = "decoder.conv1.weight";

bool isThere(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// Where the VAE itself is: in a whole model's folder its vae/.
fs::path ownPath(const fs::path& path) {
    std::error_code failed;
    if (!isThere(path)) throw Failure(ErrorCode::NotFound, path.string() + ": no such file or folder");
    if (fs::is_directory(path, failed)) return isThere(path / kConfigFile) ? path : path / "vae";
    if (path.extension() != ".safetensors")
        throw Failure(ErrorCode::Unsupported, path.string() + ": a folder or a .safetensors file was needed");
    return path;
}

}  // namespace

VaeCheckpoint openCheckpoint(const fs::path& path) {
    VaeCheckpoint checkpoint;
    checkpoint.path = ownPath(path);
    std::error_code failed;
    const bool isFolder = fs::is_directory(checkpoint.path, failed);
    const fs::path folder = isFolder ? checkpoint.path : checkpoint.path.parent_path();
    checkpoint.config = isFolder || isThere(folder / kConfigFile)
                            ? WanVaeConfig::from(weights::ModelConfig::read(folder))
                            : WanVaeConfig::official();
    auto weights = std::make_unique<weights::SafetensorsFolder>(checkpoint.path);
    for (const fs::path& file : weights->files()) checkpoint.bytes += fs::file_size(file, failed);
    if (weights->has(kOriginalFirstConv))
        checkpoint.weights = std::make_unique<OriginalNames>(std::move(weights), checkpoint.config);
    else
        checkpoint.weights = std::move(weights);
    return checkpoint;
}

}  // namespace reelgrid::vae::wan21
