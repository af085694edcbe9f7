#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/safetensors/element_type.h"

namespace reelgrid::pt {

using safetensors::ElementType;

/// The bytes that one or more tensors look at.
struct Storage {
    std::string_view bytes;
    std::shared_ptr<const void> owner;   ///< of the bytes: a mapped file, a tensor of libtorch
    std::optional<std::uint32_t> crc{};  ///< crc32() of them as the file has it; absent: it doesn't say
};

/// A strided view of a storage. One that was read lies within it, and its strides are not negative; it may
/// be misaligned, and a stride of 0 may make it look larger than the storage.
struct Tensor {
    std::shared_ptr<const Storage> storage;
    ElementType type = ElementType::F32;
    std::int64_t offset = 0;  ///< of the first element, in elements
    std::vector<std::int64_t> sizes, strides;

    /// How many elements it looks like.
    [[nodiscard]] std::int64_t elements() const;
};

struct Value;
struct Entry;

struct Size {  ///< torch.Size
    std::vector<std::int64_t> sizes;
};
struct List {
    std::vector<Value> items;
};
struct Tuple {
    std::vector<Value> items;
};
struct Dict {
    std::vector<Entry> entries;  ///< in the order of the file

    /// The last that has this text for its key; null when none has.
    [[nodiscard]] const Value* find(std::string_view key) const;
    void add(std::string key, Value value);
};

/// What a .pt file may hold; std::monostate is Python's None, an ElementType a torch.dtype.
struct Value : std::variant<std::monostate, bool, std::int64_t, double, std::string, ElementType, Size,
                            Tensor, List, Tuple, Dict> {
    using variant::variant;

    /// The alternative, or null.
    template <class T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(static_cast<const variant*>(this));
    }
};

struct Entry {
    Value key, value;
};

}  // namespace reelgrid::pt
