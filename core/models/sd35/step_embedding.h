#pragma once

// Shape legend: P prompts, V channels of a pooled prompt, C channels of a token.

#include <ATen/ATen.h>

#include "core/models/layers/time_products.h"
#include "core/models/sd35/config.h"

namespace reelgrid::models::sd35 {

/// What a timestep and the pooled prompts make of the layers; the passes of a step share it.
struct StepEmbedding {
    at::Tensor embedding_PC;               ///< silu of their sum, in the model's dtype
    std::vector<at::Tensor> blocks_PRC{};  ///< Block::modulation() of each layer; empty: each makes its own
    at::Tensor out_P2C{};                  ///< weight and bias of the last norm, fp32

    /// All of them in the same order each time.
    [[nodiscard]] std::vector<at::Tensor*> tensors() {
        std::vector<at::Tensor*> all{&embedding_PC, &out_P2C};
        for (at::Tensor& block : blocks_PRC) all.push_back(&block);
        return all;
    }
};

/// time_text_embed: sines and cosines of the timestep and the pooled prompt, each through two linear maps,
/// added. What comes out is fp32 in every dtype (CombinedTimestepTextProjEmbeddings).
class TimeTextEmbedding {
  public:
    TimeTextEmbedding(const Sd35TransformerConfig& config, const weights::WeightScope& scope,
                      TimeProducts products);

    /// Once per render: pooled_PV → [P, C].
    [[nodiscard]] at::Tensor ofText(const at::Tensor& pooled_PV) const;
    /// [1, C]
    [[nodiscard]] at::Tensor ofTime(double timestep) const;

  private:
    struct Net {
        Linear linear1, linear2;
        static Net load(const weights::WeightScope& scope, std::int64_t in, std::int64_t out,
                        TimeProducts products);
        [[nodiscard]] at::Tensor forward(const at::Tensor& x) const;
    };
    Net m_time, m_text;
};

}  // namespace reelgrid::models::sd35
