#include "tests/gpu/timed_transformer.h"

#include <vector>

#include "core/base/result.h"
#include "core/models/cogvideox/transformer.h"
#include "core/models/wan/transformer.h"

namespace reelgrid {
namespace {

constexpr int kPrompts = 2;
constexpr double kTimestep = 700;

class TimedWan final : public TimedTransformer {
  public:
    /// pixels: of a latent's edge.
    TimedWan(const models::wan::WanTransformerConfig& config, std::int64_t pixels,
             weights::WeightSource& source, const execution::Execution& gpu,
             const models::BlockOptions& blocks)
        : m_pixels(pixels),
          m_options(at::TensorOptions().device(gpu.device)),
          m_model(config, weights::WeightScope(source, at::kBFloat16, gpu.device), {.blocks = blocks}) {}

    [[nodiscard]] std::int64_t heads() const override { return m_model.config().numAttentionHeads; }
    [[nodiscard]] std::uint64_t blockBytes() const override { return m_model.blockBytes(); }
    void prepare(const PassSize& size) override {
        constexpr std::int64_t kTextTokens = 512;
        at::manual_seed(7);
        m_latents = at::randn({1, m_model.config().inChannels, (size.frames - 1) / 4 + 1,
                               size.height / m_pixels, size.width / m_pixels},
                              m_options);
        at::manual_seed(11);
        m_texts.clear();
        for (int prompt = 0; prompt < kPrompts; ++prompt)
            m_texts.push_back(
                m_model.prepareText(at::randn({1, kTextTokens, m_model.config().textDim}, m_options)));
    }
    [[nodiscard]] at::Tensor pass(int prompt, attention::Dispatcher& dispatcher,
                                  parallel::Mesh* mesh) override {
        return m_model.forward(m_latents, m_model.embedTimestep(kTimestep),
                               m_texts[static_cast<std::size_t>(prompt)], {dispatcher, nullptr, mesh});
    }

  private:
    std::int64_t m_pixels;
    at::TensorOptions m_options;
    models::wan::WanTransformer m_model;
    at::Tensor m_latents;
    std::vector<models::wan::PreparedText> m_texts;
};

class TimedCogVideoX final : public TimedTransformer {
  public:
    TimedCogVideoX(const models::cogvideox::CogVideoXTransformerConfig& config, weights::WeightSource& source,
                   const execution::Execution& gpu, const models::BlockOptions& blocks)
        : m_options(at::TensorOptions().device(gpu.device)),
          m_model(config, weights::WeightScope(source, at::kBFloat16, gpu.device), blocks) {}

    [[nodiscard]] std::int64_t heads() const override { return m_model.config().numAttentionHeads; }
    [[nodiscard]] std::uint64_t blockBytes() const override { return m_model.blockBytes(); }
    void prepare(const PassSize& size) override {
        const auto& config = m_model.config();
        at::manual_seed(7);
        m_latents = at::randn({1, config.inChannels, (size.frames - 1) / config.temporalCompressionRatio + 1,
                               size.height / 8, size.width / 8},
                              m_options);
        at::manual_seed(11);
        m_texts.clear();
        for (int prompt = 0; prompt < kPrompts; ++prompt)
            m_texts.push_back(
                m_model.prepareText(at::randn({1, config.maxTextSeqLength, config.textEmbedDim}, m_options)));
    }
    [[nodiscard]] at::Tensor pass(int prompt, attention::Dispatcher& dispatcher,
                                  parallel::Mesh* mesh) override {
        return m_model.forward(m_latents, m_model.embedTimestep(kTimestep),
                               m_texts[static_cast<std::size_t>(prompt)], {dispatcher, nullptr, mesh});
    }

  private:
    at::TensorOptions m_options;
    models::cogvideox::CogVideoXTransformer m_model;
    at::Tensor m_latents;
    std::vector<at::Tensor> m_texts;
};

}  // namespace

std::unique_ptr<TimedTransformer> timedTransformer(const std::string& name, weights::WeightSource& source,
                                                   const execution::Execution& gpu,
                                                   const models::BlockOptions& blocks) {
    const auto wan = [&](const models::wan::WanTransformerConfig& config, std::int64_t pixels) {
        return std::make_unique<TimedWan>(config, pixels, source, gpu, blocks);
    };
    if (name == "wan-14b") return wan({}, 8);
    if (name == "wan-1.3b") return wan({.numAttentionHeads = 12, .ffnDim = 8960, .numLayers = 30}, 8);
    if (name == "wan-5b")
        return wan(
            {.numAttentionHeads = 24, .inChannels = 48, .outChannels = 48, .ffnDim = 14336, .numLayers = 30},
            16);
    if (name == "cogvideox-5b") {
        models::cogvideox::CogVideoXTransformerConfig config;
        config.numAttentionHeads = 48;
        config.numLayers = 42;
        config.useRotaryPositionalEmbeddings = true;
        return std::make_unique<TimedCogVideoX>(config, source, gpu, blocks);
    }
    throw Failure(ErrorCode::BadUsage, name + ": wan-1.3b, wan-5b, wan-14b or cogvideox-5b was needed");
}

}  // namespace reelgrid
