#include "core/models/sd35/transformer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/execution/trace_range.h"
#include "core/models/layers/weight_bytes.h"

namespace reelgrid::models::sd35 {
namespace {

constexpr double kLastNormEps = 1e-6;

Linear loadPatchEmbedding(const Sd35TransformerConfig& config, const weights::WeightScope& scope) {
    const auto c = config.innerDim(), p = config.patchSize;
    return {scope("weight", {c, config.inChannels, p, p}).reshape({c, -1}), scope("bias", {c})};
}

void requireLatents(const at::Tensor& latents_1ZFYX, const Sd35TransformerConfig& config) {
    const bool fits = latents_1ZFYX.dim() == 5 && latents_1ZFYX.size(0) == 1 && latents_1ZFYX.numel() > 0 &&
                      latents_1ZFYX.size(1) == config.inChannels &&
                      latents_1ZFYX.size(3) % config.patchSize == 0 &&
                      latents_1ZFYX.size(4) % config.patchSize == 0;
    if (!fits)
        throw Failure(ErrorCode::BadUsage, "latents are " + c10::str(latents_1ZFYX.sizes()) + ", [1, " +
                                               std::to_string(config.inChannels) +
                                               ", frames, rows, columns] with multiples of " +
                                               std::to_string(config.patchSize) + " are needed");
}

}  // namespace

Sd35Transformer::Sd35Transformer(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                                 const BlockOptions& options, TimeProducts timeProducts)
    : m_config(config),
      m_dtype(scope.dtype()),
      m_patchEmbedding(loadPatchEmbedding(config, scope / "pos_embed" / "proj")),
      m_positions(config, scope / "pos_embed"),
      m_timeText(config, scope / "time_text_embed", timeProducts),
      m_contextEmbedder(
          Linear::load(scope / "context_embedder", config.jointAttentionDim, config.innerDim())),
      m_normOut(Linear::load(scope / "norm_out" / "linear", config.innerDim(), 2 * config.innerDim())),
      m_projOut(Linear::load(scope / "proj_out", config.innerDim(), config.outChannels * config.patchArea())),
      m_residence(options.residence),
      m_blocks(config, scope / "transformer_blocks", options) {}

void Sd35Transformer::visitBlocks() {
    for (int layer = 0; layer < m_blocks.count(); ++layer) (void)m_blocks.use(layer);
}

at::Tensor Sd35Transformer::prepareText(const at::Tensor& text_1MT) const {
    return m_contextEmbedder(text_1MT.to(m_contextEmbedder.weight.options()));
}

at::Tensor Sd35Transformer::preparePooled(const at::Tensor& pooled_PV) const {
    return m_timeText.ofText(pooled_PV);
}

StepEmbedding Sd35Transformer::embedTimestep(double timestep, const at::Tensor& pooled_PC) {
    StepEmbedding step{at::silu(m_timeText.ofTime(timestep) + pooled_PC).to(m_dtype)};
    // Blocks that come and go would have to come once more for it.
    if (m_residence == BlockResidence::Held)
        for (int layer = 0; layer < m_blocks.count(); ++layer)
            step.blocks_PRC.push_back(m_blocks.use(layer).modulation(step.embedding_PC));
    // Scale and shift: AdaLayerNormContinuous.
    step.out_P2C = m_normOut(step.embedding_PC).to(at::kFloat).unflatten(-1, {2, -1});
    step.out_P2C.select(1, 0).add_(1);
    return step;
}

/// A forward pass on its way through the blocks.
struct Sd35Transformer::Pass {
    std::int64_t rows, columns;
    std::int64_t prompt;
    const StepEmbedding& step;
    Streams streams;
};

Sd35Transformer::Pass Sd35Transformer::begin(const at::Tensor& latents_1ZFYX, const StepEmbedding& step,
                                             const PreparedText& text) {
    requireLatents(latents_1ZFYX, m_config);
    const std::int64_t rows = latents_1ZFYX.size(3) / m_config.patchSize,
                       columns = latents_1ZFYX.size(4) / m_config.patchSize;
    const at::Tensor& positions_NC = m_positions.of(rows, columns);
    const at::Tensor frames_FNC = m_patchEmbedding(patchify(latents_1ZFYX)).to(at::kFloat) + positions_NC;
    const at::Tensor text_FMC =
        text.tokens_1MC.to(at::kFloat).expand({frames_FNC.size(0), -1, -1}).contiguous();
    // A stream is written where it lies: not into the prompt.
    const bool isOwn = !text_FMC.is_alias_of(text.tokens_1MC);
    return {rows,
            columns,
            text.index,
            step,
            {ResidualStream(frames_FNC), ResidualStream(isOwn ? text_FMC : text_FMC.clone())}};
}

void Sd35Transformer::runBlocks(Pass& pass, int first, int end, const attention::LayerContext& context,
                                std::span<const int> skipped) {
    attention::LayerContext inGrid = context;
    inGrid.grid = {.frames = 1, .rows = pass.rows, .columns = pass.columns};
    for (int layer = first; layer < end; ++layer) {
        if (std::ranges::find(skipped, layer) != skipped.end()) continue;
        const execution::TraceRange range([&] { return "layer " + std::to_string(layer); });
        const Block& block = m_blocks.use(layer);
        const at::Tensor modulation_PRC = pass.step.blocks_PRC.empty()
                                              ? block.modulation(pass.step.embedding_PC)
                                              : pass.step.blocks_PRC[static_cast<std::size_t>(layer)];
        block.forward(pass.streams, modulation_PRC[pass.prompt], m_temporal, inGrid);
    }
}

at::Tensor Sd35Transformer::finish(const Pass& pass, const at::Tensor& x_FNC,
                                   const attention::LayerContext& context) const {
    const at::Tensor out_2C = pass.step.out_P2C[pass.prompt];
    const auto normed = [&] {
        const auto running = context.during(execution::Part::Norms);
        return models::normed(x_FNC.contiguous(), {out_2C[0], out_2C[1], kLastNormEps}, m_dtype);
    };
    return unpatchify(m_projOut(normed()).to(at::kFloat), pass.rows);
}

at::Tensor Sd35Transformer::forward(const at::Tensor& latents_1ZFYX, const StepEmbedding& step,
                                    const PreparedText& text, const attention::LayerContext& context,
                                    std::span<const int> skipped) {
    Pass pass = begin(latents_1ZFYX, step, text);
    runBlocks(pass, 0, m_blocks.count(), context, skipped);
    return finish(pass, pass.streams.picture.value(at::kFloat), context);
}

CachedPass Sd35Transformer::forward(const at::Tensor& latents_1ZFYX, const StepEmbedding& step,
                                    const PreparedText& text, const attention::LayerContext& context,
                                    BlockCache& cache, Skip skip) {
    Pass pass = begin(latents_1ZFYX, step, text);
    at::Tensor before_FNC = pass.streams.picture.copy(), seen = step.embedding_PC[pass.prompt];
    const int ran = cache.looksAtFirstBlock() ? 1 : 0;
    if (ran > 0) {
        runBlocks(pass, 0, ran, context);
        const at::Tensor start_FNC = std::exchange(before_FNC, pass.streams.picture.copy());
        seen = before_FNC - start_FNC;
    }
    const bool skipped = skip == Skip::WhereClose ? cache.isClose(seen) : skip == Skip::Yes;
    if (skipped) return {finish(pass, before_FNC + cache.others(seen), context), true};
    runBlocks(pass, ran, m_blocks.count(), context);
    const at::Tensor x_FNC = pass.streams.picture.value(at::kFloat);
    cache.keep(std::move(seen), x_FNC - before_FNC);
    return {finish(pass, x_FNC, context), false};
}

at::Tensor Sd35Transformer::patchify(const at::Tensor& latents_1ZFYX) const {
    const auto p = m_config.patchSize;
    return latents_1ZFYX[0]
        .to(m_patchEmbedding.weight.options())
        .unflatten(-1, {-1, p})
        .unflatten(2, {-1, p})
        .permute({1, 2, 4, 0, 3, 5})  // from Z F Y p X q
        .flatten(3)
        .flatten(1, 2);
}

at::Tensor Sd35Transformer::unpatchify(const at::Tensor& x_FNV, std::int64_t rows) const {
    const auto p = m_config.patchSize;
    return x_FNV.unflatten(-1, {p, p, -1})
        .unflatten(1, {rows, -1})
        .permute({5, 0, 1, 3, 2, 4})  // from F Y X p q Z
        .flatten(4)
        .flatten(2, 3)
        .unsqueeze(0)
        .contiguous();
}

std::uint64_t Sd35Transformer::weightBytes(const Sd35TransformerConfig& config, at::ScalarType dtype,
                                           at::Device device, const BlockOptions& options) {
    // A table of positions stays in its file.
    return weightBytesWithoutBlocks<Sd35Transformer>(config, dtype) +
           blockRunBytes(config, dtype, device, options);
}

std::uint64_t Sd35Transformer::passBytes(const Sd35TransformerConfig& config, at::ScalarType dtype,
                                         std::int64_t tokens, std::int64_t frames, std::int64_t textTokens) {
    return static_cast<std::uint64_t>((tokens + frames * textTokens) * Block::bytesPerToken(config, dtype));
}

}  // namespace reelgrid::models::sd35
