#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/layers/block_cache.h"

namespace reelgrid::denoising {

/// A family's network with a render's prompts and pictures, as GuidedPasses runs it.
class GuidedModel {
  public:
    virtual ~GuidedModel() = default;

    /// Makes what the passes of a step share: the network's input from the sampler's, embeddings of the
    /// timestep. Kept until the next step.
    virtual void beginStep(const at::Tensor& input, double timestep) = 0;
    /// Every tensor that beginStep() made and passes read, in the same order each time (undefined ones, too):
    /// CUDA graphs replace them by copies that stay where they are.
    [[nodiscard]] virtual std::vector<at::Tensor*> stepTensors() = 0;

    /// One pass with the prompt of that branch: the prediction, fp32.
    [[nodiscard]] virtual at::Tensor forward(attention::GuidanceBranch branch,
                                             const attention::LayerContext& context) = 0;

    /// The same, where `cache` may stand for blocks; Skip::Yes only after a whole pass. For families that
    /// have the field step_cache; the others' throws Failure(Internal).
    [[nodiscard]] virtual models::CachedPass forward(attention::GuidanceBranch branch,
                                                     const attention::LayerContext& context,
                                                     models::BlockCache& cache, models::Skip skip);

    /// The conditional pass without the layers of skip-layer guidance; for families that have the field
    /// skip_guidance_layers, the others' throws Failure(Internal).
    [[nodiscard]] virtual at::Tensor forwardSkippingLayers(const attention::LayerContext& context);
};

}  // namespace reelgrid::denoising
