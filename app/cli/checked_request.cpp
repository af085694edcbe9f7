#include "app/cli/checked_request.h"

#include <utility>

#include "core/base/utf8.h"

namespace reelgrid::cli {

Result<CheckedRequest> CheckedRequest::create(protocol::RenderRequest request, families::ModelInfo model,
                                              const machine::Machine& machine) {
    if (auto text = protocol::requireUtf8(request); !text) return text.error();
    // Manifests have their paths, too.
    for (const families::ComponentInfo* component : model.componentsElsewhere())
        if (auto text = requireUtf8("the model's " + component->name, component->path.string()); !text)
            return text.error();
    auto settings = catalog::resolveSettings(request, model, machine);
    if (!settings) return settings.error();
    CheckedRequest checked;
    checked.m_request = std::move(request);
    checked.m_model = std::move(model);
    checked.m_settings = *std::move(settings);
    return checked;
}

Result<CheckedRequest> CheckedRequest::with(
    const machine::Machine& machine, const std::function<void(protocol::RenderRequest&)>& change) const {
    protocol::RenderRequest changed = m_request;
    change(changed);
    return create(std::move(changed), m_model, machine);
}

}  // namespace reelgrid::cli
