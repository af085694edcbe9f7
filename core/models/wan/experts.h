#pragma once

#include <memory>
#include <optional>

#include "core/families/model_info.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/transformer.h"
#include "core/models/wan/video_model.h"
#include "core/pipeline/stage_clock.h"
#include "core/pipeline/video_model.h"
#include "core/weights/lora.h"

namespace reelgrid::models::wan {

/// How a model's transformers are loaded.
TransformerOptions transformerOptions(const pipeline::LoadOptions& options);

/// The transformer of a model, or the two that share its denoising loop (Wan 2.2): one for the noisy steps,
/// one for the others. Where memory has no room for both, the one that is needed takes the other's place.
class Experts {
  public:
    enum Index { kHighNoise = 0, kLowNoise = 1 };
    static constexpr std::size_t kMost = 2;

    /// Loads the first, and the second where the residence lets it. Throws Failure.
    Experts(const families::ModelInfo& model, const pipeline::LoadOptions& options, Residence residence);

    /// Of the first; the second differs in its weights alone.
    [[nodiscard]] const WanTransformerConfig& config() const { return m_config; }
    /// Which one predicts at that timestep of so many.
    [[nodiscard]] Index at(double timestep, int trainTimesteps) const;
    [[nodiscard]] bool isLoaded(Index expert) const { return m_loaded[expert] != nullptr; }
    /// Whether there are two, both in memory.
    [[nodiscard]] bool fitTogether() const { return m_residence == Residence::Together; }

    /// Loads it where it isn't loaded, after the other has gone, and puts the time down to "load".
    WanTransformer& use(Index expert, pipeline::StageClock& clock);

  private:
    [[nodiscard]] std::unique_ptr<WanTransformer> load(Index expert);

    Checkpoint m_checkpoint;
    pipeline::LoadOptions m_options;
    WanTransformerConfig m_config;
    std::optional<double> m_boundaryRatio;
    Residence m_residence;
    std::unique_ptr<weights::LoraWeights> m_sources[kMost];  ///< of streamed blocks
    std::unique_ptr<WanTransformer> m_loaded[kMost];
};

}  // namespace reelgrid::models::wan
