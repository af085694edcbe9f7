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

fs::path torchFileOf(const fs::path& path) {
    if (pt::isPtName(path)) return path;
    return SafetensorsFolder::isOne(path) ? fs::path() : pt::stateDictIn(path);
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
