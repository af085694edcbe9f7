#include "core/models/wan/experts.h"

#include <algorithm>
#include <cmath>

#include "core/base/result.h"
#include "core/execution/memory_check.h"
#include "core/models/wan/lora_names.h"
#include "core/weights/lora.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::wan {
namespace {

constexpr const char* kNames[Experts::kMost] = {"transformer", "transformer_2"};

/// Of timesteps, below which the second expert predicts; nothing in a model with one.
std::optional<double> boundaryRatioOf(const families::ModelInfo& model, const Checkpoint& checkpoint) {
    const bool two = std::ranges::any_of(model.components, [](const families::ComponentInfo& component) {
        return component.name == kNames[Experts::kLowNoise];
    });
    if (!two) return std::nullopt;
    const weights::ModelConfig index = checkpoint.index();
    const double ratio = index.number("boundary_ratio");
    if (!(ratio >= 0 && ratio <= 1)) index.invalid("boundary_ratio", "a number from 0 to 1");
    return ratio;
}

/// Where the weights of the experts lie.
execution::Execution whereWeightsLie(const pipeline::LoadOptions& options) {
    return options.offload == pipeline::Offload::Blocks ? execution::Execution{} : options.execution;
}

/// What the second expert's weights take, and as much again as half of it to work in.
std::uint64_t roomForSecond(const families::ModelInfo& model, at::ScalarType dtype) {
    for (const families::ComponentInfo& component : model.components)
        if (component.name == kNames[Experts::kLowNoise]) {
            const auto weights = static_cast<std::uint64_t>(component.parameters) * c10::elementSize(dtype);
            return weights + weights / 2;
        }
    return 0;
}

}  // namespace

TransformerOptions transformerOptions(const pipeline::LoadOptions& options) {
    TransformerOptions transformer;
    if (options.offload == pipeline::Offload::Blocks)
        transformer.blocks.residence =
            options.execution.device.is_cpu() ? BlockResidence::Streamed : BlockResidence::Windowed;
    if (options.gemms == pipeline::Gemms::Fp8) transformer.blocks.products = LinearProducts::Fp8;
    if (options.timeGemms == pipeline::TimeGemms::Bf16) transformer.timeProducts = TimeProducts::Bf16;
    return transformer;
}

Experts::Experts(const families::ModelInfo& model, const pipeline::LoadOptions& options, Residence residence)
    : m_checkpoint(model.folder),
      m_options(options),
      m_config(WanTransformerConfig::from(m_checkpoint.config(kNames[kHighNoise]))),
      m_boundaryRatio(boundaryRatioOf(model, m_checkpoint)),
      m_residence(m_boundaryRatio ? residence : Residence::OneAtATime) {
    m_loaded[kHighNoise] = load(kHighNoise);
    if (m_residence == Residence::AsMemoryAllows)
        m_residence =
            execution::availableMemory(whereWeightsLie(options)) >= roomForSecond(model, options.dtype)
                ? Residence::Together
                : Residence::OneAtATime;
    if (m_residence == Residence::Together) m_loaded[kLowNoise] = load(kLowNoise);
}

std::unique_ptr<WanTransformer> Experts::load(Index expert) {
    const bool isSecond = expert == kLowNoise && !m_options.secondLoras.empty();
    const auto& loras = isSecond ? m_options.secondLoras : m_options.loras;
    auto source =
        std::make_unique<weights::LoraWeights>(m_checkpoint.transformer(kNames[expert]), loras, loraNames);
    const TransformerOptions options = transformerOptions(m_options);
    auto transformer = std::make_unique<WanTransformer>(
        WanTransformerConfig::from(m_checkpoint.config(kNames[expert])),
        weights::WeightScope(*source, m_options.dtype, m_options.execution.device), options);
    if (options.blocks.residence == BlockResidence::Streamed) {
        // Once through, so that a LoRA that doesn't fit is refused now.
        if (!loras.empty()) transformer->visitBlocks();
        m_sources[expert] = std::move(source);
        m_sources[expert]->requireAllTaken();
    } else {
        source->requireAllTaken();
    }
    return transformer;
}

Experts::Index Experts::at(double timestep, int trainTimesteps) const {
    return m_boundaryRatio && timestep < *m_boundaryRatio * trainTimesteps ? kLowNoise : kHighNoise;
}

WanTransformer& Experts::use(Index expert, pipeline::StageClock& clock) {
    if (!isLoaded(expert))
        clock.aside("load", [&] {
            for (auto& other : m_loaded) other.reset();
            for (auto& other : m_sources) other.reset();
            m_loaded[expert] = load(expert);
        });
    return *m_loaded[expert];
}

}  // namespace reelgrid::models::wan
