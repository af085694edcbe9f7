#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

namespace reelgrid::weights {

/// Of a file that says by its tensors alone how many layers its model has: the number up to the last layer
/// that has any of `names`. A layer that lacks some of them counts, so that loading it names what is missing.
/// `has` says whether layer N has its tensor of that name; the first 256 are looked at.
inline std::int64_t layersWithAny(std::initializer_list<const char*> names,
                                  const std::function<bool(std::int64_t, const std::string&)>& has) {
    constexpr std::int64_t kMostLayers = 256;
    for (std::int64_t layers = kMostLayers; layers > 0; --layers)
        for (const char* name : names)
            if (has(layers - 1, name)) return layers;
    return 0;
}

}  // namespace reelgrid::weights
