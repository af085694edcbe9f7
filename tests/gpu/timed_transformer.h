#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/attention/dispatcher.h"
#include "core/execution/execution.h"
#include "core/models/layers/blocks.h"
#include "core/weights/weight_source.h"

namespace reelgrid {

/// A clip's pixels.
struct PassSize {
    std::int64_t height = 0, width = 0, frames = 0;

    [[nodiscard]] std::string text() const {
        return std::to_string(height) + "x" + std::to_string(width) + "x" + std::to_string(frames);
    }
};

/// A published transformer whose passes are timed on several ranks, in bf16.
class TimedTransformer {
  public:
    virtual ~TimedTransformer() = default;
    [[nodiscard]] virtual std::int64_t heads() const = 0;
    /// Of the blocks' weights, those that stay on the device.
    [[nodiscard]] virtual std::uint64_t blockBytes() const = 0;
    /// Random latents of a clip and two prompts, the same on every rank.
    virtual void prepare(const PassSize& size) = 0;
    /// A pass over them for a prompt, 0 or 1; mesh: the ranks that share its tokens, or null.
    [[nodiscard]] virtual at::Tensor pass(int prompt, attention::Dispatcher& dispatcher,
                                          parallel::Mesh* mesh) = 0;
};

/// wan-1.3b, wan-14b, wan-5b (TI2V), cogvideox-5b. `source` may go once it is made. Throws Failure(BadUsage)
/// for other names.
std::unique_ptr<TimedTransformer> timedTransformer(const std::string& name, weights::WeightSource& source,
                                                   const execution::Execution& gpu,
                                                   const models::BlockOptions& blocks = {});

}  // namespace reelgrid
