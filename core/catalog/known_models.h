#pragma once

#include <span>
#include <string_view>

namespace reelgrid::catalog {

/// A model of the hub that this version runs as it is published.
struct KnownModel {
    std::string_view id;     ///< as --model and `models download` take it
    std::string_view title;  ///< for people
};

/// In the order in which they are listed; whether they are on this machine is listModels()'s to say.
std::span<const KnownModel> knownModels();

}  // namespace reelgrid::catalog
