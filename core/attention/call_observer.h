#pragma once

#include <string>

#include "core/attention/serve.h"
#include "core/protocol/attention_call.h"
#include "core/protocol/call_map.h"

namespace reelgrid::attention {

using protocol::CallRecord;
using protocol::CallSite;
using protocol::GuidanceBranch;
using protocol::ModuleKind;
using protocol::Pass;

/// Whether a forward pass may be recorded once and replayed without being called (CUDA graphs).
enum class Replay { Allowed, Refused };

/// A call as the model made it. Its references hold while the observer is told.
struct Call {
    const CallSite& site;
    const Pass& pass;
    const Inputs& inputs;
    const std::string& requested;
};

/// A call of a pass that was recorded: what it is each time that the pass is replayed.
struct RecordedCall {
    CallSite site;
    CallShape shape;
    protocol::BackendChoice choice;
};

/// Is told of every attention call of a render once it is served. It lives on the model's thread and changes
/// nothing; what it takes is no part of a call's time.
class CallObserver {
  public:
    virtual ~CallObserver() = default;

    virtual void served(const Call& call, const Served& served) = 0;
    /// A call was made again by replaying the pass that it belongs to: there are no tensors to look at.
    virtual void replayed(const Pass& pass, const RecordedCall& call) = 0;
    /// Whether it can do without the tensors of this pass.
    [[nodiscard]] virtual Replay replayOf(const Pass& /*pass*/) const { return Replay::Allowed; }
};

}  // namespace reelgrid::attention
