#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/pt/value.h"

namespace reelgrid::pt {

/// The storage that torch.save wrote under a key, of which so many bytes are needed. Throws
/// Failure(InvalidData).
using StorageByKey =
    std::function<std::shared_ptr<const Storage>(const std::string& key, std::uint64_t bytes)>;

/// The value in a pickle as torch.save writes it. A whitelist of names is recognised and nothing is ever
/// run; depth, size and every tensor's extent are checked before they are relied on. Throws
/// Failure(InvalidData) that says what is wrong, without a file's name. `taken`: how many bytes the pickle
/// was of those given.
Value unpickled(std::string_view pickle, const StorageByKey& storages, std::size_t* taken = nullptr);

}  // namespace reelgrid::pt
