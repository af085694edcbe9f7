#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <optional>
#include <string>
#include <vector>

namespace reelgrid::attention {

enum class ModuleKind { SelfAttention, CrossAttention };
enum class GuidanceBranch { Conditional, Unconditional };

/// Which call of the model this is; the pipeline sets step and branch, the layer sets kind and layer.
struct CallSite {
    ModuleKind kind = ModuleKind::SelfAttention;
    int layer = 0;
};

/// What happened to the calls of one (module kind, requested, used): nothing is ever replaced in silence.
struct CallRecord {
    ModuleKind kind = ModuleKind::SelfAttention;
    std::string requested;
    std::string used;
    std::string why;  ///< why another one ran, or what the requested one left out; empty: nothing to say
    std::int64_t calls = 0;
    double seconds = 0;  ///< wall time inside the attention, summed
};

/// One call's tensors, of one dtype, any strides with D contiguous (so a [B,N,H,D] tensor may be passed
/// transposed).
struct Inputs {
    at::Tensor q_BHND, k_BHMD, v_BHMD;
    /// Optional fp32 [M], added to every score of a key: log(n) makes one key stand for n equal ones.
    at::Tensor keyBias_M;
    /// Optional proj_l of a layer that was trained for sla, fp32 [D, D] and [D] as torch.nn.Linear has them.
    /// Other backends ignore it.
    at::Tensor projL_DD{}, projLBias_D{};
};

/// The one door through which a model's self- and cross-attention goes. Not thread-safe: one per running
/// pipeline.
class Dispatcher {
  public:
    virtual ~Dispatcher() = default;

    /// softmax(q kᵀ / √D + keyBias) v → o_BHND, whose transpose(1, 2) is contiguous.
    virtual at::Tensor attend(const Inputs& inputs, const CallSite& site) = 0;

    /// Called by the denoise loop before each forward pass.
    virtual void beginPass(int step, GuidanceBranch branch) = 0;

    [[nodiscard]] virtual std::vector<CallRecord> records() const = 0;
};

}  // namespace reelgrid::attention
