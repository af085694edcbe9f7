#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::families {

/// A further source of a model beside its base: an adapter, a motion module.
struct ModelPart {
    std::string component;       ///< that it is of the model: "motion_adapter"
    std::filesystem::path path;  ///< folder or file

    bool operator==(const ModelPart&) const = default;
};

/// Where a model's files come from.
struct ModelSource {
    std::filesystem::path base;      ///< diffusers' folder, or what a LayoutReader recognises
    std::vector<ModelPart> parts{};  ///< each one component, in the place of the base's own if that has it

    /// Where a component comes from that isn't the base's; empty: from the base.
    [[nodiscard]] std::filesystem::path partOf(std::string_view component) const {
        for (const ModelPart& part : parts)
            if (part.component == component) return part.path;
        return {};
    }

    bool operator==(const ModelSource&) const = default;
};

}  // namespace reelgrid::families
