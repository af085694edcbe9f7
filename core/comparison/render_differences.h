#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/result/manifest.h"

namespace reelgrid::comparison {

/// A field of a render's settings, or of its manifest ("model.hashes.vae"), in which two differ.
struct FieldDifference {
    std::string field;
    nlohmann::json here, there;  ///< null: it isn't there

    bool operator==(const FieldDifference&) const = default;
};

/// "num_inference_steps 8 here, 4 there"; of hashes the first digits.
std::string textOf(const FieldDifference& difference);

/// What two renders differ in.
struct RenderDifferences {
    /// What is shown, how it is computed, or what figures are measured on: nothing of the two can be
    /// compared.
    std::vector<FieldDifference> picture;
    /// What decides nothing of the picture, but takes time or memory: those can't.
    std::vector<FieldDifference> cost;
};

/// Both manifests must have their settings. What is in `varied`, keys of a request's fields, is left out, and
/// so is what decides neither: where files lie whose contents are the same, which of a machine's devices it
/// was. Devices, machines and versions are not compared here.
RenderDifferences differencesBetween(const result::Manifest& here, const result::Manifest& there,
                                     const std::set<std::string>& varied);

}  // namespace reelgrid::comparison
