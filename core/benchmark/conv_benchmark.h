#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/execution/execution.h"

namespace reelgrid::benchmark {

/// A layer along time of a video model: a group norm over all frames, silu, a 3×1×1 convolution and a
/// residual, of as many channels out as in.
struct FrameConvShape {
    std::int64_t frames = 14, rows = 72, columns = 128, channels = 320;

    /// "T,H,W,C". BadUsage naming what is wrong.
    static Result<FrameConvShape> from(const std::string& text);
    [[nodiscard]] std::int64_t values() const { return frames * rows * columns * channels; }
    /// Of the convolution alone.
    [[nodiscard]] double flops() const;
};

/// Those of Stable Video Diffusion's UNet at 1024×576, 14 frames.
std::vector<FrameConvShape> usualFrameConvs();

/// One way to compute it.
struct FrameConvRow {
    std::string kernel;  ///< "libtorch", on a GPU "libtorch_channels_last" too, "products", "fused"
    std::vector<double> seconds{};
    double rmse = 0;         ///< against the same in float64, over the result's own deviation
    std::int64_t bytes = 0;  ///< that it reads and writes of activations, each pass over memory counted
};

struct FrameConvResult {
    FrameConvShape shape;
    std::string dtype;  ///< "fp32", "bf16", "fp16"
    std::vector<FrameConvRow> rows;
};

/// Where, and in what.
struct FrameConvPlace {
    execution::Execution execution{};
    at::ScalarType dtype = at::kFloat;
};

/// The ways in turns, each on the same values: libtorch's operators (on a GPU with cuDNN's convolution, in
/// both orders of memory), matrix products a tap, and our own kernels. `progress` is told what is done of how
/// much. Throws Failure(Cancelled) once `stop` was requested.
FrameConvResult measureFrameConv(const FrameConvShape& shape, const FrameConvPlace& place, int repetitions,
                                 const std::function<void(int done, int total)>& progress,
                                 const std::stop_token& stop);

/// {"shape": [T, H, W, C], "dtype", "rows": [{"kernel", "ms_p50", "ms_min", "gflops", "bytes", "gb_s",
/// "rmse"}]}
nlohmann::json toJson(const FrameConvResult& result);

}  // namespace reelgrid::benchmark
