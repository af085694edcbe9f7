#pragma once

// Shape legend: B batch, Z latent channels, F frames, Y rows, X columns of latents, M text tokens, T text
// channels, N video tokens, C channels.

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "core/models/cogvideox/block.h"
#include "core/models/cogvideox/config.h"
#include "core/models/cogvideox/positions.h"
#include "core/models/cogvideox/time_embedding.h"
#include "core/models/layers/block_cache.h"
#include "core/models/layers/blocks.h"
#include "core/parallel/sequence_shard.h"

namespace reelgrid::models::cogvideox {

/// What a timestep makes of the layers; both guidance passes share it.
struct StepEmbedding {
    at::Tensor embedding_1T;  ///< silu of the timestep's, in the model's dtype
    at::Tensor blocks_L12C;   ///< Block::modulation() of each layer, fp32; undefined: each makes its own
    at::Tensor out_2C;        ///< weight and bias of the last norm, fp32
    at::Tensor time_1T{};     ///< the timestep's embedding itself, which step caches see

    /// All that passes read, undefined ones too, in the same order each time.
    [[nodiscard]] std::vector<at::Tensor*> tensors() { return {&embedding_1T, &blocks_L12C, &out_2C}; }
};

/// CogVideoX's diffusion transformer in all published forms: 2b, 5b, 5b-I2V, 1.5-5b and 1.5-5b-I2V. Predicts
/// the velocity. Source: diffusers 0.40, cogvideox_transformer_3d.py (CogVideoXTransformer3DModel).
class CogVideoXTransformer {
  public:
    /// Takes the parameters by their checkpoint names; computes in the scope's dtype on its device. Norms,
    /// modulation, the timestep's embedding and the residual stream are fp32 in every dtype: there is where
    /// 5b leaves fp16's range.
    /// The scope's source has to live as long as the transformer where its blocks are streamed.
    CogVideoXTransformer(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope,
                         const BlockOptions& options = {}, TimeProducts timeProducts = TimeProducts::Fp32);

    [[nodiscard]] const CogVideoXTransformerConfig& config() const { return m_config; }
    /// Takes every block's parameters once, as a forward pass does.
    void visitBlocks();
    /// Of the blocks' weights, those that stay on the device.
    [[nodiscard]] std::uint64_t blockBytes() const { return m_blocks->deviceBytes(); }

    /// Once per prompt: text_BMT, the encoder's output, → tokens [B, M, C].
    [[nodiscard]] at::Tensor prepareText(const at::Tensor& text_BMT) const;
    /// Once per step.
    [[nodiscard]] StepEmbedding embedTimestep(double timestep) const;

    /// latents_BZFYX in any dtype → the predicted velocity [B, outChannels, F, Y, X], fp32.
    /// Throws Failure(BadUsage) unless F, Y and X are multiples of the patch, or for a size that the model's
    /// learned positions don't have.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                     const at::Tensor& text_BMC, const attention::LayerContext& context);

    /// The same, where `cache`, which sees the video's tokens, may stand for all blocks but the first;
    /// Skip::Yes only after a whole pass.
    [[nodiscard]] CachedPass forward(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                                     const at::Tensor& text_BMC, const attention::LayerContext& context,
                                     BlockCache& cache, Skip skip = Skip::WhereClose);

    /// Of the weights that lie on the device, the blocks' where the options put them.
    static std::uint64_t weightBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype,
                                     at::Device device, const BlockOptions& options);
    /// What forward() works in beside them. tokens: of video.
    static std::uint64_t passBytes(const CogVideoXTransformerConfig& config, at::ScalarType dtype,
                                   std::int64_t tokens);

  private:
    /// What clips of one size share; the last size's is kept.
    struct Positions {
        Grid grid{};
        std::int64_t textTokens = -1;
        at::Tensor rotary;    ///< rotaryPositions(); undefined in 2b
        at::Tensor added_NC;  ///< to the video's tokens, fp32; undefined where nothing is
        at::Tensor text_MC;   ///< to the text's tokens; undefined where nothing is
    };
    [[nodiscard]] const Positions& positionsOf(const Grid& grid, std::int64_t textTokens);
    void addLearnedPositions(Positions& positions) const;
    struct Pass;
    [[nodiscard]] Pass begin(const at::Tensor& latents_BZFYX, const StepEmbedding& step,
                             const at::Tensor& text_BMC, const attention::LayerContext& context);
    [[nodiscard]] static at::Tensor rotaryOf(const Positions& positions, const parallel::SequenceShard& shard,
                                             std::int64_t textHere);
    void runBlocks(Pass& pass, int first, int end, const attention::LayerContext& context) const;
    /// x_BNC: the video's tokens as the blocks leave them, fp32.
    [[nodiscard]] at::Tensor finish(const Pass& pass, const at::Tensor& x_BNC,
                                    const attention::LayerContext& context) const;
    [[nodiscard]] at::Tensor patchify(const at::Tensor& latents_BZFYX, const Grid& grid) const;
    [[nodiscard]] at::Tensor unpatchify(const at::Tensor& x_BNV, const Grid& grid) const;

    CogVideoXTransformerConfig m_config;
    at::ScalarType m_dtype;
    at::Device m_device;
    Linear m_patchEmbedding;  ///< a convolution whose stride is its kernel is a linear map of each patch
    Linear m_textProjection;
    at::Tensor m_learnedPositions;  ///< [1, M + N, C] fp32 at the size that the model was trained on
    TimeEmbedding m_timeEmbedding;
    NormAffine m_normFinal, m_normOut;
    Linear m_normOutLinear, m_projOut;
    BlockResidence m_residence;
    std::unique_ptr<Blocks<Block>> m_blocks;
    Positions m_positions;
};

}  // namespace reelgrid::models::cogvideox
