#include "core/weights/weight_file.h"

#include <utility>

#include "core/pt/state_dict.h"
#include "core/weights/pt_weights.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;

template <class Source>
WeightFile opened(const std::filesystem::path& path) {
    auto source = std::make_unique<Source>(path);
    const Source& kept = *source;
    std::vector<std::string> names = kept.names();
    return {std::move(source), [&kept](const std::string& name) { return kept.shapeOf(name); },
            std::move(names), [&kept](const std::string& name) { return kept.typeOf(name); }, kept.files()};
}

}  // namespace

/// A folder's weights as older fine-tunes have them: of torch.save() alone. A link whose target is gone is
/// one of them: whoever opens it says so.
fs::path torchFileOf(const fs::path& path) {
    if (pt::isPtName(path)) return path;
    if (SafetensorsFolder::isOne(path)) return {};
    std::error_code failed;
    for (const char* name : {"diffusion_pytorch_model.bin", "pytorch_model.bin"})
        if (fs::is_regular_file(path / name, failed) ||
            fs::is_symlink(fs::symlink_status(path / name, failed)))
            return path / name;
    return {};
}

std::uint64_t WeightFile::fileBytes() const {
    std::uint64_t bytes = 0;
    for (const fs::path& file : files) bytes += fs::file_size(file);
    return bytes;
}

WeightFile openWeights(const fs::path& path) {
    const fs::path torch = torchFileOf(path);
    return torch.empty() ? opened<SafetensorsFolder>(path) : opened<PtWeights>(torch);
}

}  // namespace reelgrid::weights
