#include "kernels/cuda/attention/sparse/attend_to_kept.cuh"

#include "kernels/cuda/attention/sparse/kept_share.cuh"
#include "kernels/cuda/capability.h"

namespace reelgrid::kernels::cuda::device {

void attendToKept(const AttentionProblem& problem, const KeptBlocks& kept, const PlacesInOrder& places) {
    (capability().prefersHopper() ? attendToKeptHopper : attendToKeptMma)(problem, kept, places);
}

void tellShare(const AttentionProblem& problem, const std::int32_t* counts, int rows, int keyBlocks) {
    if (problem.keptShare == nullptr) return;
    launch("the share of kept blocks", Start::AfterPrevious, &keptShareOf, dim3(1), kKeptShareThreads, 0,
           static_cast<cudaStream_t>(problem.stream), counts, rows, keyBlocks, problem.keptShare);
}

}  // namespace reelgrid::kernels::cuda::device
