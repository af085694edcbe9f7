#include "core/execution/step_graph.h"

#include "kernels/cuda/library.h"

namespace reelgrid::execution {

std::unique_ptr<StepGraph> recordGraph(const Execution& gpu, const std::function<void()>& work,
                                       StepGraph* sharesWith) {
    static const auto record = reinterpret_cast<RecordGraph>(kernels::cuda::symbol(kRecordGraph));
    if (record == nullptr) throw Failure(ErrorCode::Internal, "the CUDA library has no graphs");
    return std::unique_ptr<StepGraph>(record(gpu, work, sharesWith));
}

}  // namespace reelgrid::execution
