#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/pt/value.h"

namespace reelgrid::pt {

/// Callables that a pickle may name: what torch.save writes of tensors and plain data. They are only ever
/// recognised, never run.
enum class Callable { OrderedDict, Size, RebuildTensor2, RebuildTensor3, RebuildParameter };

/// A class of storages; the untyped one counts bytes.
struct StorageClass {
    ElementType type = ElementType::U8;
};

/// What a persistent id stands for.
struct StorageReference {
    std::shared_ptr<const Storage> storage;
    ElementType type = ElementType::U8;
    std::int64_t elements = 0;
    std::string key{};
    std::optional<ElementType> otherType{};  ///< what an earlier reference says that it holds
};

/// A tensor that is another one than it looks like. It is refused where it has a name: wholeValue().
struct RefusedTensor {
    std::string why;
};

/// Containers hold their items by number, so that those which are shared, or hold themselves, cost nothing
/// until somebody follows them.
using ObjectId = std::uint32_t;
struct ListObject {
    std::vector<ObjectId> items;
};
struct TupleObject {
    std::vector<ObjectId> items;
};
struct DictObject {
    std::vector<ObjectId> keysAndValues;
};

/// Whatever may be on the unpickler's stack.
using PickleObject = std::variant<Value, ListObject, TupleObject, DictObject, Callable, StorageClass,
                                  StorageReference, RefusedTensor>;
using PickleObjects = std::vector<PickleObject>;

/// A callable, class or dtype by module and name. Throws Failure(InvalidData) for anything but the few that
/// are data.
PickleObject globalNamed(const std::string& module, const std::string& name);

/// What `callable` makes of a tuple of arguments. Throws Failure(InvalidData).
PickleObject called(Callable callable, const TupleObject& arguments, const PickleObjects& objects);

/// The object with everything that it holds. Throws Failure(InvalidData) when it is nested too deep (or
/// without end), too large, or not data, or when it has a RefusedTensor, which is named.
Value wholeValue(ObjectId root, const PickleObjects& objects);

}  // namespace reelgrid::pt
