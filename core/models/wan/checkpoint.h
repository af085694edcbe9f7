#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/families/model_index.h"
#include "core/text/encoders/umt5_config.h"
#include "core/text/tokenizers/sentencepiece_tokenizer.h"
#include "core/vae/wan21/vae_checkpoint.h"
#include "core/vision/clip_vision_config.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

namespace reelgrid::models::wan {

/// A Wan model's files in any form, diffusers' folder, that of Wan's authors or a file with the transformer:
/// configurations in diffusers' words and weights by diffusers' and transformers' names. Everything throws
/// Failure naming the file.
class Checkpoint {
  public:
    explicit Checkpoint(const families::ModelSource& source,
                        weights::OpenWeights open = weights::openWeights);
    explicit Checkpoint(const std::filesystem::path& base)
        : Checkpoint(families::ModelSource{.base = base}) {}

    /// model_index.json.
    [[nodiscard]] weights::ModelConfig index() const;
    [[nodiscard]] weights::ModelConfig config(const std::string& component,
                                              const std::string& fileName = "config.json") const;
    [[nodiscard]] std::filesystem::path path(const std::string& component) const {
        return m_index.pathOf(component);
    }
    /// "transformer" or "transformer_2".
    [[nodiscard]] std::unique_ptr<weights::WeightSource> transformer(const std::string& component) const;

    struct TextEncoder {
        text::Umt5Config config;
        std::unique_ptr<weights::WeightSource> weights;
    };
    [[nodiscard]] TextEncoder textEncoder() const;
    [[nodiscard]] text::SentencePieceTokenizer tokenizer() const;
    [[nodiscard]] vae::wan21::VaeCheckpoint vae() const;

    struct ImageEncoder {
        vision::ClipVisionConfig config;
        weights::ModelConfig processor;
        std::unique_ptr<weights::WeightSource> weights;
    };
    /// Of models that have one.
    [[nodiscard]] ImageEncoder imageEncoder() const;

  private:
    families::ModelIndex m_index;
    weights::OpenWeights m_open;
};

}  // namespace reelgrid::models::wan
