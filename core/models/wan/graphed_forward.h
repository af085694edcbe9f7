#pragma once

#include "core/attention/graphed_passes.h"
#include "core/models/wan/transformer.h"

namespace reelgrid::models::wan {

/// WanTransformer::forward on a GPU as CUDA graphs (core/attention/graphed_passes.h).
class GraphedForward {
  public:
    GraphedForward(WanTransformer& model, const execution::Execution& gpu)
        : m_model(model), m_passes(gpu, static_cast<int>(model.config().numLayers)) {}

    /// As WanTransformer::forward; `text` is told by its address and has to stay there. The result is
    /// overwritten by the next call for the same text.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                     const PreparedText& text, attention::Dispatcher& dispatcher);

  private:
    void keepInputs(const at::Tensor& latents_BZFYX, const StepEmbedding& step);

    WanTransformer& m_model;
    attention::GraphedPasses m_passes;
    at::Tensor m_latents_BZFYX;  ///< where the graphs read
    StepEmbedding m_step;
};

}  // namespace reelgrid::models::wan
