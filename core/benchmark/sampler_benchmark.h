#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/execution/execution.h"

namespace reelgrid::benchmark {

/// Latents of a clip.
struct LatentClip {
    std::int64_t channels = 4, frames = 14, rows = 72, columns = 128;

    /// "C,T,H,W". BadUsage naming what is wrong.
    static Result<LatentClip> from(const std::string& text);
    [[nodiscard]] std::int64_t values() const { return channels * frames * rows * columns; }
};

/// What lies between two passes of a model: guidance, the sampler's step and what it makes of the latents for
/// the next pass, in the mean of a walk.
struct SamplerRow {
    std::string sampler;                        ///< "edm-euler", "flow-euler", "unipc", "dpm++", "ddim"
    std::vector<double> onePass{}, oneByOne{};  ///< seconds a step: fused, and libtorch's operations
    std::int64_t bytesOnePass = 0, bytesOneByOne = 0;  ///< a step
    bool sameBits = false;
};

/// Each in turns, on the same made-up predictions. Throws Failure(Cancelled) once `stop` was requested.
std::vector<SamplerRow> measureSamplers(const LatentClip& clip, const execution::Execution& execution,
                                        int repetitions,
                                        const std::function<void(int done, int total)>& progress,
                                        const std::stop_token& stop);

/// [{"sampler", "ms_p50", "libtorch_ms_p50", "bytes", "libtorch_bytes", "same_bits"}]
nlohmann::json toJson(const std::vector<SamplerRow>& rows);

}  // namespace reelgrid::benchmark
