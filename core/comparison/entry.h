#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comparison/backend_color.h"
#include "core/comparison/caption.h"
#include "core/result/clip_result.h"

namespace reelgrid::comparison {

/// One clip of a comparison, and what is known of it.
struct Entry {
    Caption caption;
    std::filesystem::path clip;
    std::optional<Error> error;  ///< why there is no clip
    result::ClipResult result;
};

/// The clip that the others are measured against; null when there is none.
const Entry* referenceOf(const std::vector<Entry>& entries);

/// Of the clips that are there.
std::vector<const result::Manifest*> manifestsOf(const std::vector<Entry>& entries);

/// One for each, told from the others' where the clip is no backend's.
std::vector<Rgb> colorsOf(const std::vector<Entry>& entries);

/// Puts what is to be rendered with the reference backend first: the others' drift is measured against its
/// frames while they are at hand. `typeOf` gives an item's attention type.
template <class Range, class TypeOf = std::identity>
void putReferenceFirst(Range& items, TypeOf typeOf = {}) {
    std::ranges::stable_partition(
        items, [&](const auto& item) { return std::invoke(typeOf, item) == protocol::kReferenceBackend; });
}

}  // namespace reelgrid::comparison
