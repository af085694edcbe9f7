#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "core/protocol/attention_call.h"

namespace reelgrid::attention {

using protocol::CallRecord;
using protocol::CallSite;
using protocol::GuidanceBranch;
using protocol::ModuleKind;
using protocol::Pass;

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

enum class Replay { Allowed, Refused };

/// The one door through which a model's attention goes. Not thread-safe: one per running
/// pipeline.
class Dispatcher {
  public:
    virtual ~Dispatcher() = default;

    /// softmax(q kᵀ / √D + keyBias) v → o_BHND, whose transpose(1, 2) is contiguous.
    virtual at::Tensor attend(const Inputs& inputs, const CallSite& site) = 0;

    /// Called by the denoise loop before each forward pass.
    virtual void beginPass(int step, GuidanceBranch branch) = 0;

    /// Called once after the last one, to look at what is still queued on a device.
    virtual void endPasses() {}

    [[nodiscard]] virtual std::vector<CallRecord> records() const = 0;

    // For passes that are recorded once and replayed without being called (CUDA graphs); one that counts
    // nothing has nothing to add.

    /// Whether the pass that began may be recorded or replayed; otherwise each call must come here.
    [[nodiscard]] virtual Replay replayOfPass() const { return Replay::Allowed; }
    /// What the pass that began asks for at every place of `layers` layers: two passes of which the same is
    /// said may be replayed for each other.
    [[nodiscard]] virtual std::string choicesOfPass(int layers) const { return std::to_string(layers); }
    /// Counts no longer what came after `earlier`, and says what that was.
    virtual std::vector<CallRecord> takeBackSince(const std::vector<CallRecord>& /*earlier*/) { return {}; }
    /// Counts the calls of a pass once more.
    virtual void countAgain(const std::vector<CallRecord>& /*calls*/) {}
};

}  // namespace reelgrid::attention
