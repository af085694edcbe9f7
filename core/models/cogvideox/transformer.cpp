#include "core/models/cogvideox/transformer.h"

#include <utility>

#include "core/base/result.h"
#include "core/execution/trace_range.h"
#include "core/models/layers/weight_bytes.h"
#include "core/parallel/sequence_shard.h"

namespace reelgrid::models::cogvideox {
namespace {

Linear loadPatchEmbedding(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope) {
    const auto c = config.innerDim(), p = config.patchSize, values = config.inChannels * config.patchVolume();
    if (config.patchSizeT) return Linear::load(scope, values, c);
    return {scope("weight", {c, config.inChannels, p, p}).reshape({c, -1}), scope("bias", {c})};
}

NormAffine loadNorm(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope) {
    return {scope.fp32("weight", {config.innerDim()}), scope.fp32("bias", {config.innerDim()}),
            config.normEps};
}

std::unique_ptr<Blocks<Block>> loadBlocks(const CogVideoXTransformerConfig& config,
                                          const weights::WeightScope& scope, const BlockOptions& options) {
    return makeBlocks<Block>(
        {.load = [config, scope](int layer) { return Block(config, scope / layer, layer); },
         .count = static_cast<int>(config.numLayers),
         .device = scope.device()},
        options);
}

/// Video tokens of clips of the size that the model was trained on.
Grid sampleGrid(const CogVideoXTransformerConfig& config) {
    return {(config.sampleFrames - 1) / config.temporalCompressionRatio + 1,
            config.sampleHeight / config.patchSize, config.sampleWidth / config.patchSize};
}

at::Tensor loadLearnedPositions(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope) {
    if (!config.useLearnedPositionalEmbeddings) return {};
    const Grid grid = sampleGrid(config);
    return scope.fp32("pos_embedding",
                      {1, config.maxTextSeqLength + grid[0] * grid[1] * grid[2], config.innerDim()});
}

Grid gridOf(const at::Tensor& latents_BZFYX, const CogVideoXTransformerConfig& config) {
    if (latents_BZFYX.dim() != 5 || latents_BZFYX.size(1) != config.inChannels)
        throw Failure(ErrorCode::BadUsage, "latents are " + c10::str(latents_BZFYX.sizes()) + ", [batch, " +
                                               std::to_string(config.inChannels) +
                                               ", frames, rows, columns] is needed");
    const std::array patch{config.patchFrames(), config.patchSize, config.patchSize};
    Grid grid{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto size = latents_BZFYX.size(static_cast<std::int64_t>(axis) + 2);
        if (size < 1 || size % patch[axis] != 0)
            throw Failure(ErrorCode::BadUsage, "latents are " + c10::str(latents_BZFYX.sizes()) +
                                                   ", multiples of the patch " +
                                                   c10::str(at::IntArrayRef(patch)) + " are needed");
        grid[axis] = size / patch[axis];
    }
    return grid;
}

}  // namespace

CogVideoXTransformer::CogVideoXTransformer(const CogVideoXTransformerConfig& config,
                                           const weights::WeightScope& scope, const BlockOptions& options,
                                           TimeProducts timeProducts)
    : m_config(config),
      m_dtype(scope.dtype()),
      m_device(scope.device()),
      m_patchEmbedding(loadPatchEmbedding(config, scope / "patch_embed" / "proj")),
      m_textProjection(
          Linear::load(scope / "patch_embed" / "text_proj", config.textEmbedDim, config.innerDim())),
      m_learnedPositions(loadLearnedPositions(config, scope / "patch_embed")),
      m_timeEmbedding(config, scope, timeProducts),
      m_normFinal(loadNorm(config, scope / "norm_final")),
      m_normOut(loadNorm(config, scope / "norm_out" / "norm")),
      m_normOutLinear(
          Linear::load(scope / "norm_out" / "linear", config.timeEmbedDim, 2 * config.innerDim())),
      m_projOut(
          Linear::load(scope / "proj_out", config.innerDim(), config.outChannels * config.patchVolume())),
      m_residence(options.residence),
      m_blocks(loadBlocks(config, scope / "transformer_blocks", options)) {}

void CogVideoXTransformer::visitBlocks() {
    for (int layer = 0; layer < m_blocks->count(); ++layer) (void)m_blocks->use(layer);
}

at::Tensor CogVideoXTransformer::prepareText(const at::Tensor& text_BMT) const {
    return m_textProjection(text_BMT.to(m_dtype));
}

StepEmbedding CogVideoXTransformer::embedTimestep(double timestep) const {
    const at::Tensor time_1T = m_timeEmbedding.forward(timestep);
    const at::Tensor embedding_1T = at::silu(time_1T).to(m_dtype);
    // Blocks that come and go would have to come once more for it.
    std::vector<at::Tensor> blocks_12C;
    if (m_residence == BlockResidence::Held)
        for (int layer = 0; layer < m_blocks->count(); ++layer)
            blocks_12C.push_back(m_blocks->use(layer).modulation(embedding_1T));
    const at::Tensor shiftScale_2C = m_normOutLinear(embedding_1T).to(at::kFloat).view({2, -1});
    const at::Tensor scale = shiftScale_2C[1] + 1;
    return {embedding_1T, blocks_12C.empty() ? at::Tensor() : at::stack(blocks_12C),
            at::stack({m_normOut.weight_C * scale, m_normOut.bias_C * scale + shiftScale_2C[0]}), time_1T};
}

/// As the reference: learned for clips of the size that it was trained on, else sines and cosines.
void CogVideoXTransformer::addLearnedPositions(Positions& positions) const {
    const Grid sample = sampleGrid(m_config);
    if (positions.grid[1] != sample[1] || positions.grid[2] != sample[2])
        throw Failure(ErrorCode::BadUsage, "the clip is " + std::to_string(positions.grid[1]) + "x" +
                                               std::to_string(positions.grid[2]) +
                                               " tokens, the model's learned positions are for " +
                                               std::to_string(sample[1]) + "x" + std::to_string(sample[2]));
    const std::int64_t videoTokens = sample[0] * sample[1] * sample[2];
    // Not for configs whose sample_frames no clip has.
    const std::int64_t pixelFrames = (positions.grid[0] - 1) * m_config.temporalCompressionRatio + 1;
    if (pixelFrames != m_config.sampleFrames ||
        positions.textTokens + videoTokens != m_learnedPositions.size(1)) {
        positions.added_NC = sinCosPositions(m_config, positions.grid).to(m_device);
        return;
    }
    positions.text_MC = m_learnedPositions[0].narrow(0, 0, positions.textTokens);
    positions.added_NC = m_learnedPositions[0].narrow(0, positions.textTokens, videoTokens);
}

const CogVideoXTransformer::Positions& CogVideoXTransformer::positionsOf(const Grid& grid,
                                                                         std::int64_t textTokens) {
    if (m_positions.grid == grid && m_positions.textTokens == textTokens) return m_positions;
    Positions positions{.grid = grid, .textTokens = textTokens, .rotary = {}, .added_NC = {}, .text_MC = {}};
    if (m_config.useRotaryPositionalEmbeddings)
        positions.rotary = rotaryPositions(m_config, grid).to(m_device);
    else
        positions.added_NC = sinCosPositions(m_config, grid).to(m_device);
    if (m_config.useLearnedPositionalEmbeddings) addLearnedPositions(positions);
    return m_positions = std::move(positions);
}

/// A forward pass on its way through the blocks.
struct CogVideoXTransformer::Pass {
    Grid grid;
    const StepEmbedding& step;
    parallel::SequenceShard shard;  ///< of text and video in one sequence
    std::int64_t textTokens;        ///< of all ranks
    std::int64_t textHere;          ///< of this one
    at::Tensor rotary;
    ResidualStream stream;

    /// This rank's tokens of the video.
    [[nodiscard]] at::Tensor videoOf(const at::Tensor& all_BnC) const {
        return all_BnC.narrow(1, textHere, shard.each() - textHere);
    }
    /// Of what was made of them, every rank's.
    [[nodiscard]] at::Tensor gathered(const at::Tensor& video_BnV, attention::LayerContext context) const {
        if (!shard.isShared()) return video_BnV;
        context.shard = &shard;
        const at::Tensor all_BNV = context.gather(at::constant_pad_nd(video_BnV, {0, 0, textHere, 0}));
        return all_BNV.narrow(1, textTokens, all_BNV.size(1) - textTokens);
    }
};

/// Of this rank's tokens of the video.
at::Tensor CogVideoXTransformer::rotaryOf(const Positions& positions, const parallel::SequenceShard& shard,
                                          std::int64_t textHere) {
    if (!positions.rotary.defined() || !shard.isShared()) return positions.rotary;
    const at::Tensor all_NP = at::constant_pad_nd(positions.rotary, {0, 0, positions.textTokens, 0});
    return shard.part(all_NP, 0).narrow(0, textHere, shard.each() - textHere);
}

CogVideoXTransformer::Pass CogVideoXTransformer::begin(const at::Tensor& latents_BZFYX,
                                                       const StepEmbedding& step, const at::Tensor& text_BMC,
                                                       const attention::LayerContext& context) {
    const Grid grid = gridOf(latents_BZFYX, m_config);
    const std::int64_t textTokens = text_BMC.size(1);
    const Positions& positions = positionsOf(grid, textTokens);
    at::Tensor text = text_BMC.to(at::kFloat);
    at::Tensor video_BNC = m_patchEmbedding(patchify(latents_BZFYX, grid)).to(at::kFloat);
    if (positions.text_MC.defined()) text = text + positions.text_MC;
    if (positions.added_NC.defined()) video_BNC = video_BNC + positions.added_NC;
    const parallel::SequenceShard shard(context.mesh, textTokens + video_BNC.size(1));
    const std::int64_t textHere = shard.runs({textTokens}).front();
    return {grid,
            step,
            shard,
            textTokens,
            textHere,
            rotaryOf(positions, shard, textHere),
            ResidualStream(shard.part(at::cat({text, video_BNC}, 1), 1), {textHere})};
}

void CogVideoXTransformer::runBlocks(Pass& pass, int first, int end,
                                     const attention::LayerContext& context) const {
    attention::LayerContext sharing = context;
    sharing.shard = &pass.shard;
    sharing.grid = {
        .frames = pass.grid[0], .rows = pass.grid[1], .columns = pass.grid[2], .textBefore = pass.textTokens};
    for (int layer = first; layer < end; ++layer) {
        const execution::TraceRange range([&] { return "layer " + std::to_string(layer); });
        const Block& block = useBlock(*m_blocks, layer, context.parts);
        const at::Tensor modulation_12C = pass.step.blocks_L12C.defined()
                                              ? pass.step.blocks_L12C[layer]
                                              : block.modulation(pass.step.embedding_1T);
        block.forward(pass.stream, modulation_12C, pass.rotary, sharing);
    }
}

at::Tensor CogVideoXTransformer::finish(const Pass& pass, const at::Tensor& x_BNC,
                                        const attention::LayerContext& context) const {
    const auto normed = [&] {
        const auto scope = context.during(execution::Part::Norms);
        return models::normed(models::normed(x_BNC.contiguous(), m_normFinal, at::kFloat),
                              {pass.step.out_2C[0], pass.step.out_2C[1], m_normOut.eps}, m_dtype);
    };
    return unpatchify(pass.gathered(m_projOut(normed()).to(at::kFloat), context), pass.grid);
}

at::Tensor CogVideoXTransformer::forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                         const at::Tensor& text_BMC, const attention::LayerContext& context) {
    Pass pass = begin(latents_BZFYX, step, text_BMC, context);
    runBlocks(pass, 0, m_blocks->count(), context);
    return finish(pass, pass.videoOf(pass.stream.value(at::kFloat)), context);
}

CachedPass CogVideoXTransformer::forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                         const at::Tensor& text_BMC, const attention::LayerContext& context,
                                         BlockCache& cache, Skip skip) {
    Pass pass = begin(latents_BZFYX, step, text_BMC, context);
    at::Tensor before_BNC = pass.stream.copy(), seen = step.time_1T;
    const int ran = cache.looksAtFirstBlock() ? 1 : 0;
    if (ran > 0) {
        runBlocks(pass, 0, ran, context);
        const at::Tensor start_BNC = std::exchange(before_BNC, pass.stream.copy());
        seen = pass.videoOf(before_BNC) - pass.videoOf(start_BNC);
    }
    const bool skipped = skip == Skip::WhereClose ? cache.isClose(seen) : skip == Skip::Yes;
    if (skipped) return {finish(pass, pass.videoOf(before_BNC) + cache.others(seen), context), true};
    runBlocks(pass, ran, m_blocks->count(), context);
    const at::Tensor x_BNC = pass.videoOf(pass.stream.value(at::kFloat));
    cache.keep(std::move(seen), x_BNC - pass.videoOf(before_BNC));
    return {finish(pass, x_BNC, context), false};
}

at::Tensor CogVideoXTransformer::patchify(const at::Tensor& latents_BZFYX, const Grid& grid) const {
    const auto [f, y, x] = grid;
    const auto pt = m_config.patchFrames(), p = m_config.patchSize;
    return latents_BZFYX.to(m_patchEmbedding.weight.options())
        .reshape({latents_BZFYX.size(0), m_config.inChannels, f, pt, y, p, x, p})
        .permute({0, 2, 4, 6, 1, 3, 5, 7})
        .reshape({latents_BZFYX.size(0), f * y * x, m_config.inChannels * m_config.patchVolume()});
}

at::Tensor CogVideoXTransformer::unpatchify(const at::Tensor& x_BNV, const Grid& grid) const {
    const auto [f, y, x] = grid;
    const auto pt = m_config.patchFrames(), p = m_config.patchSize;
    return x_BNV.reshape({x_BNV.size(0), f, y, x, m_config.outChannels, pt, p, p})
        .permute({0, 4, 1, 5, 2, 6, 3, 7})
        .reshape({x_BNV.size(0), m_config.outChannels, f * pt, y * p, x * p});
}

std::uint64_t CogVideoXTransformer::weightBytes(const CogVideoXTransformerConfig& config,
                                                at::ScalarType dtype, at::Device device,
                                                const BlockOptions& options) {
    return transformerWeightBytes<CogVideoXTransformer, Block>(config, dtype, device, options);
}

std::uint64_t CogVideoXTransformer::passBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype,
                                              std::int64_t tokens) {
    const std::int64_t channels =
        config.useRotaryPositionalEmbeddings ? config.attentionHeadDim : config.innerDim();
    const std::int64_t positions = tokens * channels * static_cast<std::int64_t>(sizeof(float));
    return static_cast<std::uint64_t>(
        (tokens + config.maxTextSeqLength) * Block::bytesPerToken(config, dtype) + positions);
}

}  // namespace reelgrid::models::cogvideox
