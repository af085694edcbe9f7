#include "core/catalog/model_parts.h"

#include <filesystem>
#include <optional>
#include <type_traits>

#include "core/hub/hub_access.h"
#include "core/hub/repository.h"

namespace reelgrid::catalog {

namespace fs = std::filesystem;

std::vector<NamedPart> namedParts(const protocol::RenderRequest& request) {
    std::vector<NamedPart> parts;
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        if constexpr (std::is_same_v<decltype(access(request)), const std::optional<std::string>&>) {
            const auto& source = access(request);
            if (field.isModelPart && source) parts.push_back({field.key, optionOf(field), *source});
        }
    });
    return parts;
}

Result<families::ModelPart> findPart(const NamedPart& part) {
    std::error_code failed;
    // A link keeps its name: what a file is called says what it is.
    if (fs::exists(part.source, failed))
        return families::ModelPart{part.component, fs::absolute(part.source).lexically_normal()};
    const fs::path cache = hub::HubAccess::fromEnvironment().cache;
    if (const auto id = hub::partIdFrom(part.source))
        if (const fs::path found = hub::Repository(cache, id->id).presentPart(id->file); !found.empty())
            return families::ModelPart{part.component, found};
    return Error{ErrorCode::NotFound, part.option + " " + part.source +
                                          ": no such file or folder, and nothing of the Hugging Face cache " +
                                          cache.string()};
}

}  // namespace reelgrid::catalog
