#include <cstddef>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/pt/pickle_objects.h"
#include "core/safetensors/header.h"

namespace reelgrid::pt {
namespace {

/// Deeper than any file that is meant; keeps recursion off the end of the stack.
constexpr int kMaxDepth = 64;
/// Lists that hold one list many times grow when they are followed. About 200 MB.
constexpr std::size_t kMaxCost = std::size_t{1} << 21;
constexpr std::size_t kBytesLikeAnItem = 100;

class Follower {
  public:
    explicit Follower(const PickleObjects& objects) : m_objects(objects) {}

    Value value(ObjectId id, int depth) {
        if (depth > kMaxDepth)
            throw Failure(ErrorCode::InvalidData, "it is nested deeper than " + std::to_string(kMaxDepth));
        const PickleObject& object = m_objects[id];
        if (const auto* plain = std::get_if<Value>(&object)) {
            pay(costOf(*plain));
            return *plain;
        }
        pay(1);
        if (const auto* list = std::get_if<ListObject>(&object)) return List{values(list->items, depth)};
        if (const auto* tuple = std::get_if<TupleObject>(&object)) return Tuple{values(tuple->items, depth)};
        if (const auto* dict = std::get_if<DictObject>(&object)) {
            Dict whole;
            for (std::size_t i = 0; i + 1 < dict->keysAndValues.size(); i += 2) {
                Value key = value(dict->keysAndValues[i], depth + 1);
                if (const auto* name = key.as<std::string>()) m_name = *name;
                whole.entries.push_back({std::move(key), value(dict->keysAndValues[i + 1], depth + 1)});
            }
            return whole;
        }
        if (const auto* refused = std::get_if<RefusedTensor>(&object))
            throw Failure(ErrorCode::InvalidData,
                          "tensor " + safetensors::quotedName(m_name) + ": " + refused->why);
        throw Failure(ErrorCode::InvalidData,
                      "it holds a class or a storage: tensors, numbers, texts, lists and dicts were needed");
    }

  private:
    std::vector<Value> values(const std::vector<ObjectId>& items, int depth) {
        std::vector<Value> all;
        for (const ObjectId item : items) all.push_back(value(item, depth + 1));
        return all;
    }
    static std::size_t costOf(const Value& plain) {
        std::size_t bytes = 0;
        if (const auto* text = plain.as<std::string>()) bytes = text->size();
        if (const auto* size = plain.as<Size>()) bytes = size->sizes.size() * sizeof(std::int64_t);
        if (const auto* tensor = plain.as<Tensor>()) bytes = 2 * tensor->sizes.size() * sizeof(std::int64_t);
        return 1 + bytes / kBytesLikeAnItem;
    }
    void pay(std::size_t cost) {
        m_cost += cost;
        if (m_cost > kMaxCost)
            throw Failure(ErrorCode::InvalidData, "it holds more than " + std::to_string(kMaxCost) +
                                                      " items, counting shared ones "
                                                      "wherever they are");
    }

    const PickleObjects& m_objects;
    std::size_t m_cost = 0;
    std::string m_name;  ///< the last key that was a text
};

}  // namespace

Value wholeValue(ObjectId root, const PickleObjects& objects) {
    return Follower(objects).value(root, 0);
}

}  // namespace reelgrid::pt
