#include "core/attention/kernel_call.h"

#include <ATen/Parallel.h>

#include <cmath>

namespace reelgrid::attention {
namespace {

std::optional<kernels::DataType> dataTypeOf(at::ScalarType type) {
    switch (type) {
        case at::kFloat:
            return kernels::DataType::Float32;
        case at::kBFloat16:
            return kernels::DataType::BFloat16;
        case at::kHalf:
            return kernels::DataType::Float16;
        default:
            return std::nullopt;
    }
}

kernels::Strides stridesOf(const at::Tensor& x_BHND) {
    return {.batch = x_BHND.stride(0), .head = x_BHND.stride(1), .token = x_BHND.stride(2)};
}

std::string shapeOf(const at::Tensor& x) {
    std::string text;
    for (const auto size : x.sizes()) text += (text.empty() ? "[" : ", ") + std::to_string(size);
    return text + "]";
}

std::optional<std::string> obstacleOf(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    for (const at::Tensor* tensor : {&q, &k, &v}) {
        if (!tensor->device().is_cpu())
            return "a tensor is on " + tensor->device().str() + ", the kernel runs on cpu";
        if (tensor->dim() != 4)
            return "a tensor has " + std::to_string(tensor->dim()) + " dimensions, 4 are needed";
        if (tensor->stride(3) != 1 && tensor->size(3) != 1)
            return std::string("the head dim is not contiguous");
        if (tensor->scalar_type() != q.scalar_type()) return std::string("q, k and v have different dtypes");
    }
    if (k.sizes() != v.sizes() || q.size(0) != k.size(0) || q.size(3) != k.size(3))
        return "q " + shapeOf(q) + ", k " + shapeOf(k) + " and v " + shapeOf(v) +
               " don't have the same batch, head dim and keys";
    if (!dataTypeOf(q.scalar_type()))
        return std::string("dtype ") + at::toString(q.scalar_type()) + " is not fp32, bf16 or fp16";
    return std::nullopt;
}

}  // namespace

KernelCall::KernelCall(const at::Tensor& q_BHND, const at::Tensor& k_BHMD, const at::Tensor& v_BHMD)
    : m_q(q_BHND), m_k(k_BHMD), m_v(v_BHMD), m_obstacle(obstacleOf(q_BHND, k_BHMD, v_BHMD)) {
    if (m_obstacle) return;
    m_problem.q = m_q.const_data_ptr();
    m_problem.k = m_k.const_data_ptr();
    m_problem.v = m_v.const_data_ptr();
    m_problem.type = *dataTypeOf(m_q.scalar_type());
    m_problem.batch = m_q.size(0);
    m_problem.queryHeads = m_q.size(1);
    m_problem.keyHeads = m_k.size(1);
    m_problem.queries = m_q.size(2);
    m_problem.keys = m_k.size(2);
    m_problem.headDim = m_q.size(3);
    m_problem.qStrides = stridesOf(m_q);
    m_problem.kStrides = stridesOf(m_k);
    m_problem.vStrides = stridesOf(m_v);
    m_problem.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(m_q.size(3))));
    m_problem.threads = at::get_num_threads();
}

std::optional<std::string> KernelCall::whyNot(const kernels::BackendInfo& backend) const {
    return m_obstacle ? m_obstacle : kernels::whyNot(backend, m_problem);
}

at::Tensor KernelCall::run(const kernels::BackendInfo& backend) const {
    const at::Tensor out_BNHD =
        at::empty({m_q.size(0), m_q.size(2), m_q.size(1), m_q.size(3)}, m_q.options());
    const at::Tensor out_BHND = out_BNHD.transpose(1, 2);
    kernels::AttentionProblem problem = m_problem;
    problem.out = out_BHND.data_ptr();
    problem.outStrides = stridesOf(out_BHND);
    backend.run(problem);
    return out_BHND;
}

}  // namespace reelgrid::attention
