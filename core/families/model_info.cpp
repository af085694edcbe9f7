#include "core/families/model_info.h"

#include <algorithm>

namespace reelgrid::families {
namespace {

std::string fromTo(int low, int high) {
    return " from " + std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

std::string SizeRule::words() const {
    return "a multiple of " + std::to_string(sizeMultiple) + fromTo(sizeMultiple, maxSize);
}

std::string FrameRule::words() const {
    if (stride == 1) return "a number" + fromTo(first, most);
    return std::to_string(stride) + "·k + " + std::to_string(first) + fromTo(first, most);
}

std::uint64_t ModelInfo::bytes() const {
    std::uint64_t sum = 0;
    for (auto component = components.begin(); component != components.end(); ++component) {
        // A file that holds several components counts once.
        const bool isCounted =
            std::ranges::any_of(components.begin(), component, [&](const ComponentInfo& earlier) {
                return !earlier.files.empty() && earlier.files == component->files;
            });
        if (!isCounted) sum += component->bytes;
    }
    return sum;
}

const Task* ModelInfo::task(const std::string& name) const {
    const auto found = std::ranges::find(tasks, name, &Task::name);
    return found == tasks.end() ? nullptr : &*found;
}

std::vector<const ComponentInfo*> ModelInfo::componentsElsewhere() const {
    std::vector<const ComponentInfo*> elsewhere;
    for (const ComponentInfo& component : components) {
        const auto within = std::ranges::mismatch(folder, component.path).in1 == folder.end();
        if (!component.path.empty() && !within) elsewhere.push_back(&component);
    }
    return elsewhere;
}

bool ModelInfo::takes(std::string_view field) const {
    return std::ranges::find(extraFields, field) != extraFields.end();
}

RenderDefaults ModelInfo::defaultsWith(const std::optional<std::string>& scheduler) const {
    RenderDefaults with = defaults;
    if (!scheduler || !scheduler->starts_with("rcm")) return with;
    with.guidanceScale = 1;
    with.guidanceScale2.reset();
    return with;
}

std::vector<std::string> ModelInfo::taskNames() const {
    std::vector<std::string> names;
    for (const Task& one : tasks) names.push_back(one.name);
    return names;
}

}  // namespace reelgrid::families
