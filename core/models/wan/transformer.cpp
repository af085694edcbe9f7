#include "core/models/wan/transformer.h"

#include <utility>

#include "core/base/result.h"
#include "core/execution/trace_range.h"
#include "core/models/layers/norms.h"
#include "core/models/layers/weight_bytes.h"
#include "core/models/wan/text_padding.h"
#include "core/parallel/sequence_shard.h"

namespace reelgrid::models::wan {
namespace {

Linear loadPatchEmbedding(const WanTransformerConfig& config, const weights::WeightScope& scope) {
    const auto [pt, ph, pw] = config.patchSize;
    const auto c = config.innerDim();
    return {scope("weight", {c, config.inChannels, pt, ph, pw}).reshape({c, -1}), scope("bias", {c})};
}

std::array<std::int64_t, 3> gridOf(const at::Tensor& latents_BZFYX, const WanTransformerConfig& config) {
    if (latents_BZFYX.dim() != 5 || latents_BZFYX.size(1) != config.inChannels)
        throw Failure(ErrorCode::BadUsage, "latents are " + c10::str(latents_BZFYX.sizes()) + ", [batch, " +
                                               std::to_string(config.inChannels) +
                                               ", frames, rows, columns] is needed");
    std::array<std::int64_t, 3> grid{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto size = latents_BZFYX.size(static_cast<std::int64_t>(axis) + 2);
        if (size < 1 || size % config.patchSize[axis] != 0)
            throw Failure(ErrorCode::BadUsage,
                          "latents are " + c10::str(latents_BZFYX.sizes()) + ", multiples of the patch " +
                              c10::str(at::IntArrayRef(config.patchSize)) + " are needed");
        grid[axis] = size / config.patchSize[axis];
    }
    return grid;
}

}  // namespace

WanTransformer::WanTransformer(const WanTransformerConfig& config, const weights::WeightScope& scope,
                               const TransformerOptions& options)
    : m_config(config),
      m_dtype(scope.dtype()),
      m_products(options.blocks.products),
      m_rope(config.attentionHeadDim, config.ropeMaxSeqLen, scope.device()),
      m_patchEmbedding(loadPatchEmbedding(config, scope / "patch_embedding")),
      m_conditionEmbedder(config, scope / "condition_embedder", options.timeProducts),
      m_blocks(loadBlocks(config, scope / "blocks", options.blocks)),
      m_projOut(
          Linear::load(scope / "proj_out", config.innerDim(), config.outChannels * config.patchVolume())),
      m_scaleShiftTable(scope.fp32("scale_shift_table", {1, 2, config.innerDim()})) {}

void WanTransformer::visitBlocks() {
    for (int layer = 0; layer < m_blocks->count(); ++layer) (void)m_blocks->use(layer);
}

PreparedText WanTransformer::prepareText(const at::Tensor& text_BMT, const at::Tensor& image) const {
    if (m_config.imageDim > 0 && !image.defined())
        throw Failure(ErrorCode::BadUsage, "the transformer's image_dim is " +
                                               std::to_string(m_config.imageDim) +
                                               ": a picture's embedding was needed");
    // A GPU's fastest kernels take no key bias, and hundreds of keys more cost them nothing to speak of.
    // Rounded to int8, what a position becomes hangs on its neighbours.
    const bool collapses = text_BMT.is_cpu() && m_products != LinearProducts::Int8;
    const CollapsedText collapsed = collapses ? collapsePadding(text_BMT) : CollapsedText{text_BMT, {}};
    const at::Tensor text_BMC = m_conditionEmbedder.embedText(collapsed.text_BMT);
    const at::Tensor image_BIC = m_conditionEmbedder.embedImage(image);
    PreparedText prepared;
    for (int layer = 0; layer < m_blocks->count(); ++layer)
        prepared.layers.push_back(m_blocks->use(layer).prepareText(text_BMC, collapsed.keyBias_M, image_BIC));
    return prepared;
}

StepEmbedding WanTransformer::embedTimestep(double timestep) const {
    const execution::TraceRange range([] { return "time embedding"; });
    return {{m_conditionEmbedder.embedTimestep(timestep)}};
}

StepEmbedding WanTransformer::embedTimesteps(std::int64_t firstTokens, double firstTimestep,
                                             double timestep) const {
    const execution::TraceRange range([] { return "time embedding"; });
    StepEmbedding step{
        {m_conditionEmbedder.embedTimestep(firstTimestep), m_conditionEmbedder.embedTimestep(timestep)}};
    step.runs.front().tokens = firstTokens;
    return step;
}

/// A forward pass on its way through the blocks.
struct WanTransformer::Pass {
    std::array<std::int64_t, 3> grid;
    const StepEmbedding& step;
    parallel::SequenceShard shard;
    RopeTable rope;
    ResidualStream stream;

    /// The caller's, with the tokens that its layers get.
    [[nodiscard]] attention::LayerContext sharing(attention::LayerContext context) const {
        context.shard = &shard;
        context.grid = {.frames = grid[0], .rows = grid[1], .columns = grid[2]};
        return context;
    }
};

WanTransformer::Pass WanTransformer::begin(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                           const attention::LayerContext& context) {
    const execution::TraceRange range([] { return "patches"; });
    const auto grid = gridOf(latents_BZFYX, m_config);
    const parallel::SequenceShard shard(context.mesh, grid[0] * grid[1] * grid[2]);
    std::vector<std::int64_t> tokens;  // of all runs but the last
    for (std::size_t run = 0; run + 1 < step.runs.size(); ++run) tokens.push_back(step.runs[run].tokens);
    const RopeTable& rope = m_rope.forGrid(grid);
    const at::Tensor mine_BNV = shard.part(patchify(latents_BZFYX, grid), 1);
    return {grid,
            step,
            shard,
            {shard.part(rope.cos_NP, 0), shard.part(rope.sin_NP, 0)},
            ResidualStream(m_patchEmbedding(mine_BNV).to(at::kFloat), shard.runs(tokens))};
}

void WanTransformer::runBlocks(Pass& pass, std::size_t first, std::size_t end, const PreparedText& text,
                               const attention::LayerContext& context) const {
    const attention::LayerContext sharing = pass.sharing(context);
    for (std::size_t layer = first; layer < end; ++layer) {
        const execution::TraceRange range([&] { return "layer " + std::to_string(layer); });
        useBlock(*m_blocks, static_cast<int>(layer), context.parts)
            .forward(pass.stream, pass.step, text.layers.at(layer), pass.rope, sharing);
    }
}

at::Tensor WanTransformer::finish(Pass& pass, const attention::LayerContext& context) const {
    const execution::TraceRange range([] { return "head"; });
    std::vector<NormAffine> normOut;
    for (const StepEmbedding::Run& run : pass.step.runs) {
        const at::Tensor m_2C = (m_scaleShiftTable + run.temb_1C.unsqueeze(1)).view({2, -1});
        normOut.push_back({m_2C[1] + 1, m_2C[0], m_config.eps});
    }
    const auto normed = [&] {
        const auto scope = context.during(execution::Part::Norms);
        return pass.stream.normed(normOut, m_dtype);
    };
    const at::Tensor mine_BNV = m_projOut(normed()).to(at::kFloat);
    return unpatchify(pass.sharing(context).gather(mine_BNV), pass.grid);
}

at::Tensor WanTransformer::forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                   const PreparedText& text, const attention::LayerContext& context) {
    Pass pass = begin(latents_BZFYX, step, context);
    runBlocks(pass, 0, static_cast<std::size_t>(m_blocks->count()), text, context);
    return finish(pass, context);
}

CachedPass WanTransformer::forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                   const PreparedText& text, const attention::LayerContext& context,
                                   BlockCache& cache, Skip skip) {
    Pass pass = begin(latents_BZFYX, step, context);
    at::Tensor before_BNC = pass.stream.copy(), seen = step.runs.back().modulation_16C;
    const std::size_t ran = cache.looksAtFirstBlock() ? 1 : 0;
    if (ran > 0) {
        runBlocks(pass, 0, ran, text, context);
        seen = std::exchange(before_BNC, pass.stream.copy());
        at::sub_out(seen, before_BNC, seen);
    }
    const bool skipped = skip == Skip::WhereClose ? cache.isClose(seen) : skip == Skip::Yes;
    if (skipped) {
        pass.stream.add(cache.others(seen), std::vector<at::Tensor>(step.runs.size()));
        (void)pass.stream.value(at::kFloat);  // in fp32, before the last norm rounds to the model's dtype
    } else {
        runBlocks(pass, ran, static_cast<std::size_t>(m_blocks->count()), text, context);
        cache.keep(std::move(seen), pass.stream.copy().sub_(before_BNC));
    }
    return {finish(pass, context), skipped};
}

at::Tensor WanTransformer::patchify(const at::Tensor& latents_BZFYX,
                                    const std::array<std::int64_t, 3>& grid) const {
    const auto [f, y, x] = grid;
    const auto [pt, ph, pw] = m_config.patchSize;
    return latents_BZFYX.to(m_patchEmbedding.weight.options())
        .reshape({latents_BZFYX.size(0), m_config.inChannels, f, pt, y, ph, x, pw})
        .permute({0, 2, 4, 6, 1, 3, 5, 7})
        .reshape({latents_BZFYX.size(0), f * y * x, m_config.inChannels * m_config.patchVolume()});
}

at::Tensor WanTransformer::unpatchify(const at::Tensor& x_BNV,
                                      const std::array<std::int64_t, 3>& grid) const {
    const auto [f, y, x] = grid;
    const auto [pt, ph, pw] = m_config.patchSize;
    return x_BNV.reshape({x_BNV.size(0), f, y, x, pt, ph, pw, m_config.outChannels})
        .permute({0, 7, 1, 4, 2, 5, 3, 6})
        .reshape({x_BNV.size(0), m_config.outChannels, f * pt, y * ph, x * pw});
}

std::uint64_t WanTransformer::weightBytes(const WanTransformerConfig& config, at::ScalarType dtype,
                                          at::Device device, const BlockOptions& options) {
    return transformerWeightBytes<WanTransformer, Block>(config, dtype, device, options);
}

std::uint64_t WanTransformer::textBytes(const WanTransformerConfig& config, at::ScalarType dtype,
                                        std::int64_t positions) {
    return static_cast<std::uint64_t>(2 * config.numLayers * positions * config.innerDim()) *
           c10::elementSize(dtype);
}

std::uint64_t WanTransformer::passBytes(const WanTransformerConfig& config, at::ScalarType dtype,
                                        std::int64_t tokens) {
    const std::int64_t angles = config.attentionHeadDim * static_cast<std::int64_t>(sizeof(float));
    return static_cast<std::uint64_t>(tokens * (Block::bytesPerToken(config, dtype) + angles));
}

}  // namespace reelgrid::models::wan
