#pragma once

#include <string>
#include <vector>

#include "core/execution/step_graph.h"
#include "core/models/wan/transformer.h"

namespace reelgrid::models::wan {

/// WanTransformer::forward on a GPU as CUDA graphs: the first pass of a prompt and choice of backends runs as
/// it is and is recorded, later ones are one launch. The results are the same bits.
class GraphedForward {
  public:
    GraphedForward(WanTransformer& model, const execution::Execution& gpu) : m_model(model), m_gpu(gpu) {}

    /// As WanTransformer::forward; `text` is told by its address and has to stay there. The result is
    /// overwritten by the next call for the same text.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                     const PreparedText& text, attention::Dispatcher& dispatcher);

  private:
    struct Recorded {
        const PreparedText* text = nullptr;
        std::string choices{};
        std::vector<attention::CallRecord> calls{};
        at::Tensor flow{};
        std::unique_ptr<execution::StepGraph> graph{};
    };
    void record(const PreparedText& text, std::string choices, attention::Dispatcher& dispatcher);
    void keepInputs(const at::Tensor& latents_BZFYX, const StepEmbedding& step);

    WanTransformer& m_model;
    execution::Execution m_gpu;
    at::Tensor m_latents_BZFYX;  ///< where the graphs read
    StepEmbedding m_step;
    std::vector<Recorded> m_recorded;
};

}  // namespace reelgrid::models::wan
