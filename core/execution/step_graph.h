#pragma once

#include <functional>
#include <memory>

#include "core/execution/execution.h"

namespace reelgrid::execution {

/// Work that was queued on a GPU once and is queued again as a whole: a CUDA graph. What the work reads and
/// writes stays where it was.
class StepGraph {
  public:
    virtual ~StepGraph() = default;
    virtual void replay() = 0;
};

/// Records what `work` queues, without running it; it must not wait for the device, and it has to have run
/// once before, which is when libraries choose and allocate. Tensors that it makes live in the memory of
/// `sharesWith` (which is then replayed in turn with it) or its own. Throws c10::Error where something can't
/// be recorded.
std::unique_ptr<StepGraph> recordGraph(const Execution& gpu, const std::function<void()>& work,
                                       StepGraph* sharesWith = nullptr);

/// The function of the CUDA library (kernels/cuda/library.h) behind it, and its name there.
using RecordGraph = StepGraph* (*)(const Execution& gpu, const std::function<void()>& work,
                                   StepGraph* sharesWith);
inline constexpr const char* kRecordGraph = "reelgridRecordGraph";

}  // namespace reelgrid::execution
