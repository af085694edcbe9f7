#include "core/weights/numbered_layers.h"

#include "core/base/result.h"

namespace reelgrid::weights {

std::int64_t layersWithAny(std::initializer_list<const char*> names,
                           const std::function<bool(std::int64_t, const std::string&)>& has) {
    constexpr std::int64_t kMostLayers = 256;
    for (std::int64_t layers = kMostLayers; layers > 0; --layers)
        for (const char* name : names)
            if (has(layers - 1, name)) return layers;
    return 0;
}

void requireAllLayers(const std::string& where, const PublishedDepth& found,
                      std::initializer_list<PublishedDepth> published) {
    for (const PublishedDepth& whole : published)
        if (found.channels == whole.channels && found.layers < whole.layers)
            throw Failure(ErrorCode::InvalidData, where + ": it has " + std::to_string(found.layers) +
                                                      " layers of " + std::to_string(found.channels) +
                                                      " channels, " + std::to_string(whole.layers) +
                                                      " were needed");
}

}  // namespace reelgrid::weights
