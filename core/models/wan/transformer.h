#pragma once

// Shape legend: B batch, Z latent channels, F frames, Y rows, X columns of latents, T text channels.

#include <ATen/ATen.h>

#include <vector>

#include "core/models/layers/block_cache.h"
#include "core/models/wan/blocks.h"
#include "core/models/wan/condition_embedder.h"
#include "core/models/wan/config.h"
#include "core/models/wan/rope.h"

namespace reelgrid::models::wan {

/// A prompt as every layer's cross-attention sees it: 2 · layers · positions · channels values in the model's
/// dtype (bf16 and 512 positions: 94 MB at the 1.3B size, 420 MB at the 14B size).
struct PreparedText {
    std::vector<TextKeysValues> layers;
};

/// How a transformer is loaded beside its dtype and device.
struct TransformerOptions {
    BlockOptions blocks{};
    TimeProducts timeProducts = TimeProducts::Fp32;
};

/// Wan's diffusion transformer, of all published sizes and tasks: predicts the flow from noise to picture.
/// Source: diffusers 0.40, transformer_wan.py (WanTransformer3DModel).
class WanTransformer {
  public:
    /// Takes the parameters by their checkpoint names; computes in the scope's dtype on its device. Norms,
    /// modulation, the timestep's embedding and the residual stream are fp32 in every dtype (the reference
    /// rounds the stream to dtype after every layer, which only loses precision).
    /// The scope's source has to live as long as the transformer where its blocks are streamed.
    WanTransformer(const WanTransformerConfig& config, const weights::WeightScope& scope,
                   const TransformerOptions& options = {});

    [[nodiscard]] const WanTransformerConfig& config() const { return m_config; }
    /// Takes every block's parameters once, as a forward pass does.
    void visitBlocks();
    /// Of the blocks' weights, those that stay on the device.
    [[nodiscard]] std::uint64_t blockBytes() const { return m_blocks->deviceBytes(); }

    /// Once per prompt. text_BMT: the encoder's output, zero at the padding. image: ImageEmbedder's, of
    /// models that take one, which need one.
    [[nodiscard]] PreparedText prepareText(const at::Tensor& text_BMT, const at::Tensor& image = {}) const;
    /// Once per step; both guidance passes share it.
    [[nodiscard]] StepEmbedding embedTimestep(double timestep) const;
    /// The same where the first tokens have a timestep of their own: those of a frame that is given, 0.
    [[nodiscard]] StepEmbedding embedTimesteps(std::int64_t firstTokens, double firstTimestep,
                                               double timestep) const;

    /// latents_BZFYX in any dtype → the predicted flow [B, outChannels, F, Y, X], fp32.
    /// Throws Failure(BadUsage) unless F, Y and X are multiples of the patch.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                     const PreparedText& text, const attention::LayerContext& context);

    /// The same, where `cache` may stand for all blocks but the first; Skip::Yes only after a whole pass.
    [[nodiscard]] CachedPass forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                     const PreparedText& text, const attention::LayerContext& context,
                                     BlockCache& cache, Skip skip = Skip::WhereClose);

    /// Of the weights that lie on the device, the blocks' where the options put them.
    static std::uint64_t weightBytes(const WanTransformerConfig& config, at::ScalarType dtype,
                                     at::Device device, const BlockOptions& options);
    /// Of prepareText()'s, of so many positions.
    static std::uint64_t textBytes(const WanTransformerConfig& config, at::ScalarType dtype,
                                   std::int64_t positions);
    /// What forward() works in beside these.
    static std::uint64_t passBytes(const WanTransformerConfig& config, at::ScalarType dtype,
                                   std::int64_t tokens);

  private:
    struct Pass;
    [[nodiscard]] Pass begin(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                             const attention::LayerContext& context);
    void runBlocks(Pass& pass, std::size_t first, std::size_t end, const PreparedText& text,
                   const attention::LayerContext& context) const;
    [[nodiscard]] at::Tensor finish(Pass& pass, const attention::LayerContext& context) const;
    [[nodiscard]] at::Tensor patchify(const at::Tensor& latents_BZFYX,
                                      const std::array<std::int64_t, 3>& grid) const;
    [[nodiscard]] at::Tensor unpatchify(const at::Tensor& x_BNV,
                                        const std::array<std::int64_t, 3>& grid) const;

    WanTransformerConfig m_config;
    at::ScalarType m_dtype;
    LinearProducts m_products;
    RotaryPosEmbed m_rope;
    Linear m_patchEmbedding;  ///< a convolution whose stride is its kernel is a linear map of each patch
    ConditionEmbedder m_conditionEmbedder;
    std::unique_ptr<Blocks<Block>> m_blocks;
    Linear m_projOut;
    at::Tensor m_scaleShiftTable;  ///< [1, 2, C] fp32
};

}  // namespace reelgrid::models::wan
