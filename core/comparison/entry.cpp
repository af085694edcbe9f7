#include "core/comparison/entry.h"

namespace reelgrid::comparison {

const Entry* referenceOf(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries)
        if (!entry.error && entry.caption.isReference()) return &entry;
    return nullptr;
}

}  // namespace reelgrid::comparison
