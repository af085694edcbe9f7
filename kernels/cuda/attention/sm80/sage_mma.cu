// fav3_sage and sagev2 by mma for what has no e4m3 products: P and V have the input's type.

#include "kernels/cuda/attention/quantise/method_parts.cuh"
#include "kernels/cuda/attention/sm80/grained_operands.cuh"
#include "kernels/cuda/attention/sm80/launch_sagev1_mma.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr TileRows kTile{kSageQueries, kSageKeys};

void attend(Method method, const AttentionProblem& problem, const char* name) {
    WorkspaceParts parts(problem.workspace);
    const QuantisedOperands x = operandsOf(method, parts, problem, kTile, ValueBytes::AsTheyCame);
    quantiseInt8Rows(method, problem, x);
    notePrepared(problem);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        launchSagev1Mma<Sagev1MmaConfig<Element, headDim>>(
            problem, GrainedOperands::of(x, ScaleEntries::of(method, headDim)), name);
    });
}

}  // namespace

std::int64_t fav3SageMmaWorkspace(const AttentionProblem& problem) {
    return operandBytes(Method::Flash3Sage, problem, kTile, ValueBytes::AsTheyCame);
}
void fav3SageMma(const AttentionProblem& problem) {
    attend(Method::Flash3Sage, problem, "fav3_sage");
}

std::int64_t sagev2MmaWorkspace(const AttentionProblem& problem) {
    return operandBytes(Method::Sage2, problem, kTile, ValueBytes::AsTheyCame);
}
void sagev2Mma(const AttentionProblem& problem) {
    attend(Method::Sage2, problem, "sagev2");
}

}  // namespace reelgrid::kernels::cuda::device
