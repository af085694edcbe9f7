#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/denoising/guided_model.h"

namespace reelgrid::denoising {

/// A transformer with a render's prompts, each a Text as its forward() takes it, and what the passes of a
/// step share: input and Step, which beginStep() of the family sets. Step::tensors() names its tensors.
template <class Transformer, class Text, class Step>
class PromptedNetwork : public GuidedModel {
  public:
    [[nodiscard]] std::vector<at::Tensor*> stepTensors() override {
        std::vector<at::Tensor*> tensors = m_step.tensors();
        tensors.push_back(&m_input);
        return tensors;
    }
    [[nodiscard]] at::Tensor forward(attention::GuidanceBranch branch,
                                     const attention::LayerContext& context) override {
        return m_model.forward(m_input, m_step, textOf(branch), context);
    }
    [[nodiscard]] models::CachedPass forward(attention::GuidanceBranch branch,
                                             const attention::LayerContext& context,
                                             models::BlockCache& cache, models::Skip skip) override {
        return m_model.forward(m_input, m_step, textOf(branch), context, cache, skip);
    }

  protected:
    /// Without guidance there is no negative prompt.
    PromptedNetwork(Transformer& model, Text prompt, std::optional<Text> negative)
        : m_model(model), m_prompt(std::move(prompt)), m_negative(std::move(negative)) {}

    [[nodiscard]] const Transformer& model() const { return m_model; }

    at::Tensor m_input;
    Step m_step;

  private:
    [[nodiscard]] const Text& textOf(attention::GuidanceBranch branch) const {
        return branch == attention::GuidanceBranch::Conditional ? m_prompt : *m_negative;
    }

    Transformer& m_model;
    Text m_prompt;
    std::optional<Text> m_negative;
};

}  // namespace reelgrid::denoising
