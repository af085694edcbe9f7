#pragma once

// What lies between the matrix products. On the CPU in fp32 and bf16 and on a GPU each of these is one pass
// over memory (kernels/cpu/wan/wan_fused.h, kernels/cuda/library.h), elsewhere libtorch's operations. Shape
// legend: B batch, N tokens, H heads, D head dim, C = H·D channels. The residual stream x_BNC, its modulation
// and all norm weights are fp32.

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "core/models/wan/linear.h"
#include "core/models/wan/rope.h"

namespace reelgrid::models::wan {

/// What a layer norm is multiplied by and shifted by: learned, or 1 + scale and shift of the timestep.
struct NormAffine {
    at::Tensor weight_C, bias_C;  ///< fp32
    double eps = 0;
};

/// The residual stream of tokens that share a timestep: what is added waits for the norm that reads it, so
/// that both are one pass.
class ResidualRun {
  public:
    explicit ResidualRun(at::Tensor x_BNC) : m_x_BNC(std::move(x_BNC)) {}

    /// += y gate; an undefined gate is 1.
    void add(at::Tensor y_BNC, at::Tensor gate_C);
    /// layerNorm(stream) weight + bias, rounded to dtype, which what was added last has too.
    [[nodiscard]] at::Tensor normed(const NormAffine& affine, at::ScalarType dtype);
    /// The stream itself, fp32.
    [[nodiscard]] const at::Tensor& value();
    /// The same in memory of its own; what waits goes on waiting.
    [[nodiscard]] at::Tensor copy() const;

  private:
    at::Tensor m_x_BNC;
    at::Tensor m_waiting_BNC, m_waitingGate_C;
};

/// A transformer's residual stream: the runs of tokens that share a timestep, one after another. What differs
/// between them is given for each run, in their order.
class ResidualStream {
  public:
    /// tokens: of each run but the last, which takes what is left.
    explicit ResidualStream(const at::Tensor& x_BNC, const std::vector<std::int64_t>& tokens = {});

    void add(const at::Tensor& y_BNC, const std::vector<at::Tensor>& gates_C);
    [[nodiscard]] at::Tensor normed(const std::vector<NormAffine>& affines, at::ScalarType dtype);
    [[nodiscard]] at::Tensor value(at::ScalarType dtype);
    /// fp32, in memory of its own. Leaves no trace: norms that come have the bits that they would have had.
    [[nodiscard]] at::Tensor copy() const;
    [[nodiscard]] std::size_t runs() const { return m_runs.size(); }

  private:
    std::vector<ResidualRun> m_runs;
    std::vector<std::int64_t> m_tokens;  ///< of each run
};

/// layerNorm(x) weight + bias, rounded to dtype.
at::Tensor normed(const at::Tensor& x_BNC, const NormAffine& affine, at::ScalarType dtype);

/// x += y gate in place, then normed(x) in y's dtype. An undefined gate is 1.
at::Tensor addThenNorm(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C,
                       const NormAffine& affine);

/// x += y gate, in place. An undefined gate is 1.
void addGated(at::Tensor& x_BNC, const at::Tensor& y_BNC, const at::Tensor& gate_C);

/// RMS norm over all channels (across heads), then, with a rope, the rotation of each head's interleaved
/// pairs by its token's angles; in place, rounded once. Tokens may be strided, channels are contiguous.
void rmsNormInPlace(at::Tensor& x_BNC, const at::Tensor& weight_C, double eps,
                    const RopeTable* rope = nullptr);

/// gelu(linear(x)) in its tanh form; on a GPU in bf16 and fp16 the product's own last step.
at::Tensor linearGelu(const at::Tensor& x_BNC, const Linear& linear);

/// gelu in its tanh form, in place.
void geluTanhInPlace(at::Tensor& x);

}  // namespace reelgrid::models::wan
