#pragma once

// Shape legend: B batch, H heads, N query tokens, D head dim.

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/attention/inputs.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::attention {

/// Memory for a writer that isn't trusted: bytes of 0xFF (NaN in fp32, bf16 and fp16) between two stretches
/// of a pattern.
class GuardedMemory {
  public:
    GuardedMemory(std::int64_t bytes, at::Device device);

    [[nodiscard]] const at::Tensor& bytes() const { return m_bytes; }
    /// Whether the pattern is as it was. Waits for a GPU.
    [[nodiscard]] bool isIntact() const;

  private:
    at::Tensor m_memory, m_bytes;
};

/// The tensors of a call as they were, to see whether a writer that isn't trusted has changed them.
class InputsBefore {
  public:
    explicit InputsBefore(const Inputs& in);

    /// Whether those of `in` are still the same; NaN counts as equal to itself. Waits for a GPU.
    [[nodiscard]] bool isStill(const Inputs& in) const;

  private:
    Inputs m_before;
};

/// A plug-in in messages: "plug-in mine (/x/libmine.so)".
std::string nameInMessages(const kernels::BackendInfo& backend);

/// A planned call of a kernel.
struct PlannedCall {
    std::int64_t workspaceBytes = 0;
    /// Runs it into memory of q's size, laid out [B, N, H, D], with that much scratch memory; undefined for
    /// none.
    std::function<void(const at::Tensor& out_BHND, const at::Tensor& workspace)> runInto;
};

/// Runs plug-ins' kernels for one render and throws a Failure that names the plug-in when one leaves NaN or
/// unwritten values, writes around its output or its workspace or changes its inputs. On a GPU, where looking
/// waits, all of it is looked for in the first call of each shape, and NaN once a pass.
class PluginGuard {
  public:
    /// `call` is of this backend and these inputs.
    at::Tensor run(const PlannedCall& call, const kernels::BackendInfo& backend, const Inputs& inputs);
    /// Looks at what is queued on a GPU.
    void endPass();
    /// Seconds that looking took in the last run().
    [[nodiscard]] double lookingSeconds() const { return m_lookingSeconds; }

  private:
    std::set<std::string> m_seen;  ///< backend and shapes
    std::map<std::string, at::Tensor>
        m_isFinite;  ///< on a GPU: by plug-in, of the calls since the pass began
    double m_lookingSeconds = 0;
};

}  // namespace reelgrid::attention
