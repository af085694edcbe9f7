#include "core/models/cogvideox/loaded_transformer.h"

#include "core/models/cogvideox/lora_names.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::cogvideox {

BlockOptions blockOptions(const pipeline::LoadOptions& options) {
    BlockOptions blocks;
    if (options.offload == pipeline::Offload::Blocks)
        blocks.residence =
            options.execution.device.is_cpu() ? BlockResidence::Streamed : BlockResidence::Windowed;
    if (options.gemms == pipeline::Gemms::Fp8) blocks.products = LinearProducts::Fp8;
    return blocks;
}

LoadedTransformer::LoadedTransformer(const std::filesystem::path& folder,
                                     const pipeline::LoadOptions& options)
    : m_source(std::make_unique<weights::LoraWeights>(std::make_unique<weights::SafetensorsFolder>(folder),
                                                      options.loras, loraNames)),
      m_transformer(
          CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder)),
          weights::WeightScope(*m_source, options.dtype, options.execution.device), blockOptions(options),
          options.timeGemms == pipeline::TimeGemms::Bf16 ? TimeProducts::Bf16 : TimeProducts::Fp32) {
    const bool isStreamed = blockOptions(options).residence == BlockResidence::Streamed;
    // Once through, so that a LoRA that doesn't fit is refused now.
    if (isStreamed && !options.loras.empty()) m_transformer.visitBlocks();
    if (!isStreamed || !options.loras.empty()) m_source->requireAllTaken();
    if (!isStreamed) m_source.reset();
}

}  // namespace reelgrid::models::cogvideox
