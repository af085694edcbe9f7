#include "core/vae/wan21/vae_checkpoint.h"

#include <utility>

#include "core/base/result.h"
#include "core/vae/wan21/original_names.h"
#include "core/weights/pt_weights.h"
#include "core/weights/renamed_weights.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::vae::wan21 {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";
/// The VAE in the folder of a model as Wan's authors publish it.
constexpr const char* kOriginalFile = "Wan2.1_VAE.pth";
/// In every checkpoint with Wan's own names, and in no other.
constexpr const char* kOriginalFirstConv = "decoder.conv1.weight";

bool isThere(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// Where the VAE itself is: in a whole model's folder its vae/, or the file of Wan's authors.
fs::path ownPath(const fs::path& path) {
    std::error_code failed;
    if (!isThere(path)) throw Failure(ErrorCode::NotFound, path.string() + ": no such file or folder");
    if (!fs::is_directory(path, failed)) return path;
    if (isThere(path / kConfigFile) && !isThere(path / kOriginalFile)) return path;
    return isThere(path / kOriginalFile) ? path / kOriginalFile : path / "vae";
}

/// A single file has the configuration beside it, if that is a VAE's own folder, else Wan 2.1's.
WanVaeConfig configOf(const fs::path& path) {
    std::error_code failed;
    const bool isFolder = fs::is_directory(path, failed);
    const fs::path folder = isFolder ? path : path.parent_path();
    const bool hasConfig = path.filename() != kOriginalFile && isThere(folder / kConfigFile);
    return isFolder || hasConfig ? WanVaeConfig::from(weights::ModelConfig::read(folder))
                                 : WanVaeConfig::official();
}

/// The tensors by the names that the file has.
void openWeights(VaeCheckpoint& checkpoint) {
    std::error_code failed;
    const fs::path& path = checkpoint.path;
    if (path.extension() == ".pth" || path.extension() == ".pt") {
        checkpoint.weights = std::make_unique<weights::PtWeights>(path);
        checkpoint.bytes = fs::file_size(path, failed);
        return;
    }
    if (!fs::is_directory(path, failed) && path.extension() != ".safetensors")
        throw Failure(ErrorCode::Unsupported,
                      path.string() + ": a folder, a .safetensors or a .pth file was needed");
    auto weights = std::make_unique<weights::SafetensorsFolder>(path);
    for (const fs::path& file : weights->files()) checkpoint.bytes += fs::file_size(file, failed);
    checkpoint.weights = std::move(weights);
}

}  // namespace

VaeCheckpoint openCheckpoint(const fs::path& path) {
    VaeCheckpoint checkpoint;
    checkpoint.path = ownPath(path);
    checkpoint.config = configOf(checkpoint.path);
    openWeights(checkpoint);
    if (checkpoint.weights->has(kOriginalFirstConv))
        checkpoint.weights = std::make_unique<weights::RenamedWeights>(
            std::move(checkpoint.weights),
            [config = checkpoint.config](const std::string& name) { return originalName(name, config); });
    return checkpoint;
}

}  // namespace reelgrid::vae::wan21
