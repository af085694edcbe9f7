#include "core/vae/wan21/vae_checkpoint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/link_check.h"
#include "core/base/result.h"
#include "core/vae/wan21/original_names.h"
#include "core/weights/renamed_weights.h"

namespace reelgrid::vae::wan21 {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";
/// The VAE in the folder of a model as Wan's authors publish it.
constexpr std::array kOriginalFiles{"Wan2.1_VAE.pth", "Wan2.2_VAE.pth"};
/// In every checkpoint with Wan's own names, and in no other.
constexpr const char* kOriginalFirstConv = "decoder.conv1.weight";
/// Of these only in Wan 2.2's, whose levels have shortcuts.
constexpr const char* kOriginalLevel = "decoder.upsamples.0.upsamples.0.residual.0.gamma";

bool isThere(const fs::path& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

/// The file of Wan's authors in a folder; empty where there is none.
fs::path originalIn(const fs::path& folder) {
    for (const char* name : kOriginalFiles) {
        if (auto fault = faultOfLink(folder / name)) throw Failure(*std::move(fault));
        if (isThere(folder / name)) return folder / name;
    }
    return {};
}

/// Where the VAE itself is: in a whole model's folder its vae/, or the file of Wan's authors.
fs::path ownPath(const fs::path& path) {
    std::error_code failed;
    if (auto fault = faultOfLink(path)) throw Failure(*std::move(fault));
    if (!isThere(path)) throw Failure(ErrorCode::NotFound, path.string() + ": no such file or folder");
    if (!fs::is_directory(path, failed)) return path;
    if (const fs::path original = originalIn(path); !original.empty()) return original;
    return isThere(path / kConfigFile) ? path : path / "vae";
}

/// A single file has the configuration beside it, if that is a VAE's own, else that of Wan 2.1 or 2.2, which
/// its names tell.
WanVaeConfig configOf(const fs::path& path, const weights::WeightSource& stored) {
    std::error_code failed;
    const bool isFolder = fs::is_directory(path, failed);
    const fs::path folder = isFolder ? path : path.parent_path();
    if (isFolder) return WanVaeConfig::from(weights::ModelConfig::read(folder));
    if (isThere(folder / kConfigFile)) {
        const auto beside = weights::ModelConfig::read(folder);
        if (beside.textOr("_class_name", "AutoencoderKLWan") == "AutoencoderKLWan")
            return WanVaeConfig::from(beside);
    }
    return stored.has(kOriginalLevel) ? WanVaeConfig::official22() : WanVaeConfig::official();
}

}  // namespace

VaeCheckpoint openCheckpoint(const fs::path& path, const weights::OpenWeights& open) {
    VaeCheckpoint checkpoint;
    checkpoint.path = ownPath(path);
    std::error_code failed;
    const auto extension = checkpoint.path.extension();
    if (!fs::is_directory(checkpoint.path, failed) && extension != ".pth" && extension != ".pt" &&
        extension != ".safetensors")
        throw Failure(ErrorCode::Unsupported,
                      checkpoint.path.string() + ": a folder, a .safetensors or a .pth file was needed");
    weights::WeightFile stored = open(checkpoint.path);
    checkpoint.bytes = stored.fileBytes();
    checkpoint.weights = std::move(stored.weights);
    checkpoint.config = configOf(checkpoint.path, *checkpoint.weights);
    if (checkpoint.weights->has(kOriginalFirstConv))
        checkpoint.weights = std::make_unique<weights::RenamedWeights>(
            std::move(checkpoint.weights),
            [config = checkpoint.config](const std::string& name) { return originalName(name, config); });
    return checkpoint;
}

}  // namespace reelgrid::vae::wan21
