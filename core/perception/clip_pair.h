#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <memory>
#include <string>

#include "core/text/encoders/clip_text_encoder.h"
#include "core/text/tokenizers/clip_tokenizer.h"
#include "core/vision/clip_image_processor.h"
#include "core/vision/clip_vision_encoder.h"
#include "core/weights/weight_file.h"

namespace reelgrid::perception {

/// A text among CLIP's pictures.
struct ClipText {
    at::Tensor features_D;   ///< of length 1
    std::size_t length = 0;  ///< tokens that there is room for, begin and end among them
    std::string cut;         ///< what of the text there was no room for; empty: nothing
};

/// A whole CLIP: pictures and texts in one space. The folder is transformers' CLIPModel
/// ("openai/clip-vit-base-patch32").
class ClipPair {
  public:
    /// Reads config.json, model.safetensors or pytorch_model.bin and, for texts, the tokenizer's files.
    /// Throws Failure naming what is missing or wrong.
    ClipPair(const std::filesystem::path& folder, at::Device device);

    /// Pictures [P, 3, side, side], normalised → [P, dimensions] of length 1.
    [[nodiscard]] at::Tensor pictures(const at::Tensor& pixels_P3YX) const;
    /// A text, cut where CLIP's 77 tokens end.
    [[nodiscard]] ClipText text(const std::string& prompt) const;

    /// As CLIP's own processor prepares them.
    [[nodiscard]] const vision::ClipImageProcessor& processor() const { return m_processor; }
    [[nodiscard]] std::int64_t side() const { return m_vision->config().imageSize; }

  private:
    weights::WeightFile m_file;
    std::filesystem::path m_folder;
    vision::ClipImageProcessor m_processor;
    std::unique_ptr<vision::ClipVisionEncoder> m_vision;
    std::unique_ptr<text::ClipTextEncoder> m_text;
    at::Device m_device;
};

}  // namespace reelgrid::perception
