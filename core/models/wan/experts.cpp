#include "core/models/wan/experts.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"
#include "core/execution/memory_check.h"
#include "core/models/wan/lora_names.h"
#include "core/parallel/rank_group.h"
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
execution::Execution whereWeightsLie(const denoising::LoadOptions& options) {
    return options.offload == denoising::Offload::Blocks ? execution::Execution{} : options.execution;
}

/// What the second expert's weights take, and as much again as half of it to work in.
std::uint64_t roomForSecond(const families::ModelInfo& model, at::ScalarType dtype, int shards) {
    for (const families::ComponentInfo& component : model.components)
        if (component.name == kNames[Experts::kLowNoise]) {
            const auto weights = static_cast<std::uint64_t>(component.parameters) * c10::elementSize(dtype);
            return (weights + weights / 2) / static_cast<std::uint64_t>(shards);
        }
    return 0;
}

/// What is free where they lie; of ranks that share weights the least, so that all load the same.
std::uint64_t freeForWeights(const denoising::LoadOptions& options) {
    const std::uint64_t here = execution::availableMemory(whereWeightsLie(options));
    parallel::Mesh* const mesh = options.weightShards > 1 ? options.execution.mesh : nullptr;
    if (mesh == nullptr) return here;
    return static_cast<std::uint64_t>(-mesh->group().all().largest({-static_cast<double>(here)}).front());
}

}  // namespace

Experts::Experts(const families::ModelInfo& model, const denoising::LoadOptions& options, Residence residence)
    : m_checkpoint(model.source()),
      m_options(options),
      m_config(WanTransformerConfig::from(m_checkpoint.config(kNames[kHighNoise]))),
      m_boundaryRatio(boundaryRatioOf(model, m_checkpoint)),
      m_residence(m_boundaryRatio ? residence : Residence::OneAtATime) {
    if (options.execution.mesh != nullptr) options.execution.mesh->requireHeads(m_config.numAttentionHeads);
    m_loaded[kHighNoise] = load(kHighNoise);
    if (m_residence == Residence::AsMemoryAllows)
        m_residence = freeForWeights(options) >= roomForSecond(model, options.dtype, options.weightShards)
                          ? Residence::Together
                          : Residence::OneAtATime;
    if (m_residence == Residence::Together) m_loaded[kLowNoise] = load(kLowNoise);
}

std::unique_ptr<Experts::Loaded> Experts::load(Index expert) {
    const auto& loras = expert == kLowNoise ? m_options.secondLoras : m_options.loras;
    auto source =
        std::make_unique<weights::LoraWeights>(m_checkpoint.transformer(kNames[expert]), loras, loraNames);
    if (m_config.imageDim == 0) source->leaveOut(isOfPictureLayer);
    return std::make_unique<Loaded>(std::move(source), loras, m_options, [&](weights::WeightSource& from) {
        return WanTransformer(WanTransformerConfig::from(m_checkpoint.config(kNames[expert])),
                              weights::WeightScope(from, m_options.dtype, m_options.execution.device),
                              {.blocks = denoising::blockOptions(m_options),
                               .timeProducts = denoising::timeProducts(m_options)});
    });
}

std::vector<std::string> Experts::remarks() const {
    std::vector<std::string> lines;
    for (const Index expert : {kHighNoise, kLowNoise}) {
        if (expert == kLowNoise && !m_boundaryRatio) continue;
        for (const char* key : {"config_passed_over", "fewer_blocks"}) {
            std::string line = m_checkpoint.config(kNames[expert]).textOr(key, "");
            if (!line.empty()) lines.push_back(std::move(line));
        }
    }
    if (m_config.imageDim > 0) return lines;
    std::vector<weights::Lora> loras = m_options.loras;
    if (m_boundaryRatio)
        loras.insert(loras.end(), m_options.secondLoras.begin(), m_options.secondLoras.end());
    for (std::string& line : weights::leftOutOf(loras, isOfPictureLayer, "of layers that this model lacks"))
        lines.push_back(std::move(line));
    return lines;
}

Experts::Index Experts::at(double timestep, int trainTimesteps,
                           const std::optional<double>& boundaryRatio) const {
    if (!m_boundaryRatio) return kHighNoise;
    return timestep < boundaryRatio.value_or(*m_boundaryRatio) * trainTimesteps ? kLowNoise : kHighNoise;
}

WanTransformer& Experts::use(Index expert, denoising::StageClock& clock) {
    if (!isLoaded(expert))
        clock.aside("load", [&] {
            for (auto& other : m_loaded) other.reset();
            m_loaded[expert] = load(expert);
        });
    return **m_loaded[expert];
}

}  // namespace reelgrid::models::wan
