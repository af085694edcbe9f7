#include "core/weights/weight_file.h"

#include <utility>

#include "core/pt/state_dict.h"
#include "core/weights/pt_weights.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::weights {
namespace {

template <class Source>
WeightFile opened(const std::filesystem::path& path) {
    auto source = std::make_unique<Source>(path);
    const Source& kept = *source;
    std::vector<std::string> names = kept.names();
    return {std::move(source), [&kept](const std::string& name) { return kept.shapeOf(name); },
            std::move(names)};
}

}  // namespace

WeightFile openWeights(const std::filesystem::path& path) {
    return pt::isPtName(path) ? opened<PtWeights>(path) : opened<SafetensorsFolder>(path);
}

}  // namespace reelgrid::weights
