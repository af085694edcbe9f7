#pragma once

// Shape legend: M text tokens, T text channels, V channels of a pooled prompt.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/denoising/prompt_memory.h"
#include "core/denoising/t5_prompts.h"
#include "core/families/model_index.h"
#include "core/models/sd35/config.h"
#include "core/text/encoders/clip_text_config.h"
#include "core/text/tokenizers/clip_tokenizer.h"
#include "core/weights/weight_source.h"

namespace reelgrid::models::sd35 {

/// A prompt as the transformer is told it: fp32 on the encoders' device.
struct TextStates {
    at::Tensor tokens_1MT, pooled_1V;
};

/// A render's prompts; without guidance there is no negative one.
struct EncodedTexts {
    TextStates prompt;
    std::optional<TextStates> negative;
};

/// That a CLIP's folder has the projection of the pooled vector, without which that is another one. A single
/// file may lack it: it is the identity there. Throws Failure(InvalidData).
void requireProjection(const weights::WeightSource& weights, const std::filesystem::path& path,
                       const text::ClipTextConfig& config);

/// CLIP ViT-L and bigG, each with its pooled vector, and T5, which may be left out: zeros are in its place.
/// Each is given a text of its own and, where encoders don't stay, is in memory alone. Source: diffusers
/// 0.40, pipeline_stable_diffusion_3.py (encode_prompt).
class Texts {
  public:
    /// Throws Failure naming the file and what is wrong with it, or that the encoders don't fit to the
    /// transformer. `tokens`: of T5.
    Texts(const families::ModelIndex& index, const Sd35TransformerConfig& transformer, std::int64_t tokens,
          const denoising::LoadOptions& options);

    /// The stage "text".
    [[nodiscard]] EncodedTexts encode(const catalog::RenderSettings& settings, denoising::StageClock& clock);
    /// A line for each encoder and prompt that it has no room for: what of it is cut.
    [[nodiscard]] std::vector<std::string> cutPrompts(const catalog::RenderSettings& settings) const;

    /// Tokens of a prompt with so many of T5.
    static std::int64_t tokensWith(std::int64_t ofT5);
    /// Of the encoders' weights in a model of that dtype.
    static std::uint64_t weightBytes(const families::ModelIndex& index, at::ScalarType dtype);

  private:
    using ClipTokenizer = std::shared_ptr<const text::ClipTokenizer>;
    struct Given;
    [[nodiscard]] denoising::PromptMemory t5Memory(std::int64_t tokens) const;
    [[nodiscard]] TextStates joined(const denoising::NamedTensors& clip,
                                    const denoising::NamedTensors& second,
                                    const denoising::NamedTensors* t5) const;

    families::ModelIndex m_index;
    denoising::LoadOptions m_options;
    std::int64_t m_channels;  ///< T
    std::int64_t m_tokens;    ///< of T5
    ClipTokenizer m_clipTokenizer, m_secondTokenizer;
    denoising::T5Tokenizer m_t5Tokenizer;  ///< null: T5 is left out
    denoising::PromptMemory m_clip, m_second;
    std::optional<denoising::PromptMemory> m_t5;
};

}  // namespace reelgrid::models::sd35
