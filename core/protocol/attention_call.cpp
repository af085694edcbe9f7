#include "core/protocol/attention_call.h"

namespace reelgrid::protocol {

const ModuleKindInfo& infoOf(ModuleKind kind) {
    return kModuleKinds[static_cast<std::size_t>(kind)];
}

std::optional<ModuleKind> moduleKindFrom(std::string_view name) {
    for (const ModuleKindInfo& info : kModuleKinds)
        if (name == info.name) return info.kind;
    return std::nullopt;
}

const char* nameOf(ModuleKind kind) {
    return infoOf(kind).name;
}

const char* nameOf(GuidanceBranch branch) {
    return branch == GuidanceBranch::Conditional ? "conditional" : "unconditional";
}

}  // namespace reelgrid::protocol
