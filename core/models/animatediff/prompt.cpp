#include "core/models/animatediff/prompt.h"

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/guidance.h"
#include "core/denoising/prompt_travel.h"
#include "core/models/animatediff/checkpoint.h"
#include "core/models/animatediff/lora_names.h"
#include "core/text/encoders/clip_text_encoder.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::animatediff {
namespace {

/// The name of what CLIP makes of a prompt without its last layers, [1, N, X].
std::string textOf(std::int64_t clipSkip) {
    return "text." + std::to_string(clipSkip);
}

class ClipPromptEncoder final : public denoising::PromptEncoder {
  public:
    ClipPromptEncoder(Tokenizer tokenizer, text::ClipTextEncoder encoder)
        : m_tokenizer(std::move(tokenizer)), m_encoder(std::move(encoder)) {}

    denoising::NamedTensors encode(const std::string& prompt) const override {
        const auto length = static_cast<std::size_t>(m_encoder.config().maxPositionEmbeddings);
        const auto output = m_encoder.forward(m_tokenizer->encode(prompt, length).ids);
        denoising::NamedTensors tensors;
        // Every depth that a render may ask for: a prompt that is known needs no encoder.
        for (std::int64_t skip = 0; skip < m_encoder.config().numHiddenLayers; ++skip)
            tensors[textOf(skip)] = m_encoder.skipping(output, skip).to(at::kFloat).unsqueeze(0);
        return tensors;
    }

  private:
    Tokenizer m_tokenizer;
    text::ClipTextEncoder m_encoder;
};

at::Tensor textAt(const denoising::NamedTensors& prompt, int clipSkip) {
    const auto found = prompt.find(textOf(clipSkip));
    if (found == prompt.end())
        throw Failure(ErrorCode::BadUsage, "--clip-skip " + std::to_string(clipSkip) + ": 0 to " +
                                               std::to_string(prompt.size() - 1) +
                                               " is needed, of the text encoder's layers one has to be left");
    return found->second;
}

}  // namespace

text::ClipTextConfig textEncoderConfig(const families::ModelIndex& index) {
    const weights::ModelConfig config(index.config("text_encoder").value(),
                                      (index.pathOf("text_encoder") / "config.json").string());
    // The reference's pipeline then hides a prompt's padding, which others see.
    if (config.flagOr("use_attention_mask", false)) config.unsupported("use_attention_mask", "false");
    return text::ClipTextConfig::from(config);
}

Tokenizer loadTokenizer(const families::ModelIndex& index) {
    auto tokenizer = std::make_shared<const text::ClipTokenizer>(index.pathOf("tokenizer"));
    const text::ClipTextConfig encoder = textEncoderConfig(index);
    tokenizer->requireLength(static_cast<std::size_t>(encoder.maxPositionEmbeddings));
    const std::int64_t vocabulary = encoder.vocabSize;
    if (tokenizer->idBound() > vocabulary)
        throw Failure(ErrorCode::InvalidData, index.pathOf("tokenizer").string() + ": has ids up to " +
                                                  std::to_string(tokenizer->idBound() - 1) +
                                                  ", but the text encoder's vocab_size is " +
                                                  std::to_string(vocabulary));
    return tokenizer;
}

denoising::PromptMemory promptMemory(const families::ModelIndex& index, const Tokenizer& tokenizer,
                                     const denoising::LoadOptions& options) {
    const auto load = [=] {
        weights::LoraWeights source(openTextEncoder(index.pathOf("text_encoder")), options.loras,
                                    textLoraNames, loraShare(LoraPart::Text));
        auto encoder = std::make_unique<ClipPromptEncoder>(
            tokenizer,
            text::ClipTextEncoder(textEncoderConfig(index),
                                  weights::WeightScope(source, options.dtype, options.execution.device),
                                  text::ClipTextEncoder::Pooled::Unread));
        source.requireAllTaken();
        return encoder;
    };
    return {options.encoders, load};
}

ClipTexts encodeTexts(denoising::PromptMemory& memory, const catalog::RenderSettings& settings,
                      denoising::StageClock& clock) {
    const auto atFrames = denoising::promptsAtFrames(settings);
    std::vector<std::string> prompts;
    for (const auto& at : atFrames) prompts.push_back(at.prompt);
    const bool guided = denoising::isGuided(settings);
    if (guided) prompts.push_back(settings.negativePrompt);
    std::vector<at::Tensor> texts_1NX;
    for (const auto& encoded : denoising::encodePrompts(memory, prompts, clock))
        // As in the reference the negative prompt goes through all layers.
        texts_1NX.push_back(textAt(encoded, texts_1NX.size() < atFrames.size() ? settings.clipSkip : 0));
    return {denoising::textOfFrames(atFrames, texts_1NX, settings.numFrames),
            guided ? texts_1NX.back() : at::Tensor()};
}

}  // namespace reelgrid::models::animatediff
