#pragma once

// Shape legend: Z latent channels, F frames, Y rows, X columns of latents, M text tokens, T text channels, P
// prompts, V channels of a pooled prompt, N tokens of a frame, C channels.

#include <ATen/ATen.h>

#include <span>
#include <vector>

#include "core/models/layers/block_cache.h"
#include "core/models/sd35/block_runs.h"
#include "core/models/sd35/positions.h"
#include "core/models/sd35/step_embedding.h"

namespace reelgrid::models::sd35 {

/// A prompt as passes take it, and which of the step's prompts it is.
struct PreparedText {
    at::Tensor tokens_1MC;
    std::int64_t index = 0;
};

/// Stable Diffusion 3.5's transformer (MMDiT-X) over the frames of a clip: each is a picture by itself but
/// for a temporal module's attention. Also Stable Diffusion 3's, without norms of queries and keys. Predicts
/// the velocity. Source: diffusers 0.40, transformer_sd3.py (SD3Transformer2DModel).
class Sd35Transformer {
  public:
    /// Takes the parameters by their checkpoint names; computes in the scope's dtype on its device. Norms,
    /// modulation, the timestep's embedding and the residual streams are fp32 in every dtype. `temporal` and
    /// the scope's source have to live as long as the transformer; the source where its blocks are streamed.
    Sd35Transformer(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                    const BlockOptions& options = {}, TimeProducts timeProducts = TimeProducts::Fp32);

    [[nodiscard]] const Sd35TransformerConfig& config() const { return m_config; }
    /// From now on a temporal module takes part in each block.
    void setTemporal(const TemporalPart& temporal) { m_temporal = temporal; }
    /// Takes every block's parameters once, as a forward pass does.
    void visitBlocks();
    /// Of the blocks' weights, those that stay on the device.
    [[nodiscard]] std::uint64_t blockBytes() const { return m_blocks.deviceBytes(); }

    /// Once per prompt: text_1MT, the encoders' output, → tokens [1, M, C].
    [[nodiscard]] at::Tensor prepareText(const at::Tensor& text_1MT) const;
    /// Once per render: the pooled prompts [P, V] → [P, C].
    [[nodiscard]] at::Tensor preparePooled(const at::Tensor& pooled_PV) const;
    /// Once per step, of preparePooled()'s.
    [[nodiscard]] StepEmbedding embedTimestep(double timestep, const at::Tensor& pooled_PC);

    /// latents_1ZFYX in any dtype → the predicted velocity, the same shape but for outChannels, fp32. Layers
    /// of `skipped` do nothing. Throws Failure(BadUsage) unless Y and X are multiples of the patch and not
    /// beyond the model's positions.
    [[nodiscard]] at::Tensor forward(const at::Tensor& latents_1ZFYX, const StepEmbedding& step,
                                     const PreparedText& text, const attention::LayerContext& context,
                                     std::span<const int> skipped = {});
    /// The same, where `cache`, which sees the frames' tokens, may stand for all blocks but the first;
    /// Skip::Yes only after a whole pass.
    [[nodiscard]] CachedPass forward(const at::Tensor& latents_1ZFYX, const StepEmbedding& step,
                                     const PreparedText& text, const attention::LayerContext& context,
                                     BlockCache& cache, Skip skip = Skip::WhereClose);

    /// Of the weights that lie on the device, the blocks' where the options put them.
    static std::uint64_t weightBytes(const Sd35TransformerConfig& config, at::ScalarType dtype,
                                     at::Device device, const BlockOptions& options);
    /// What forward() works in beside them. tokens: of all frames; textTokens: of a prompt.
    static std::uint64_t passBytes(const Sd35TransformerConfig& config, at::ScalarType dtype,
                                   std::int64_t tokens, std::int64_t frames, std::int64_t textTokens);

  private:
    struct Pass;
    [[nodiscard]] Pass begin(const at::Tensor& latents_1ZFYX, const StepEmbedding& step,
                             const PreparedText& text);
    void runBlocks(Pass& pass, int first, int end, const attention::LayerContext& context,
                   std::span<const int> skipped = {});
    [[nodiscard]] at::Tensor finish(const Pass& pass, const at::Tensor& x_FNC,
                                    const attention::LayerContext& context) const;
    [[nodiscard]] at::Tensor patchify(const at::Tensor& latents_1ZFYX) const;
    [[nodiscard]] at::Tensor unpatchify(const at::Tensor& x_FNV, std::int64_t rows) const;

    Sd35TransformerConfig m_config;
    at::ScalarType m_dtype;
    Linear m_patchEmbedding;  ///< a convolution whose stride is its kernel is a linear map of each patch
    CroppedPositions m_positions;
    TimeTextEmbedding m_timeText;
    Linear m_contextEmbedder, m_normOut, m_projOut;
    BlockResidence m_residence;
    BlockRuns m_blocks;
    TemporalPart m_temporal;
};

}  // namespace reelgrid::models::sd35
