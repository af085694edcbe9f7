#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

namespace reelgrid::weights {

/// Of a file that says by its tensors alone how many layers its model has: the number up to the last layer
/// that has any of `names`. A layer that lacks some of them counts, so that loading it names what is missing.
/// `has` says whether layer N has its tensor of that name; the first 256 are looked at.
std::int64_t layersWithAny(std::initializer_list<const char*> names,
                           const std::function<bool(std::int64_t, const std::string&)>& has);

/// A published model's size.
struct PublishedDepth {
    std::int64_t channels, layers;
};

/// Of such a file `where`: throws Failure(InvalidData) if it has fewer layers than the published model of its
/// width, as one that lost its last layers has. Other widths may have any number.
void requireAllLayers(const std::string& where, const PublishedDepth& found,
                      std::initializer_list<PublishedDepth> published);

}  // namespace reelgrid::weights
