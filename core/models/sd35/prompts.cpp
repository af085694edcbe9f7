#include "core/models/sd35/prompts.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/guidance.h"
#include "core/text/encoders/clip_text_encoder.h"
#include "core/text/encoders/t5_encoder.h"
#include "core/text/tokenizers/cut_prompts.h"
#include "core/weights/model_config.h"
#include "core/weights/shape_check.h"
#include "core/weights/weight_file.h"

namespace reelgrid::models::sd35 {
namespace {

namespace fs = std::filesystem;
using denoising::NamedTensors;

/// What CLIP makes of a prompt: its last layer but one, [1, 77, C], and its projected vector [1, V].
constexpr const char *kStates = "text", *kPooled = "pooled";

weights::ModelConfig configIn(const families::ModelIndex& index, const std::string& component) {
    return {index.config(component).value(), (index.pathOf(component) / "config.json").string()};
}

text::ClipTextConfig clipConfig(const families::ModelIndex& index, const std::string& component) {
    const weights::ModelConfig config = configIn(index, component);
    text::ClipTextConfig found = text::ClipTextConfig::from(config);
    if (found.numHiddenLayers < 2)
        config.invalid("num_hidden_layers", "at least 2 (the last but one is read)");
    return found;
}

class ClipPromptEncoder final : public denoising::PromptEncoder {
  public:
    ClipPromptEncoder(std::shared_ptr<const text::ClipTokenizer> tokenizer, text::ClipTextEncoder encoder)
        : m_tokenizer(std::move(tokenizer)), m_encoder(std::move(encoder)) {}

    NamedTensors encode(const std::string& prompt) const override {
        const auto made = m_encoder.forward(m_tokenizer->encode(prompt).ids);
        return {{kStates, made.layers_NC.back().to(at::kFloat).unsqueeze(0)},
                {kPooled, made.pooled_P.to(at::kFloat).unsqueeze(0)}};
    }

  private:
    std::shared_ptr<const text::ClipTokenizer> m_tokenizer;
    text::ClipTextEncoder m_encoder;
};

std::shared_ptr<const text::ClipTokenizer> clipTokenizer(const families::ModelIndex& index,
                                                         const std::string& tokenizer,
                                                         const std::string& encoder) {
    const text::ClipTextConfig config = clipConfig(index, encoder);
    auto words = std::make_shared<const text::ClipTokenizer>(index.pathOf(tokenizer));
    words->requireLength(text::ClipTokenizer::kLength);
    if (words->idBound() > config.vocabSize)
        throw Failure(ErrorCode::InvalidData, index.pathOf(tokenizer).string() + ": has ids up to " +
                                                  std::to_string(words->idBound() - 1) + ", but " + encoder +
                                                  "'s vocab_size is " + std::to_string(config.vocabSize));
    return words;
}

denoising::PromptMemory clipMemory(const families::ModelIndex& index,
                                   const std::shared_ptr<const text::ClipTokenizer>& words,
                                   const std::string& encoder, const denoising::LoadOptions& options) {
    const auto load = [=, config = clipConfig(index, encoder), path = index.pathOf(encoder),
                       dtype = options.dtype, device = options.execution.device] {
        const weights::WeightFile stored = weights::openWeights(path);
        requireProjection(*stored.weights, path, config);
        return std::make_unique<ClipPromptEncoder>(
            words, text::ClipTextEncoder(config, weights::WeightScope(*stored.weights, dtype, device)));
    };
    return {options.encoders, load};
}

bool hasT5(const families::ModelIndex& index) {
    return !index.classOf("text_encoder_3").empty();
}

text::T5Config t5Config(const families::ModelIndex& index) {
    return text::T5Config::read(configIn(index, "text_encoder_3"));
}

void requireFits(const families::ModelIndex& index, const Sd35TransformerConfig& transformer) {
    const auto first = clipConfig(index, "text_encoder"), second = clipConfig(index, "text_encoder_2");
    const std::int64_t states = first.hiddenSize + second.hiddenSize,
                       pooled = first.projectionDim + second.projectionDim;
    const std::int64_t t5 = hasT5(index) ? t5Config(index).modelSize : transformer.jointAttentionDim;
    if (t5 == transformer.jointAttentionDim && states <= t5 && pooled == transformer.pooledProjectionDim)
        return;
    throw Failure(ErrorCode::InvalidData,
                  index.pathOf("transformer").string() + " has joint_attention_dim " +
                      std::to_string(transformer.jointAttentionDim) + " and pooled_projection_dim " +
                      std::to_string(transformer.pooledProjectionDim) + "; its text encoders need " +
                      std::to_string(t5) + ", at least " + std::to_string(states) + ", and " +
                      std::to_string(pooled));
}

}  // namespace

void requireProjection(const weights::WeightSource& weights, const fs::path& path,
                       const text::ClipTextConfig& config) {
    constexpr const char* kProjection = "text_projection.weight";
    std::error_code failed;
    if (fs::is_directory(path, failed) && !weights.has(kProjection))
        weights::throwMissing(path.string(), kProjection,
                              std::array{config.projectionDim, config.hiddenSize});
}

namespace {

/// What one encoder is given.
struct EncoderTexts {
    std::string prompt, negative;
};

/// Of the first CLIP, the second, T5. As diffusers has it, an empty text of an encoder's own is none.
std::array<EncoderTexts, 3> textsOfEncoders(const catalog::RenderSettings& settings) {
    const auto own = [](const std::optional<std::string>& given, const std::string& shared) {
        return given && !given->empty() ? *given : shared;
    };
    return {EncoderTexts{settings.prompt, settings.negativePrompt},
            EncoderTexts{own(settings.prompt2, settings.prompt),
                         own(settings.negativePrompt2, settings.negativePrompt)},
            EncoderTexts{own(settings.prompt3, settings.prompt),
                         own(settings.negativePrompt3, settings.negativePrompt)}};
}

}  // namespace

/// One encoder with its texts.
struct Texts::Given {
    denoising::PromptMemory* memory;  ///< null: it is left out
    EncoderTexts texts;
    NamedTensors ofPrompt{}, ofNegative{};
};

Texts::Texts(const families::ModelIndex& index, const Sd35TransformerConfig& transformer, std::int64_t tokens,
             const denoising::LoadOptions& options)
    : m_index(index),
      m_options(options),
      m_channels(transformer.jointAttentionDim),
      m_tokens(tokens),
      m_clipTokenizer(clipTokenizer(index, "tokenizer", "text_encoder")),
      m_secondTokenizer(clipTokenizer(index, "tokenizer_2", "text_encoder_2")),
      m_clip(clipMemory(index, m_clipTokenizer, "text_encoder", options)),
      m_second(clipMemory(index, m_secondTokenizer, "text_encoder_2", options)) {
    requireFits(index, transformer);
    if (!hasT5(index)) return;
    m_t5Tokenizer = denoising::loadT5Tokenizer(index.pathOf("tokenizer_3"), t5Config(index));
    m_t5.emplace(t5Memory(tokens));
}

denoising::PromptMemory Texts::t5Memory(std::int64_t tokens) const {
    return denoising::t5Prompts(m_t5Tokenizer, m_index.pathOf("text_encoder_3"), t5Config(m_index), tokens,
                                m_options);
}

std::vector<std::string> Texts::cutPrompts(const catalog::RenderSettings& settings) const {
    const auto [first, second, third] = textsOfEncoders(settings);
    const auto named = [guided = denoising::isGuided(settings)](const EncoderTexts& texts) {
        std::vector<text::NamedPrompt> prompts{{"the prompt", texts.prompt}};
        if (guided) prompts.push_back({"the negative prompt", texts.negative});
        return prompts;
    };
    constexpr std::size_t kClip = text::ClipTokenizer::kLength;
    auto lines = text::cutPrompts(*m_clipTokenizer, kClip, named(first), "CLIP ViT-L");
    const auto add = [&lines](std::vector<std::string> more) {
        lines.insert(lines.end(), more.begin(), more.end());
    };
    add(text::cutPrompts(*m_secondTokenizer, kClip, named(second), "CLIP bigG"));
    if (m_t5Tokenizer)
        add(text::cutPrompts(*m_t5Tokenizer,
                             static_cast<std::size_t>(settings.maxSequenceLength.value_or(m_tokens)),
                             named(third), "T5"));
    return lines;
}

EncodedTexts Texts::encode(const catalog::RenderSettings& settings, denoising::StageClock& clock) {
    if (const std::int64_t tokens = settings.maxSequenceLength.value_or(m_tokens); tokens != m_tokens) {
        if (m_t5) m_t5.emplace(t5Memory(tokens));
        m_tokens = tokens;
    }
    const bool guided = denoising::isGuided(settings);
    const auto [ofFirst, ofSecond, ofT5] = textsOfEncoders(settings);
    std::array<Given, 3> encoders{Given{&m_clip, ofFirst}, Given{&m_second, ofSecond},
                                  Given{m_t5 ? &*m_t5 : nullptr, ofT5}};
    clock.begin("text", (m_t5 ? 3 : 2) * (guided ? 2 : 1));
    int done = 0;
    for (Given& given : encoders) {
        if (given.memory == nullptr) continue;
        const auto encoded = [&](const std::string& text) {
            if (!given.memory->isReadyFor(text)) clock.aside("load", [&] { given.memory->load(); });
            NamedTensors made = given.memory->encode(text);
            clock.advance(++done);
            return made;
        };
        given.ofPrompt = encoded(given.texts.prompt);
        if (guided) given.ofNegative = encoded(given.texts.negative);
        given.memory->release();
    }
    const auto& [clip, second, t5] = encoders;
    EncodedTexts texts{joined(clip.ofPrompt, second.ofPrompt, t5.memory != nullptr ? &t5.ofPrompt : nullptr),
                       {}};
    if (guided)
        texts.negative =
            joined(clip.ofNegative, second.ofNegative, t5.memory != nullptr ? &t5.ofNegative : nullptr);
    return texts;
}

TextStates Texts::joined(const NamedTensors& clip, const NamedTensors& second, const NamedTensors* t5) const {
    const at::Tensor both_1MC = at::cat({clip.at(kStates), second.at(kStates)}, -1);
    const at::Tensor padded_1MT = at::constant_pad_nd(both_1MC, {0, m_channels - both_1MC.size(-1)});
    const at::Tensor last_1MT =
        t5 != nullptr ? t5->at(denoising::kT5Text) : at::zeros({1, m_tokens, m_channels}, both_1MC.options());
    return {at::cat({padded_1MT, last_1MT}, 1), at::cat({clip.at(kPooled), second.at(kPooled)}, -1)};
}

std::int64_t Texts::tokensWith(std::int64_t ofT5) {
    return std::int64_t(text::ClipTokenizer::kLength) + ofT5;
}

std::uint64_t Texts::weightBytes(const families::ModelIndex& index, at::ScalarType dtype) {
    std::uint64_t bytes = 0;
    for (const char* component : {"text_encoder", "text_encoder_2"}) {
        auto config = clipConfig(index, component);
        config.projection = text::ClipTextConfig::Projection::Learned;
        bytes += text::clipTextWeightBytes(config, dtype);
    }
    if (hasT5(index)) bytes += text::t5WeightBytes(t5Config(index), dtype);
    return bytes;
}

}  // namespace reelgrid::models::sd35
