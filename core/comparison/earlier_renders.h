#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/comparison/earlier_result.h"

namespace reelgrid::comparison {

/// A render that lies in a results folder.
struct EarlierRender {
    std::filesystem::path clip;
    std::string modelId;
    catalog::RenderSettings settings;
    std::optional<double> denoiseSeconds;
    double renderSeconds = 0;  ///< loading the model left out
};

/// How long a render will take, and what that is known from.
struct RenderEstimate {
    double seconds = 0;  ///< loading the model left out
    enum class From {
        Same,          ///< renders of this size with this backend
        OtherBackend,  ///< of this size with others
        OtherSize      ///< of other sizes: scaled by pixels and frames, which attention outgrows
    } from = From::Same;
};

/// The renders of a results folder: its comparisons' clips, newest folder first, as far as they say what they
/// are. What they tell of renders to come. Blocks; one thread at a time.
class EarlierRenders {
  public:
    EarlierRenders() = default;
    explicit EarlierRenders(const std::filesystem::path& results, const std::stop_token& stop = {});

    [[nodiscard]] const std::vector<EarlierRender>& all() const { return m_renders; }

    /// Nothing where no render of this model on this device is known.
    [[nodiscard]] std::optional<RenderEstimate> estimate(const std::string& model,
                                                         const catalog::RenderSettings& settings) const;
    /// The clip of an identical render, checked whole and unchanged; empty where there is none.
    std::filesystem::path identical(const protocol::RenderRequest& request,
                                    const catalog::RenderSettings& settings,
                                    const families::ModelInfo& model);

  private:
    void readFolder(const std::filesystem::path& folder);

    std::vector<EarlierRender> m_renders;
    /// Keeps what a model's files hash to.
    std::map<std::string, std::shared_ptr<EarlierResults>> m_checks;
};

/// Puts a finished clip and copies of its companions at another place, too; the clip is a link to the same
/// file where the file system can. It takes its name last.
Result<void> reuseResult(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace reelgrid::comparison
