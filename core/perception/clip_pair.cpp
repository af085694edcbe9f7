#include "core/perception/clip_pair.h"

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/perception/metric_weights.h"
#include "core/weights/model_config.h"

namespace reelgrid::perception {
namespace {

namespace fs = std::filesystem;
using weights::ModelConfig;

ModelConfig partOf(const ModelConfig& config, const std::string& key) {
    if (!config.isObject(key)) config.invalid(key, "an object: the configuration of transformers' CLIPModel");
    return config.object(key);
}

/// Whose tensors have the same names (SigLIP) may have another network.
ModelConfig clipConfigIn(const fs::path& folder) {
    ModelConfig config = ModelConfig::read(folder);
    if (config.textOr("model_type", "clip") != "clip") config.unsupported("model_type", "\"clip\"");
    return config;
}

ModelConfig processorConfigIn(const fs::path& folder, const char* file) {
    ModelConfig config = ModelConfig::read(folder, file);
    // CLIPImageProcessor, CLIPImageProcessorFast; CLIPFeatureExtractor of older files.
    for (const char* key : {"image_processor_type", "feature_extractor_type"})
        if (!config.textOr(key, "CLIP").starts_with("CLIP"))
            config.unsupported(key, "\"CLIPImageProcessor\"");
    return config;
}

vision::ClipImageProcessor processorIn(const fs::path& folder, const vision::ClipVisionConfig& config) {
    constexpr const char* kFile = "preprocessor_config.json";
    std::error_code failed;
    if (fs::exists(folder / kFile, failed))
        return vision::ClipImageProcessor(processorConfigIn(folder, kFile));
    return vision::ClipImageProcessor(
        ModelConfig({{"size", config.imageSize}, {"crop_size", config.imageSize}}, folder.string()));
}

vision::ClipVisionConfig visionConfigOf(const ModelConfig& config) {
    auto vision = vision::ClipVisionConfig::from(partOf(config, "vision_config"));
    vision.projectionDim = config.positiveOr("projection_dim", vision.projectionDim, 1 << 16);
    return vision;
}

text::ClipTextConfig textConfigOf(const ModelConfig& config) {
    auto text = text::ClipTextConfig::from(partOf(config, "text_config"));
    text.projectionDim = config.positiveOr("projection_dim", text.projectionDim, 1 << 16);
    return text;
}

at::Tensor ofLengthOne(const at::Tensor& features) {
    return features / features.norm(2, -1, true);
}

}  // namespace

ClipPair::ClipPair(const fs::path& folder, at::Device device)
    : m_file(weights::openWeights(folder)),
      m_folder(folder),
      m_processor(processorIn(folder, visionConfigOf(clipConfigIn(folder)))),
      m_device(device) {
    const ModelConfig config = clipConfigIn(folder);
    const weights::WeightScope all(*m_file.weights, at::kFloat, device);
    m_vision = std::make_unique<vision::ClipVisionEncoder>(visionConfigOf(config), all,
                                                           vision::ClipOutput::Embedding);
    m_text = std::make_unique<text::ClipTextEncoder>(textConfigOf(config), all);
    if (m_text->config().projection != text::ClipTextConfig::Projection::Learned)
        throw Failure(ErrorCode::InvalidData, all.whereIs("text_projection.weight") + " is missing");
}

at::Tensor ClipPair::pictures(const at::Tensor& pixels_P3YX) const {
    return ofLengthOne(m_vision->forward(pixels_P3YX.to(m_device)));
}

ClipText ClipPair::text(const std::string& prompt) const {
    const text::ClipTokenizer tokenizer(m_folder);
    const auto length = std::min<std::size_t>(text::ClipTokenizer::kLength,
                                              std::size_t(m_text->config().maxPositionEmbeddings));
    const text::ClipTokenIds tokens = tokenizer.encode(prompt, length);
    return {ofLengthOne(m_text->forward(std::span(tokens.ids).first(tokens.count)).pooled_P), length,
            tokens.cut};
}

}  // namespace reelgrid::perception
