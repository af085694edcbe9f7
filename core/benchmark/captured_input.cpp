#include "core/benchmark/captured_input.h"

#include <sstream>

#include "core/capture/captured_call.h"
#include "core/execution/kernel_arguments.h"

namespace reelgrid::benchmark {
namespace {

std::string sizesOf(const at::Tensor& x) {
    std::ostringstream text;
    text << x.sizes();
    return text.str();
}

Result<AttentionShape> shapeOf(const capture::CapturedCall& call) {
    const at::Tensor &q = call.q_BHND, &k = call.k_BHMD, &v = call.v_BHMD;
    const bool fits = q.dim() == 4 && k.dim() == 4 && k.sizes() == v.sizes() && q.numel() > 0 &&
                      k.numel() > 0 && q.size(0) == k.size(0) && q.size(3) == k.size(3) &&
                      q.size(1) % k.size(1) == 0;
    if (!fits)
        return Error{
            ErrorCode::InvalidData,
            call.file.string() + ": q " + sizesOf(q) + ", k " + sizesOf(k) + " and v " + sizesOf(v) +
                " where [B, Hq, Nq, D] and two of [B, Hkv, Nk, D] were needed, Hq a multiple of Hkv"};
    return AttentionShape{.batch = q.size(0),
                          .heads = q.size(1),
                          .keyHeads = k.size(1),
                          .queries = q.size(2),
                          .headDim = q.size(3),
                          .keys = k.size(2)};
}

Result<AttentionCase> caseOf(const capture::CapturedCall& call, AttentionCase wanted) {
    const auto shape = shapeOf(call);
    if (!shape) return shape.error();
    const auto type = execution::kernelTypeOf(call.q_BHND.scalar_type());
    if (!type)
        return Error{ErrorCode::Unsupported, call.file.string() + ": dtype " +
                                                 at::toString(call.q_BHND.scalar_type()) +
                                                 ", fp32, bf16 or fp16 was needed"};
    wanted.shape = *shape;
    wanted.type = *type;
    if (call.mask == kernels::Mask::Causal) wanted.mask = call.mask;
    if (call.grid.isKnown()) wanted.grid = call.grid;
    wanted.captured->callIndex = call.callIndex;
    wanted.captured->step = call.step;
    wanted.captured->layer = call.layer;
    wanted.captured->module = call.module;
    wanted.captured->branch = call.branch;
    return wanted;
}

capture::Layout layoutOf(const Captured& captured) {
    if (!captured.order) return capture::Layout::Recorded;
    return *captured.order == MemoryOrder::TokensFirst ? capture::Layout::Bshd : capture::Layout::Bhsd;
}

}  // namespace

Result<std::vector<AttentionCase>> capturedCases(const CaptureSelection& selection,
                                                 const AttentionCase& common) {
    const auto files = capture::captureFiles(selection.folder);
    if (!files) return files.error();
    std::vector<AttentionCase> cases;
    const auto count = static_cast<std::int64_t>(files->size());
    for (std::int64_t i = 0; i < count; i += selection.sampleRate) {
        const auto index = static_cast<std::int64_t>(cases.size());
        if (selection.maxInputs && index >= *selection.maxInputs) break;
        AttentionCase wanted = common;
        wanted.captured = {
            .file = (*files)[static_cast<std::size_t>(i)], .order = selection.order, .inputIndex = index};
        const auto call = capture::readCapture(wanted.captured->file, layoutOf(*wanted.captured));
        if (!call) return call.error();
        auto known = caseOf(*call, wanted);
        if (!known) return known.error();
        cases.push_back(*std::move(known));
    }
    return cases;
}

Result<AttentionInput> readInput(const AttentionCase& wanted) {
    const auto call = capture::readCapture(wanted.captured->file, layoutOf(*wanted.captured));
    if (!call) return call.error();
    const auto known = caseOf(*call, wanted);
    if (!known) return known.error();
    if (known->shape != wanted.shape)
        return Error{ErrorCode::InvalidData, call->file.string() + ": its shape was " + textOf(wanted.shape) +
                                                 " before measuring and is " + textOf(known->shape) + " now"};
    AttentionInput input{call->q_BHND, call->k_BHMD,   call->v_BHMD,     call->keyBias_M,
                         call->scale,  call->projL_DD, call->projLBias_D};
    for (at::Tensor* tensor : {&input.q_BHND, &input.k_BHMD, &input.v_BHMD})
        *tensor = tensor->to(scalarTypeOf(wanted.type));
    return input;
}

}  // namespace reelgrid::benchmark
