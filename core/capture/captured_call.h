#pragma once

// Shape legend: B batch, H heads, N query tokens, M key tokens, D head dim.

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "kernels/attention/problem.h"

namespace reelgrid::capture {

/// One call of attention as a capture file holds it; what the file doesn't say is absent.
struct CapturedCall {
    std::filesystem::path file;
    std::int64_t callIndex = 0;      ///< among all attention calls of its render, captured or not
    std::optional<int> layer, step;  ///< absent in upstream's files
    std::string branch, kernel;      ///< "conditional", …; the backend's name; may be empty
    std::string module;              ///< "self", "cross", …; may be empty
    /// On the CPU, of one dtype, D contiguous, whatever the file's layout was.
    at::Tensor q_BHND, k_BHMD, v_BHMD;
    at::Tensor keyBias_M;  ///< fp32, may be undefined
    /// proj_l of a layer that was trained for sla, fp32; may be undefined, the bias by itself, too.
    at::Tensor projL_DD, projLBias_D;
    kernels::Mask mask = kernels::Mask::None;
    std::optional<double> scale;  ///< absent: 1/√D
    kernels::TokenGrid grid{};    ///< where the tokens lie in the clip; not known: no frames
};

/// How a file's tensors lie. Recorded: what the file says, [B,H,N,D] where it says nothing (as upstream's
/// don't).
enum class Layout { Recorded, Bhsd, Bshd };

/// The captures in a folder, sorted by call index (as numbers: upstream's are not padded). NotFound naming
/// the folder when there is none.
Result<std::vector<std::filesystem::path>> captureFiles(const std::filesystem::path& folder);

/// Reads one capture, ReelGrid's or upstream's. InvalidData naming the file, what was found and what was
/// needed.
Result<CapturedCall> readCapture(const std::filesystem::path& file, Layout layout = Layout::Recorded);

}  // namespace reelgrid::capture
