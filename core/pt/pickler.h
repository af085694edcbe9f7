#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/pt/value.h"

namespace reelgrid::pt {

/// A pickle, and the storages that its tensors look at: the first has the key "0", and so on.
struct Pickled {
    std::string pickle;
    std::vector<std::shared_ptr<const Storage>> storages;
};

/// The value as torch.save pickles it, protocol 2. Tensors that share a storage share it in the file. Throws
/// Failure(Unsupported) for an element type without a class of storages, Failure(InvalidData) for a tensor
/// that leaves its storage.
Pickled pickled(const Value& value);

}  // namespace reelgrid::pt
