#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/catalog/render_settings.h"
#include "core/families/model_info.h"
#include "core/protocol/render_request.h"
#include "core/result/component_hash.h"

namespace reelgrid::comparison {

/// Whether a result that is there already can stand for a render.
struct EarlierResult {
    enum class State { Absent, Same, Other };
    State state = State::Absent;
    std::string why;  ///< what is other about it, for a person: "its seed was 7"; empty unless Other
};

/// Compares results on the disk with what a render of `model` would be now: the request's model, the
/// program's version, every resolved setting, what the model's files hold, and whether clip and companions
/// are whole and belong together. Blocks: reads the clips, and the model's files once.
class EarlierResults {
  public:
    explicit EarlierResults(const families::ModelInfo& model) : m_model(model) {}

    /// The result at request.output.
    EarlierResult look(const protocol::RenderRequest& request, const catalog::RenderSettings& settings);

  private:
    std::string difference(const protocol::RenderRequest& request, const catalog::RenderSettings& settings);
    std::string modelDifference(const catalog::RenderSettings& settings,
                                const std::map<std::string, std::string>& hashesThen);

    families::ModelInfo m_model;
    result::ComponentHasher m_hasher{result::KeptHashes::ofUser()};
};

}  // namespace reelgrid::comparison
