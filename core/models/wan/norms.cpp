#include "core/models/wan/norms.h"

#include "core/models/wan/cuda_norms.h"
#include "kernels/cpu/wan/wan_fused.h"

namespace reelgrid::models::wan {
namespace {

using kernels::wan::BFloat16;

bool isFused(const at::Tensor& x, at::ScalarType dtype) {
    if (x.is_cuda()) return cuda::takes(x, dtype);
    return x.is_cpu() && (dtype == at::kFloat || dtype == at::kBFloat16);
}

kernels::wan::Rows rowsOf(const at::Tensor& x_BNC, double eps) {
    return {x_BNC.numel() / x_BNC.size(-1), x_BNC.size(-1), static_cast<float>(eps)};
}

const float* floats(const at::Tensor& x) {
    return x.defined() ? x.const_data_ptr<float>() : nullptr;
}

template <class T>
T* data(const at::Tensor& x) {
    return x.defined() ? static_cast<T*>(x.data_ptr()) : nullptr;
}

/// x += y gate and the norm of it into `out`; y or out may be undefined.
void fusedAddThenNorm(const at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C,
                      const NormAffine& affine, const at::Tensor& out_BNC) {
    if (x_BNC.is_cuda()) return cuda::addThenNorm(x_BNC, y_BNC, gate_C, affine, out_BNC);
    const auto rows = rowsOf(x_BNC, affine.eps);
    const at::Tensor y = y_BNC.defined() ? y_BNC.contiguous() : y_BNC;
    const at::Tensor gate = gate_C.defined() ? gate_C.contiguous() : gate_C;
    const auto run = [&]<class T>(T*) {
        kernels::wan::addThenNorm(rows, x_BNC.data_ptr<float>(), data<const T>(y), floats(gate),
                                  floats(affine.weight_C), floats(affine.bias_C), data<T>(out_BNC));
    };
    const at::ScalarType dtype = (y.defined() ? y : out_BNC).scalar_type();
    if (dtype == at::kFloat)
        run(static_cast<float*>(nullptr));
    else
        run(static_cast<BFloat16*>(nullptr));
}

at::Tensor rotated(const at::Tensor& x_BNC, const RopeTable& rope) {
    const at::Tensor x_BNHP2 = x_BNC.view({x_BNC.size(0), x_BNC.size(1), -1, rope.cos_NP.size(1), 2});
    const at::Tensor even = x_BNHP2.select(-1, 0), odd = x_BNHP2.select(-1, 1);
    const at::Tensor cos = rope.cos_NP.unsqueeze(1), sin = rope.sin_NP.unsqueeze(1);
    return at::stack({even * cos - odd * sin, even * sin + odd * cos}, -1).view(x_BNC.sizes());
}

/// Rows of x that lie at one distance from each other, as those of a slice of joined channels do.
bool hasOneRowStride(const at::Tensor& x_BNC) {
    return x_BNC.dim() == 3 && x_BNC.stride(2) == 1 &&
           (x_BNC.size(0) == 1 || x_BNC.stride(0) == x_BNC.size(1) * x_BNC.stride(1));
}

}  // namespace

void ResidualRun::add(at::Tensor y_BNC, at::Tensor gate_C) {
    (void)value();
    m_waiting_BNC = std::move(y_BNC);
    m_waitingGate_C = std::move(gate_C);
}

at::Tensor ResidualRun::normed(const NormAffine& affine, at::ScalarType dtype) {
    if (!m_waiting_BNC.defined()) return wan::normed(m_x_BNC, affine, dtype);
    const at::Tensor y_BNC = std::exchange(m_waiting_BNC, {});
    return addThenNorm(m_x_BNC, y_BNC, m_waitingGate_C, affine);
}

const at::Tensor& ResidualRun::value() {
    if (m_waiting_BNC.defined()) addGated(m_x_BNC, std::exchange(m_waiting_BNC, {}), m_waitingGate_C);
    return m_x_BNC;
}

at::Tensor ResidualRun::copy() const {
    at::Tensor x_BNC = m_x_BNC.clone();
    if (m_waiting_BNC.defined()) addGated(x_BNC, m_waiting_BNC, m_waitingGate_C);
    return x_BNC;
}

ResidualStream::ResidualStream(const at::Tensor& x_BNC, const std::vector<std::int64_t>& tokens) {
    std::int64_t begin = 0;
    for (std::size_t run = 0; run <= tokens.size(); ++run) {
        const std::int64_t count = run < tokens.size() ? tokens[run] : x_BNC.size(1) - begin;
        // Each run has memory of its own: the kernels take whole tensors, and the stream is written in place.
        m_runs.emplace_back(tokens.empty() ? x_BNC : x_BNC.narrow(1, begin, count).clone());
        m_tokens.push_back(count);
        begin += count;
    }
}

void ResidualStream::add(const at::Tensor& y_BNC, const std::vector<at::Tensor>& gates_C) {
    if (m_runs.size() == 1) return m_runs.front().add(y_BNC, gates_C.front());
    std::int64_t begin = 0;
    for (std::size_t run = 0; run < m_runs.size(); begin += m_tokens[run++])
        m_runs[run].add(y_BNC.narrow(1, begin, m_tokens[run]).contiguous(), gates_C[run]);
}

at::Tensor ResidualStream::normed(const std::vector<NormAffine>& affines, at::ScalarType dtype) {
    if (m_runs.size() == 1) return m_runs.front().normed(affines.front(), dtype);
    std::vector<at::Tensor> parts;
    for (std::size_t run = 0; run < m_runs.size(); ++run)
        parts.push_back(m_runs[run].normed(affines[run], dtype));
    return at::cat(parts, 1);
}

at::Tensor ResidualStream::value(at::ScalarType dtype) {
    std::vector<at::Tensor> parts;
    for (ResidualRun& run : m_runs) parts.push_back(run.value().to(dtype));
    return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

at::Tensor ResidualStream::copy() const {
    std::vector<at::Tensor> parts;
    for (const ResidualRun& run : m_runs) parts.push_back(run.copy());
    return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

at::Tensor normed(const at::Tensor& x_BNC, const NormAffine& affine, at::ScalarType dtype) {
    if (!isFused(x_BNC, dtype))
        return at::layer_norm(x_BNC, {x_BNC.size(-1)}, affine.weight_C, affine.bias_C, affine.eps).to(dtype);
    at::Tensor out = at::empty(x_BNC.sizes(), x_BNC.options().dtype(dtype));
    fusedAddThenNorm(x_BNC, {}, {}, affine, out);
    return out;
}

at::Tensor addThenNorm(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C,
                       const NormAffine& affine) {
    if (!isFused(x_BNC, y_BNC.scalar_type())) {
        addGated(x_BNC, y_BNC, gate_C);
        return normed(x_BNC, affine, y_BNC.scalar_type());
    }
    at::Tensor out = at::empty(x_BNC.sizes(), y_BNC.options());
    fusedAddThenNorm(x_BNC, y_BNC, gate_C, affine, out);
    return out;
}

void addGated(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C) {
    if (isFused(x_BNC, y_BNC.scalar_type()))
        fusedAddThenNorm(x_BNC, y_BNC, gate_C, {}, {});
    else if (gate_C.defined())
        x_BNC.addcmul_(y_BNC.to(at::kFloat), gate_C);
    else
        x_BNC.add_(y_BNC);
}

void rmsNormInPlace(at::Tensor& x_BNC, const at::Tensor& weight_C, double eps, const RopeTable* rope) {
    const bool fused = isFused(x_BNC, x_BNC.scalar_type()) && hasOneRowStride(x_BNC) &&
                       (!x_BNC.is_cuda() || cuda::takesRows(x_BNC, rope));
    if (!fused) {
        const at::Tensor x = x_BNC.to(at::kFloat);
        const at::Tensor scaled = x * at::rsqrt(x.square().mean(-1, true) + eps) * weight_C;
        x_BNC.copy_(rope ? rotated(scaled, *rope) : scaled);
        return;
    }
    if (x_BNC.is_cuda()) return cuda::rmsNormRotate(x_BNC, weight_C, eps, rope);
    kernels::wan::Rotation rotation;
    if (rope)
        rotation = {floats(rope->cos_NP), floats(rope->sin_NP), rope->cos_NP.size(0),
                    2 * rope->cos_NP.size(1)};
    const auto rows = rowsOf(x_BNC, eps);
    if (x_BNC.scalar_type() == at::kFloat)
        kernels::wan::rmsNormRotate(rows, data<float>(x_BNC), x_BNC.stride(1), floats(weight_C), rotation);
    else
        kernels::wan::rmsNormRotate(rows, data<BFloat16>(x_BNC), x_BNC.stride(1), floats(weight_C), rotation);
}

at::Tensor linearGelu(const at::Tensor& x_BNC, const Linear& linear) {
    if (x_BNC.is_cuda() && x_BNC.scalar_type() != at::kFloat) {
        const at::Tensor flat = x_BNC.reshape({-1, x_BNC.size(-1)});
        auto shape = x_BNC.sizes().vec();
        shape.back() = linear.weight.size(0);
        return at::_addmm_activation(linear.bias, flat, linear.weight.t(), 1, 1, /*use_gelu=*/true)
            .view(shape);
    }
    at::Tensor hidden = linear(x_BNC);
    geluTanhInPlace(hidden);
    return hidden;
}

void geluTanhInPlace(at::Tensor& x) {
    if (x.is_cuda() || !isFused(x, x.scalar_type()) || !x.is_contiguous())
        at::gelu_(x, "tanh");
    else if (x.scalar_type() == at::kFloat)
        kernels::wan::geluTanh(data<float>(x), x.numel());
    else
        kernels::wan::geluTanh(data<BFloat16>(x), x.numel());
}

}  // namespace reelgrid::models::wan
