#include "core/comparison/entry.h"

namespace reelgrid::comparison {

const Entry* referenceOf(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries)
        if (!entry.error && entry.caption.isReference()) return &entry;
    return nullptr;
}

std::vector<const result::Manifest*> manifestsOf(const std::vector<Entry>& entries) {
    std::vector<const result::Manifest*> manifests;
    for (const Entry& entry : entries)
        if (!entry.error) manifests.push_back(&entry.result.manifest);
    return manifests;
}

std::vector<Rgb> colorsOf(const std::vector<Entry>& entries) {
    std::vector<Rgb> colors;
    for (const Entry& entry : entries) colors.push_back(colorBeside(entry.caption.backend, colors));
    return colors;
}

}  // namespace reelgrid::comparison
