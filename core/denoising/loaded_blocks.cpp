#include "core/denoising/loaded_blocks.h"

#include <utility>

namespace reelgrid::denoising {

using models::BlockResidence;

models::BlockOptions blockOptions(const LoadOptions& options) {
    models::BlockOptions blocks;
    if (options.offload == Offload::Blocks)
        blocks.residence =
            options.execution.device.is_cpu() ? BlockResidence::Streamed : BlockResidence::Windowed;
    if (options.weightShards > 1) {
        blocks.residence = BlockResidence::Sharded;
        blocks.ranks = options.weightShards;
        blocks.mesh = options.execution.mesh;
    }
    if (options.gemms == Gemms::Fp8) blocks.products = models::LinearProducts::Fp8;
    if (options.gemms == Gemms::Int8) blocks.products = models::LinearProducts::Int8;
    return blocks;
}

models::TimeProducts timeProducts(const LoadOptions& options) {
    return options.timeGemms == TimeGemms::Bf16 ? models::TimeProducts::Bf16 : models::TimeProducts::Fp32;
}

WeightSources keptSources(WeightSources sources, const std::vector<weights::Lora>& loras,
                          const LoadOptions& options, const std::function<void()>& visitBlocks) {
    const bool isStreamed = blockOptions(options).residence == BlockResidence::Streamed;
    // Once through, so that a LoRA that doesn't fit is refused now.
    if (isStreamed && !loras.empty()) visitBlocks();
    for (const auto& source : sources) source->requireAllTaken();
    return isStreamed ? std::move(sources) : WeightSources();
}

}  // namespace reelgrid::denoising
