#include "core/models/wan/experts.h"

#include <algorithm>
#include <cmath>

#include "core/base/result.h"
#include "core/execution/memory_check.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[Experts::kMost] = {"transformer", "transformer_2"};

/// Of timesteps, below which the second expert predicts; nothing in a model with one.
std::optional<double> boundaryRatioOf(const families::ModelInfo& model) {
    const bool two = std::ranges::any_of(model.components, [](const families::ComponentInfo& component) {
        return component.name == kFolders[Experts::kLowNoise];
    });
    if (!two) return std::nullopt;
    const auto index = weights::ModelConfig::read(model.folder, "model_index.json");
    const double ratio = index.number("boundary_ratio");
    if (!(ratio >= 0 && ratio <= 1)) index.invalid("boundary_ratio", "a number from 0 to 1");
    return ratio;
}

/// What the second expert's weights take, and as much again as half of it to work in.
std::uint64_t roomForSecond(const families::ModelInfo& model, at::ScalarType dtype) {
    for (const families::ComponentInfo& component : model.components)
        if (component.name == kFolders[Experts::kLowNoise]) {
            const auto weights = static_cast<std::uint64_t>(component.parameters) * c10::elementSize(dtype);
            return weights + weights / 2;
        }
    return 0;
}

}  // namespace

Experts::Experts(const families::ModelInfo& model, const pipeline::LoadOptions& options, Residence residence)
    : m_folder(model.folder),
      m_options(options),
      m_config(WanTransformerConfig::from(weights::ModelConfig::read(model.folder / kFolders[kHighNoise]))),
      m_boundaryRatio(boundaryRatioOf(model)),
      m_residence(m_boundaryRatio ? residence : Residence::OneAtATime) {
    m_loaded[kHighNoise] = load(kHighNoise);
    if (m_residence == Residence::AsMemoryAllows)
        m_residence = execution::availableMemory(options.execution) >= roomForSecond(model, options.dtype)
                          ? Residence::Together
                          : Residence::OneAtATime;
    if (m_residence == Residence::Together) m_loaded[kLowNoise] = load(kLowNoise);
}

std::unique_ptr<WanTransformer> Experts::load(Index expert) const {
    const fs::path folder = m_folder / kFolders[expert];
    weights::SafetensorsFolder source(folder);
    return std::make_unique<WanTransformer>(
        WanTransformerConfig::from(weights::ModelConfig::read(folder)),
        weights::WeightScope(source, m_options.dtype, m_options.execution.device));
}

Experts::Index Experts::at(double timestep, int trainTimesteps) const {
    return m_boundaryRatio && timestep < *m_boundaryRatio * trainTimesteps ? kLowNoise : kHighNoise;
}

WanTransformer& Experts::use(Index expert, pipeline::StageClock& clock) {
    if (!isLoaded(expert))
        clock.aside("load", [&] {
            for (auto& other : m_loaded) other.reset();
            m_loaded[expert] = load(expert);
        });
    return *m_loaded[expert];
}

}  // namespace reelgrid::models::wan
