#pragma once

#include "core/attention/graphed_passes.h"
#include "core/models/cogvideox/transformer.h"

namespace reelgrid::models::cogvideox {

/// CogVideoXTransformer::forward on a GPU as CUDA graphs (core/attention/graphed_passes.h).
class GraphedForward {
  public:
    GraphedForward(CogVideoXTransformer& model, const execution::Execution& gpu)
        : m_model(model), m_passes(gpu, static_cast<int>(model.config().numLayers)) {}

    /// As CogVideoXTransformer::forward; `text_BMC` is told by its address and has to stay there. The result
    /// is overwritten by the next call for the same text.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                     const at::Tensor& text_BMC, attention::Dispatcher& dispatcher);

  private:
    CogVideoXTransformer& m_model;
    attention::GraphedPasses m_passes;
    at::Tensor m_latents_BZFYX;  ///< where the graphs read
    StepEmbedding m_step;
};

}  // namespace reelgrid::models::cogvideox
