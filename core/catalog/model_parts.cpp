#include "core/catalog/model_parts.h"

#include <filesystem>
#include <optional>
#include <type_traits>

#include "core/base/link_check.h"
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
    if (auto fault = faultOfPlace(part.source)) return fault->in(part.option);
    // A link keeps its name: what a file is called says what it is.
    if (fs::exists(part.source, failed))
        return families::ModelPart{part.component, fs::absolute(part.source).lexically_normal()};
    const fs::path cache = hub::HubAccess::fromEnvironment().cache;
    const std::string what = part.option + " " + part.source;
    if (const auto id = hub::partIdFrom(part.source)) {
        const hub::Repository repository(cache, id->id);
        if (const fs::path found = repository.presentPart(id->file); !found.empty())
            return families::ModelPart{part.component, found};
        if (auto readable = repository.requireReadable(); !readable) return readable.error().in(what);
    } else if (failed) {
        return Error{ErrorCode::Io, what + ": " + failed.message()};
    }
    return Error{ErrorCode::NotFound,
                 what + ": no such file or folder, and nothing of the Hugging Face cache " + cache.string()};
}

}  // namespace reelgrid::catalog
