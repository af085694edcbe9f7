#include "core/models/layers/norms.h"

#include "core/execution/kernel_arguments.h"
#include "core/models/layers/cuda_norms.h"
#include "core/models/layers/float_pointer.h"
#include "core/models/layers/row_layout.h"
#include "kernels/cpu/transformer/fused.h"

namespace reelgrid::models {
namespace {

using kernels::transformer::BFloat16;

bool isFused(const at::Tensor& x, at::ScalarType dtype) {
    if (execution::hasCudaKernels(x)) return cuda::takes(x, dtype);
    return x.is_cpu() && (dtype == at::kFloat || dtype == at::kBFloat16);
}

kernels::transformer::Rows rowsOf(const at::Tensor& x_BNC, double eps) {
    return {x_BNC.numel() / x_BNC.size(-1), x_BNC.size(-1), static_cast<float>(eps)};
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
        kernels::transformer::addThenNorm(rows, x_BNC.data_ptr<float>(), data<const T>(y), floatsOrNull(gate),
                                          floatsOrNull(affine.weight_C), floatsOrNull(affine.bias_C),
                                          data<T>(out_BNC));
    };
    const at::ScalarType dtype = (y.defined() ? y : out_BNC).scalar_type();
    if (dtype == at::kFloat)
        run(static_cast<float*>(nullptr));
    else
        run(static_cast<BFloat16*>(nullptr));
}

/// x += y gate in place where there is a y, then the norm of x into `out`, which has y's dtype.
void addThenNormInto(const at::Tensor& out, at::Tensor x, const at::Tensor& y, const at::Tensor& gate_C,
                     const NormAffine& affine) {
    if (isFused(x, out.scalar_type())) return fusedAddThenNorm(x, y, gate_C, affine, out);
    if (y.defined()) addGated(x, y, gate_C);
    out.copy_(at::layer_norm(x, {x.size(-1)}, affine.weight_C, affine.bias_C, affine.eps));
}

at::Tensor rotated(const at::Tensor& x_BNC, const RopeTable& rope) {
    const at::Tensor x_BNHP2 = x_BNC.view({x_BNC.size(0), x_BNC.size(1), -1, rope.cos_NP.size(1), 2});
    const at::Tensor even = x_BNHP2.select(-1, 0), odd = x_BNHP2.select(-1, 1);
    const at::Tensor cos = rope.cos_NP.unsqueeze(1), sin = rope.sin_NP.unsqueeze(1);
    return at::stack({even * cos - odd * sin, even * sin + odd * cos}, -1).view(x_BNC.sizes());
}

}  // namespace

ResidualStream::ResidualStream(const at::Tensor& x_BNC, const std::vector<std::int64_t>& tokens)
    : m_x_BNC(x_BNC.contiguous()), m_tokens(tokens) {
    std::int64_t left = m_x_BNC.size(1);
    for (const std::int64_t count : tokens) left -= count;
    m_tokens.push_back(left);
}

template <class Visit>
void ResidualStream::eachRun(const Visit& visit) const {
    if (m_tokens.size() == 1) return visit(std::size_t{0}, [](const at::Tensor& all_BNC) { return all_BNC; });
    for (std::int64_t clip = 0; clip < m_x_BNC.size(0); ++clip) {
        std::int64_t begin = 0;
        for (std::size_t run = 0; run < m_tokens.size(); begin += m_tokens[run++]) {
            if (m_tokens[run] == 0) continue;  // on another rank
            visit(run, [&](const at::Tensor& all_BNC) {
                return all_BNC.defined() ? all_BNC[clip].narrow(0, begin, m_tokens[run]) : all_BNC;
            });
        }
    }
}

void ResidualStream::add(const at::Tensor& y_BNC, const std::vector<at::Tensor>& gates_C) {
    (void)value(at::kFloat);
    m_waiting_BNC = y_BNC.contiguous();
    m_waitingGates_C = gates_C;
}

at::Tensor ResidualStream::normed(const std::vector<NormAffine>& affines, at::ScalarType dtype) {
    const at::Tensor y_BNC = std::exchange(m_waiting_BNC, {});
    at::Tensor out_BNC = at::empty(m_x_BNC.sizes(), m_x_BNC.options().dtype(dtype));
    eachRun([&](std::size_t run, const auto& part) {
        addThenNormInto(part(out_BNC), part(m_x_BNC), part(y_BNC),
                        y_BNC.defined() ? m_waitingGates_C[run] : at::Tensor(), affines[run]);
    });
    return out_BNC;
}

at::Tensor ResidualStream::value(at::ScalarType dtype) {
    if (const at::Tensor y_BNC = std::exchange(m_waiting_BNC, {}); y_BNC.defined())
        eachRun([&](std::size_t run, const auto& part) {
            at::Tensor x = part(m_x_BNC);
            addGated(x, part(y_BNC), m_waitingGates_C[run]);
        });
    return m_x_BNC.to(dtype);
}

at::Tensor ResidualStream::copy() const {
    at::Tensor copied_BNC = m_x_BNC.clone();
    if (m_waiting_BNC.defined())
        eachRun([&](std::size_t run, const auto& part) {
            at::Tensor x = part(copied_BNC);
            addGated(x, part(m_waiting_BNC), m_waitingGates_C[run]);
        });
    return copied_BNC;
}

at::Tensor normed(const at::Tensor& x_BNC, const NormAffine& affine, at::ScalarType dtype) {
    at::Tensor out = at::empty(x_BNC.sizes(), x_BNC.options().dtype(dtype));
    addThenNormInto(out, x_BNC, {}, {}, affine);
    return out;
}

at::Tensor addThenNorm(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C,
                       const NormAffine& affine) {
    at::Tensor out = at::empty(x_BNC.sizes(), y_BNC.options());
    addThenNormInto(out, x_BNC, y_BNC, gate_C, affine);
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
    kernels::transformer::Rotation rotation;
    if (rope)
        rotation = {floatsOrNull(rope->cos_NP), floatsOrNull(rope->sin_NP), rope->cos_NP.size(0),
                    2 * rope->cos_NP.size(1)};
    const auto rows = rowsOf(x_BNC, eps);
    if (x_BNC.scalar_type() == at::kFloat)
        kernels::transformer::rmsNormRotate(rows, data<float>(x_BNC), x_BNC.stride(1), floatsOrNull(weight_C),
                                            rotation);
    else
        kernels::transformer::rmsNormRotate(rows, data<BFloat16>(x_BNC), x_BNC.stride(1),
                                            floatsOrNull(weight_C), rotation);
}

at::Tensor linearGelu(const at::Tensor& x_BNC, const Linear& linear) {
    if (execution::hasCudaKernels(x_BNC) && x_BNC.scalar_type() != at::kFloat && !linear.roundsInputs &&
        !linear.isInt8()) {
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

at::Tensor feedForward(const at::Tensor& x_BNC, const Linear& up, const Linear& down) {
    if (down.takesGelu()) return down.ofGelu(up(x_BNC));
    return down(linearGelu(x_BNC, up));
}

void geluTanhInPlace(at::Tensor& x) {
    if (x.is_cuda() || !isFused(x, x.scalar_type()) || !x.is_contiguous())
        at::gelu_(x, "tanh");
    else if (x.scalar_type() == at::kFloat)
        kernels::transformer::geluTanh(data<float>(x), x.numel());
    else
        kernels::transformer::geluTanh(data<BFloat16>(x), x.numel());
}

}  // namespace reelgrid::models
