#pragma once

// Shape legend: B batch, H heads, N query tokens, D head dim.

#include <ATen/ATen.h>

#include <map>
#include <set>
#include <string>

#include "core/attention/kernel_call.h"

namespace reelgrid::attention {

/// Memory for an output whose writer isn't trusted: NaN to begin with, between two stretches of a pattern.
class GuardedOutput {
  public:
    explicit GuardedOutput(const at::Tensor& q_BHND);

    /// Laid out [B, N, H, D].
    [[nodiscard]] const at::Tensor& out_BHND() const { return m_out_BHND; }
    /// Whether the pattern is as it was. Waits for a GPU.
    [[nodiscard]] bool isIntact() const;

  private:
    at::Tensor m_memory, m_out_BHND;
};

/// Runs plug-ins' kernels for one render and throws a Failure that names the plug-in when one leaves NaN or
/// unwritten values, writes around its output or changes its inputs. The last is looked for in the first call
/// of each shape; on a GPU, where looking waits, so is writing around, and NaN once a pass.
class PluginGuard {
  public:
    /// `call` is of this backend and these inputs.
    at::Tensor run(const KernelCall& call, const kernels::BackendInfo& backend, const Inputs& inputs);
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
