#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/machine/machine.h"
#include "core/protocol/render_request.h"

namespace reelgrid::cli {

/// A request that is known to be possible, its model, and the settings that it is resolved to, which always
/// follow from the request.
class CheckedRequest {
  public:
    CheckedRequest() = default;
    /// Errors as of catalog::resolveSettings().
    static Result<CheckedRequest> create(protocol::RenderRequest request, families::ModelInfo model,
                                         const machine::Machine& machine);

    [[nodiscard]] const protocol::RenderRequest& request() const { return m_request; }
    [[nodiscard]] const families::ModelInfo& model() const { return m_model; }
    [[nodiscard]] const catalog::RenderSettings& settings() const { return m_settings; }

    /// Another request about the same model: this one after `change`.
    [[nodiscard]] Result<CheckedRequest> with(
        const machine::Machine& machine, const std::function<void(protocol::RenderRequest&)>& change) const;

    // No setting depends on these:
    void setOutput(std::string clip) { m_request.output = std::move(clip); }
    void setResume(bool resume) { m_request.resume = resume; }

  private:
    protocol::RenderRequest m_request;
    families::ModelInfo m_model;
    catalog::RenderSettings m_settings;
};

}  // namespace reelgrid::cli
