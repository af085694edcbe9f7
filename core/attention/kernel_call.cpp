#include "core/attention/kernel_call.h"

#include "core/attention/attention_problem.h"
#include "core/execution/kernel_arguments.h"

namespace reelgrid::attention {
namespace {

std::string sizesOf(const at::Tensor& x) {
    std::string text;
    for (const auto size : x.sizes()) text += (text.empty() ? "[" : ", ") + std::to_string(size);
    return text + "]";
}

std::optional<std::string> obstacleOf(const Inputs& in, at::Device device) {
    const at::Tensor &q = in.q_BHND, &k = in.k_BHMD, &v = in.v_BHMD;
    if (!device.is_cpu() && !execution::hasCudaKernels(device)) return "no kernels for " + device.str();
    for (const at::Tensor* tensor : {&q, &k, &v}) {
        if (tensor->device() != device)
            return "a tensor is on " + tensor->device().str() + ", the kernel runs on " + device.str();
        if (tensor->dim() != 4)
            return "a tensor has " + std::to_string(tensor->dim()) + " dimensions, 4 are needed";
        if (tensor->stride(3) != 1 && tensor->size(3) != 1)
            return std::string("the head dim is not contiguous");
        if (tensor->scalar_type() != q.scalar_type()) return std::string("q, k and v have different dtypes");
    }
    if (k.sizes() != v.sizes() || q.size(0) != k.size(0) || q.size(3) != k.size(3))
        return "q " + sizesOf(q) + ", k " + sizesOf(k) + " and v " + sizesOf(v) +
               " don't have the same batch, head dim and keys";
    if (in.keyBias_M.defined() &&
        (in.keyBias_M.scalar_type() != at::kFloat || !in.keyBias_M.is_contiguous() ||
         in.keyBias_M.device() != device || in.keyBias_M.dim() != 1 || in.keyBias_M.size(0) != k.size(2)))
        return "the key bias is " + std::string(at::toString(in.keyBias_M.scalar_type())) + " " +
               sizesOf(in.keyBias_M) + ", contiguous fp32 [" + std::to_string(k.size(2)) + "] is needed";
    for (const auto* tensor : {&in.projL_DD, &in.projLBias_D})
        if (tensor->defined() && (tensor->scalar_type() != at::kFloat || !tensor->is_contiguous() ||
                                  tensor->device() != device || tensor->size(-1) != q.size(3)))
            return "proj_l is " + std::string(at::toString(tensor->scalar_type())) + " " + sizesOf(*tensor) +
                   ", contiguous fp32 [D, D] and [D] with D " + std::to_string(q.size(3)) + " are needed";
    for (const auto* tensor : {&in.keyMean_BHD, &in.valueMaxima_BHD})
        if (tensor->defined() &&
            (tensor->scalar_type() != at::kFloat || !tensor->is_contiguous() || tensor->device() != device ||
             tensor->sizes() != at::IntArrayRef({k.size(0), k.size(1), k.size(3)})))
            return "a sequence's statistics are " + std::string(at::toString(tensor->scalar_type())) + " " +
                   sizesOf(*tensor) + ", contiguous fp32 [batch, heads, head dim] of k " + sizesOf(k) +
                   " is needed";
    if (in.projL_DD.defined() && in.projL_DD.numel() != q.size(3) * q.size(3))
        return "proj_l is " + sizesOf(in.projL_DD) + ", a square of D " + std::to_string(q.size(3)) +
               " is needed";
    if (!execution::kernelTypeOf(q.scalar_type()))
        return std::string("dtype ") + at::toString(q.scalar_type()) + " is not fp32, bf16 or fp16";
    return std::nullopt;
}

}  // namespace

KernelCall::KernelCall(const kernels::BackendInfo& backend, const Inputs& inputs,
                       const execution::Execution& execution, const CallOptions& options)
    : m_inputs(inputs), m_obstacle(obstacleOf(inputs, execution.device)) {
    if (m_obstacle) return;
    const at::Tensor& q_BHND = m_inputs.q_BHND;
    m_problem = problemOf(q_BHND, m_inputs.k_BHMD, m_inputs.v_BHMD);
    m_problem.stream = execution.stream();
    if (m_inputs.keyBias_M.defined()) m_problem.keyBias = m_inputs.keyBias_M.const_data_ptr<float>();
    m_tellsKept = tellsKeptShare(backend, m_problem.device);
    m_problem.sparseLinear.topkRatio = options.slaTopk;
    m_problem.context = options.context;
    m_problem.context.grid = m_inputs.grid;
    if (m_inputs.projL_DD.defined()) {
        m_problem.sparseLinear.projection = m_inputs.projL_DD.const_data_ptr<float>();
        if (m_inputs.projLBias_D.defined())
            m_problem.sparseLinear.bias = m_inputs.projLBias_D.const_data_ptr<float>();
    }
    if (m_inputs.keyMean_BHD.defined())
        m_problem.sequence.keyMean = m_inputs.keyMean_BHD.const_data_ptr<float>();
    if (m_inputs.valueMaxima_BHD.defined())
        m_problem.sequence.valueMaxima = m_inputs.valueMaxima_BHD.const_data_ptr<float>();
    if (options.logSumExp == LogSumExp::Asked) {
        m_lse_BHN =
            at::empty({q_BHND.size(0), q_BHND.size(1), q_BHND.size(2)}, q_BHND.options().dtype(at::kFloat));
        m_problem.lse = m_lse_BHN.data_ptr<float>();
    }
    m_plan = kernels::plan(backend, m_problem);
    if (!m_plan.obstacle.empty()) m_obstacle = m_plan.obstacle;
}

void KernelCall::runPlanned(kernels::AttentionProblem& problem, const at::Tensor& workspace) const {
    problem.workspace = workspace.defined() ? workspace.data_ptr() : nullptr;
    if (m_tellsKept) m_kept = keptShareOf(problem, m_inputs.q_BHND);
    m_plan.attend(problem);
}

void KernelCall::runInto(const at::Tensor& out_BHND, const at::Tensor& workspace) const {
    kernels::AttentionProblem problem = m_problem;
    writeTo(problem, out_BHND);
    runPlanned(problem, workspace);
}

at::Tensor KernelCall::run() const {
    kernels::AttentionProblem problem = m_problem;
    at::Tensor out_BHND = outputOf(problem, m_inputs.q_BHND);
    runPlanned(problem, workspaceOf(problem, m_plan, m_inputs.q_BHND));
    return out_BHND;
}

}  // namespace reelgrid::attention
