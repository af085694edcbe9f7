#include "core/pt/pickle_objects.h"

#include <array>

#include "core/base/result.h"
#include "core/pt/element_names.h"
#include "core/pt/refuse.h"
#include "core/pt/tensor_check.h"

namespace reelgrid::pt {
namespace {

struct NamedCallable {
    const char* module;
    const char* name;
    Callable callable;
};
constexpr std::array kCallables{
    NamedCallable{"collections", "OrderedDict", Callable::OrderedDict},
    NamedCallable{"torch", "Size", Callable::Size},
    NamedCallable{"torch._utils", "_rebuild_tensor_v2", Callable::RebuildTensor2},
    NamedCallable{"torch._utils", "_rebuild_tensor_v3", Callable::RebuildTensor3},
    NamedCallable{"torch._utils", "_rebuild_parameter", Callable::RebuildParameter},
};

/// A call's arguments, each by its place.
class Arguments {
  public:
    Arguments(const TupleObject& tuple, const PickleObjects& objects, std::string call)
        : m_tuple(tuple), m_objects(objects), m_call(std::move(call)) {}

    [[nodiscard]] const PickleObject& object(std::size_t place) const {
        if (place >= m_tuple.items.size())
            refuse(m_call + " has " + std::to_string(m_tuple.items.size()) + " arguments, at least " +
                   std::to_string(place + 1) + " were needed");
        return m_objects[m_tuple.items[place]];
    }
    template <class T>
    [[nodiscard]] const T& of(std::size_t place, const char* needed) const {
        const auto* found = std::get_if<T>(&object(place));
        if (found == nullptr) wrong(place, needed);
        return *found;
    }
    /// Null where there are fewer.
    [[nodiscard]] const PickleObject* find(std::size_t place) const {
        return place < m_tuple.items.size() ? &m_objects[m_tuple.items[place]] : nullptr;
    }
    [[nodiscard]] std::int64_t integer(std::size_t place) const {
        const auto* found = of<Value>(place, "a whole number").as<std::int64_t>();
        if (found == nullptr) wrong(place, "a whole number");
        return *found;
    }
    [[nodiscard]] std::vector<std::int64_t> integers(std::size_t place) const {
        // Sizes may also be a torch.Size.
        if (const auto* value = std::get_if<Value>(&object(place)))
            if (const auto* size = value->as<Size>()) return size->sizes;
        std::vector<std::int64_t> numbers;
        for (const ObjectId item : of<TupleObject>(place, "a tuple").items) {
            const auto* value = std::get_if<Value>(&m_objects[item]);
            const auto* number = value == nullptr ? nullptr : value->as<std::int64_t>();
            if (number == nullptr) wrong(place, "a tuple of whole numbers");
            numbers.push_back(*number);
        }
        return numbers;
    }

  private:
    [[noreturn]] void wrong(std::size_t place, const char* needed) const {
        refuse("argument " + std::to_string(place + 1) + " of " + m_call + " is not " + needed);
    }

    const TupleObject& m_tuple;
    const PickleObjects& m_objects;
    std::string m_call;
};

/// What a tensor's metadata say, "neg"; empty where there are none. torch.save writes them of tensors whose
/// numbers are to be negated or conjugated when they are read.
std::string metadataIn(const PickleObject* object, const PickleObjects& objects) {
    if (object == nullptr) return {};
    const auto* plain = std::get_if<Value>(object);
    if (plain != nullptr && plain->as<std::monostate>() != nullptr) return {};
    const auto* dict = std::get_if<DictObject>(object);
    if (dict == nullptr) return "something else than a dict";
    std::string names;
    for (std::size_t i = 0; i + 1 < dict->keysAndValues.size(); i += 2) {
        const auto* key = std::get_if<Value>(&objects[dict->keysAndValues[i]]);
        const auto* name = key == nullptr ? nullptr : key->as<std::string>();
        names += (names.empty() ? "" : ", ") +
                 (name == nullptr ? std::string("a key without a name") : safetensors::quotedName(*name));
    }
    return names;
}

/// `metadataAt`: the place of the argument.
PickleObject tensorFrom(const Arguments& arguments, const StorageReference& reference, ElementType type,
                        std::size_t metadataAt, const PickleObjects& objects) {
    if (reference.otherType)
        return RefusedTensor{"its storage " + shownName(reference.key) + " has " +
                             elementNameOf(reference.type).dtype + " for it and " +
                             elementNameOf(*reference.otherType).dtype +
                             " for another one, one type was needed"};
    if (const std::string metadata = metadataIn(arguments.find(metadataAt), objects); !metadata.empty())
        return RefusedTensor{"it has metadata (" + metadata +
                             ") by which it has other values than are stored, one without was needed"};
    Tensor tensor{.storage = reference.storage,
                  .type = type,
                  .offset = arguments.integer(1),
                  .sizes = arguments.integers(2),
                  .strides = arguments.integers(3)};
    const auto bytes = std::uint64_t(reference.elements) * safetensors::bytesOf(reference.type);
    checkWithin(tensor, std::int64_t(bytes / safetensors::bytesOf(type)));
    return PickleObject(Value(std::move(tensor)));
}

/// Empty, to be filled later; or of a list of pairs, as Python 2 wrote it.
DictObject orderedDict(const TupleObject& tuple, const PickleObjects& objects) {
    constexpr const char* kNeeded = "an OrderedDict that is made of other things than a list of pairs";
    if (tuple.items.empty()) return {};
    const auto* list = std::get_if<ListObject>(&objects[tuple.items.front()]);
    if (list == nullptr || tuple.items.size() != 1) refuse(kNeeded);
    DictObject dict;
    for (const ObjectId item : list->items) {
        const auto* asList = std::get_if<ListObject>(&objects[item]);
        const auto* asTuple = std::get_if<TupleObject>(&objects[item]);
        if (asList == nullptr && asTuple == nullptr) refuse(kNeeded);
        const std::vector<ObjectId>& pair = asList != nullptr ? asList->items : asTuple->items;
        if (pair.size() != 2) refuse(kNeeded);
        dict.keysAndValues.insert(dict.keysAndValues.end(), pair.begin(), pair.end());
    }
    return dict;
}

}  // namespace

PickleObject globalNamed(const std::string& module, const std::string& name) {
    for (const NamedCallable& known : kCallables)
        if (module == known.module && name == known.name) return known.callable;
    if (module == "torch.storage" && name == "UntypedStorage") return StorageClass{};
    if (module == "torch")
        for (const ElementName& known : kElementNames) {
            if (name == known.dtype) return Value(known.type);
            if (known.storageClass != nullptr && name == known.storageClass) return StorageClass{known.type};
        }
    refuse("it asks for " + shownName(module + "." + name) +
           ", which is not data: tensors, numbers, texts, lists and dicts were needed");
}

PickleObject called(Callable callable, const TupleObject& tuple, const PickleObjects& objects) {
    switch (callable) {
        case Callable::OrderedDict:
            return orderedDict(tuple, objects);
        case Callable::Size:
            return Value(Size{Arguments(tuple, objects, "torch.Size").integers(0)});
        case Callable::RebuildParameter:
            return Arguments(tuple, objects, "_rebuild_parameter").object(0);
        case Callable::RebuildTensor2: {
            const Arguments arguments(tuple, objects, "_rebuild_tensor_v2");
            const auto& storage = arguments.of<StorageReference>(0, "a storage");
            return tensorFrom(arguments, storage, storage.type, 6, objects);
        }
        case Callable::RebuildTensor3: {
            const Arguments arguments(tuple, objects, "_rebuild_tensor_v3");
            const auto& storage = arguments.of<StorageReference>(0, "a storage");
            const auto* type = arguments.of<Value>(6, "a dtype").as<ElementType>();
            if (type == nullptr) refuse("argument 7 of _rebuild_tensor_v3 is not a dtype");
            return tensorFrom(arguments, storage, *type, 7, objects);
        }
    }
    refuse("an unknown call");
}

}  // namespace reelgrid::pt
