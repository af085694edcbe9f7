#pragma once

#include <span>
#include <string>

#include "core/base/result.h"
#include "core/families/model_index.h"

namespace reelgrid::families {

/// An integer of a model's configurations that has to be from 1 to `most`.
struct ConfigBound {
    const char* key;
    int value;
    int most;
};

/// InvalidData: "<folder>: <key> <value>: <needed> was needed".
Error outOfRange(const ModelIndex& index, const std::string& key, const std::string& value,
                 const std::string& needed);

/// InvalidData where the index names another class of transformers' for a text encoder than that of the
/// pipeline: diffusers loads that class, whatever the encoder's own configuration says, and its sums are
/// others.
Result<void> checkTextEncoder(const ModelIndex& index, const std::string& component,
                              const std::string& className);

/// InvalidData naming the first that is beyond its bound.
Result<void> checkBounds(const ModelIndex& index, std::span<const ConfigBound> bounds);

}  // namespace reelgrid::families
