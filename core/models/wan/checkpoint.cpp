#include "core/models/wan/checkpoint.h"

#include <utility>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/models/wan/linear_patch.h"
#include "core/models/wan/original_names.h"
#include "core/text/encoders/umt5_original.h"
#include "core/vision/clip_original.h"
#include "core/weights/int8_blocks.h"
#include "core/weights/renamed_weights.h"

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;

bool isFolder(const fs::path& path) {
    std::error_code failed;
    return fs::is_directory(path, failed);
}

/// What CLIPImageProcessor does by itself, for pictures of that edge.
weights::ModelConfig usualProcessor(std::int64_t edge) {
    return {{{"size", {{"shortest_edge", edge}}}, {"crop_size", {{"height", edge}, {"width", edge}}}},
            "the image encoder's preprocessor_config.json"};
}

}  // namespace

Checkpoint::Checkpoint(const families::ModelSource& source, weights::OpenWeights open)
    : m_index(families::ModelIndex::read(source).value()), m_open(std::move(open)) {}

weights::ModelConfig Checkpoint::index() const {
    return {m_index.json(), (m_index.folder() / "model_index.json").string()};
}

weights::ModelConfig Checkpoint::config(const std::string& component, const std::string& fileName) const {
    return {m_index.config(component, fileName).value(), (path(component) / fileName).string()};
}

std::unique_ptr<weights::WeightSource> Checkpoint::transformer(const std::string& component) const {
    auto stored = std::make_unique<LinearPatchWeights>(m_open(path(component)));
    return byDiffusersNames(std::make_unique<weights::Int8BlockWeights>(std::move(stored)));
}

Checkpoint::TextEncoder Checkpoint::textEncoder() const {
    const fs::path where = path("text_encoder");
    weights::WeightFile file = m_open(where);
    if (isFolder(where))
        return {text::Umt5Config::read(weights::ModelConfig::read(where)), std::move(file.weights)};
    const text::Umt5Names names = text::umt5NamesOf(*file.weights);
    const auto config = text::umt5ConfigOf(file.shapeOf, names, where.string());
    if (names == text::Umt5Names::Transformers) return {config, std::move(file.weights)};
    return {config,
            std::make_unique<weights::RenamedWeights>(std::move(file.weights), text::originalUmt5Name)};
}

text::SentencePieceTokenizer Checkpoint::tokenizer() const {
    const fs::path folder = path("tokenizer");
    if (!folder.empty()) return text::SentencePieceTokenizer(folder);
    constexpr const char* kTensor = "spiece_model";
    const fs::path inside = path("text_encoder");
    const weights::WeightFile file = weights::openWeights(inside);
    const auto shape = file.shapeOf(kTensor);
    if (!shape)
        throw Failure(ErrorCode::InvalidData, inside.string() + ": tensor " + kTensor + " is missing");
    const at::Tensor bytes = file.weights->require(kTensor, *shape).contiguous();
    return text::SentencePieceTokenizer::ofModel(
        {static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()},
        inside.string() + ": tensor " + kTensor);
}

vae::wan21::VaeCheckpoint Checkpoint::vae() const {
    return vae::wan21::openCheckpoint(path("vae"), m_open);
}

Checkpoint::ImageEncoder Checkpoint::imageEncoder() const {
    const fs::path where = path("image_encoder");
    weights::WeightFile file = m_open(where);
    if (isFolder(where)) {
        const auto config = vision::ClipVisionConfig::from(weights::ModelConfig::read(where));
        const fs::path beside = where.parent_path() / "image_processor";
        return {config,
                m_index.file().empty() && !isFolder(beside)
                    ? usualProcessor(config.imageSize)
                    : weights::ModelConfig::read(beside, "preprocessor_config.json"),
                std::move(file.weights)};
    }
    const auto config = vision::clipConfigOf(*file.weights, file.shapeOf, where.string());
    return {config, usualProcessor(config.imageSize), vision::byTransformersNames(std::move(file.weights))};
}

}  // namespace reelgrid::models::wan
