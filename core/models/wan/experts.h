#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/denoising/loaded_network.h"
#include "core/denoising/stage_clock.h"
#include "core/families/model_info.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/transformer.h"
#include "core/models/wan/video_model.h"

namespace reelgrid::models::wan {

/// The transformer of a model, or the two that share its denoising loop (Wan 2.2): one for the noisy steps,
/// one for the others. Where memory has no room for both, the one that is needed takes the other's place.
class Experts {
  public:
    enum Index { kHighNoise = 0, kLowNoise = 1 };
    static constexpr std::size_t kMost = 2;

    /// Loads the first, and the second where the residence lets it. Throws Failure.
    Experts(const families::ModelInfo& model, const denoising::LoadOptions& options, Residence residence);

    /// Of the first; the second differs in its weights alone.
    [[nodiscard]] const WanTransformerConfig& config() const { return m_config; }
    /// Which one predicts at that timestep of so many. `boundaryRatio` takes the place of the model's own.
    [[nodiscard]] Index at(double timestep, int trainTimesteps,
                           const std::optional<double>& boundaryRatio = std::nullopt) const;
    [[nodiscard]] bool areTwo() const { return m_boundaryRatio.has_value(); }
    [[nodiscard]] bool isLoaded(Index expert) const { return m_loaded[expert] != nullptr; }
    /// Whether there are two, both in memory.
    [[nodiscard]] bool fitTogether() const { return m_residence == Residence::Together; }

    /// What of the checkpoint and of the LoRAs has no place in the experts, and configurations beside them
    /// that are another model's. Throws Failure where a file can't be read.
    [[nodiscard]] std::vector<std::string> remarks() const;

    /// Loads it where it isn't loaded, after the other has gone, and puts the time down to "load".
    WanTransformer& use(Index expert, denoising::StageClock& clock);

  private:
    using Loaded = denoising::LoadedNetwork<WanTransformer>;
    [[nodiscard]] std::unique_ptr<Loaded> load(Index expert);

    Checkpoint m_checkpoint;
    denoising::LoadOptions m_options;
    WanTransformerConfig m_config;
    std::optional<double> m_boundaryRatio;
    Residence m_residence;
    std::unique_ptr<Loaded> m_loaded[kMost];
};

}  // namespace reelgrid::models::wan
