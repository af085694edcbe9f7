// Part of the CUDA library: libtorch's CUDA half is there when it is loaded.

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

#include "core/execution/step_graph.h"

namespace reelgrid::execution {
namespace {

class CudaStepGraph final : public StepGraph {
  public:
    CudaStepGraph(const std::function<void()>& work, CudaStepGraph* sharesWith) {
        // Work of the default stream can't be recorded.
        const c10::cuda::CUDAStream before = c10::cuda::getCurrentCUDAStream();
        const c10::cuda::CUDAStream own = c10::cuda::getStreamFromPool();
        before.synchronize();
        const c10::cuda::CUDAStreamGuard guard(own);
        m_graph.capture_begin(sharesWith != nullptr ? sharesWith->m_graph.pool() : c10::MempoolId_t{0, 0},
                              cudaStreamCaptureModeThreadLocal);
        try {
            work();
        } catch (...) {
            m_graph.capture_end();
            throw;
        }
        m_graph.capture_end();
    }

    void replay() override { m_graph.replay(); }

  private:
    at::cuda::CUDAGraph m_graph;
};

}  // namespace
}  // namespace reelgrid::execution

extern "C" __attribute__((visibility("default"))) reelgrid::execution::StepGraph* reelgridRecordGraph(
    const reelgrid::execution::Execution&, const std::function<void()>& work,
    reelgrid::execution::StepGraph* sharesWith) {
    using reelgrid::execution::CudaStepGraph;
    return new CudaStepGraph(work, static_cast<CudaStepGraph*>(sharesWith));
}
