#include "core/models/wan/checkpoint.h"

#include "core/models/wan/original_names.h"
#include "core/text/encoders/umt5_original.h"
#include "core/weights/pt_weights.h"
#include "core/weights/renamed_weights.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::models::wan {

namespace fs = std::filesystem;

Checkpoint::Checkpoint(const fs::path& folder) : m_index(families::ModelIndex::read(folder).value()) {}

weights::ModelConfig Checkpoint::index() const {
    return {m_index.json(), (m_index.folder() / "model_index.json").string()};
}

weights::ModelConfig Checkpoint::config(const std::string& component, const std::string& fileName) const {
    return {m_index.config(component, fileName).value(), (path(component) / fileName).string()};
}

std::unique_ptr<weights::WeightSource> Checkpoint::transformer(const std::string& component) const {
    return byDiffusersNames(std::make_unique<weights::SafetensorsFolder>(path(component)));
}

Checkpoint::TextEncoder Checkpoint::textEncoder() const {
    constexpr const char* kComponent = "text_encoder";
    const fs::path where = path(kComponent);
    std::error_code failed;
    if (fs::is_directory(where, failed))
        return {text::Umt5Config::read(config(kComponent)),
                std::make_unique<weights::SafetensorsFolder>(where)};
    auto file = std::make_unique<weights::PtWeights>(where);
    const auto config = text::originalUmt5Config(
        [&file](const std::string& name) { return file->shapeOf(name); }, where.string());
    return {config, std::make_unique<weights::RenamedWeights>(std::move(file), text::originalUmt5Name)};
}

}  // namespace reelgrid::models::wan
