#include "core/pt/value.h"

#include <utility>

namespace reelgrid::pt {

std::int64_t Tensor::elements() const {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size;
    return count;
}

const Value* Dict::find(std::string_view key) const {
    // Of entries with one key Python keeps the last.
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
        if (const auto* text = entry->key.as<std::string>(); text != nullptr && *text == key)
            return &entry->value;
    return nullptr;
}

void Dict::add(std::string key, Value value) {
    entries.push_back({Value(std::move(key)), std::move(value)});
}

}  // namespace reelgrid::pt
