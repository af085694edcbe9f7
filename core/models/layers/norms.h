#pragma once

// What lies between the matrix products. On the CPU in fp32 and bf16 and on a GPU each of these is one pass
// over memory (kernels/cpu/transformer/fused.h, kernels/cuda/library.h), elsewhere libtorch's operations.
// Shape legend: B batch, N tokens, H heads, D head dim, C = H·D channels. The residual stream x_BNC, its
// modulation and all norm weights are fp32.

#include <ATen/ATen.h>

#include <utility>
#include <vector>

#include "core/models/layers/linear.h"
#include "core/models/layers/rope_table.h"

namespace reelgrid::models {

/// What a layer norm is multiplied by and shifted by: learned, or 1 + scale and shift of the timestep.
struct NormAffine {
    at::Tensor weight_C, bias_C;  ///< fp32
    double eps = 0;
};

/// A transformer's residual stream: runs of tokens that share a modulation (a timestep, or text beside
/// video), one after another. What is added waits for the norm that reads it, so that both are one pass. What
/// differs between the runs is given for each of them, in their order.
class ResidualStream {
  public:
    /// Written where x lies, if that is dense. tokens: of each run but the last, which takes what is left.
    explicit ResidualStream(const at::Tensor& x_BNC, const std::vector<std::int64_t>& tokens = {});

    /// += y gate; an undefined gate is 1.
    void add(const at::Tensor& y_BNC, const std::vector<at::Tensor>& gates_C);
    /// layerNorm(stream) weight + bias, rounded to dtype, which what was added last has too.
    [[nodiscard]] at::Tensor normed(const std::vector<NormAffine>& affines, at::ScalarType dtype);
    /// The stream itself; in fp32 its own memory.
    [[nodiscard]] at::Tensor value(at::ScalarType dtype);
    /// fp32, in memory of its own. Leaves no trace: what waits goes on waiting, and norms that come have the
    /// bits that they would have had.
    [[nodiscard]] at::Tensor copy() const;
    [[nodiscard]] std::size_t runs() const { return m_tokens.size(); }

  private:
    /// Calls visit(run, part), where part(x_BNC) are that run's rows of x, as one dense tensor.
    template <class Visit>
    void eachRun(const Visit& visit) const;

    at::Tensor m_x_BNC;
    std::vector<std::int64_t> m_tokens;  ///< of each run
    at::Tensor m_waiting_BNC;            ///< undefined: nothing is to be added
    std::vector<at::Tensor> m_waitingGates_C;
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

/// down(gelu(up(x))) in its tanh form.
at::Tensor feedForward(const at::Tensor& x_BNC, const Linear& up, const Linear& down);

/// gelu in its tanh form, in place.
void geluTanhInPlace(at::Tensor& x);

}  // namespace reelgrid::models
