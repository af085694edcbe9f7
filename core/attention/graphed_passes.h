#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/attention/dispatcher.h"
#include "core/execution/step_graph.h"

namespace reelgrid::attention {

/// Forward passes of a model on a GPU as CUDA graphs: the first pass of a subject and choice of backends runs
/// as it is and is recorded, later ones are one launch. The results are the same bits.
class GraphedPasses {
  public:
    /// A pass, which reads what differs between passes through the tensors given as `inputs`.
    using Forward = std::function<at::Tensor()>;

    explicit GraphedPasses(const execution::Execution& gpu) : m_gpu(gpu) {}

    /// `subject` identifies the prompt by address. `inputs` are the tensors that differ between passes, the
    /// same ones in the same order each time: their values are copied to where graphs read, and they are made
    /// to lie there. A pass that the dispatcher refuses to replay is called. The result is overwritten by the
    /// next call for the same subject.
    [[nodiscard]] at::Tensor run(const void* subject, const std::vector<at::Tensor*>& inputs,
                                 const Forward& forward, Dispatcher& dispatcher);

  private:
    struct Recorded {
        const void* subject = nullptr;
        PassChoices choices{};
        std::vector<RecordedCall> calls{};
        at::Tensor output{};
        std::unique_ptr<execution::StepGraph> graph{};
    };
    void keep(const std::vector<at::Tensor*>& inputs);
    void record(const void* subject, PassChoices choices, const Forward& forward, Dispatcher& dispatcher);

    execution::Execution m_gpu;
    std::vector<at::Tensor> m_inputs;  ///< where the graphs read
    std::vector<Recorded> m_recorded;
};

}  // namespace reelgrid::attention
