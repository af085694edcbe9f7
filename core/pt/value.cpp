#include "core/pt/value.h"

#include <utility>

namespace reelgrid::pt {

std::int64_t Tensor::elements() const {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) count *= size;
    return count;
}

const Value* Dict::find(std::string_view key) const {
    for (const Entry& entry : entries)
        if (const auto* text = entry.key.as<std::string>(); text != nullptr && *text == key)
            return &entry.value;
    return nullptr;
}

void Dict::add(std::string key, Value value) {
    entries.push_back({Value(std::move(key)), std::move(value)});
}

}  // namespace reelgrid::pt
