#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/weights/safetensors_folder.h"
#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// A low-rank adapter: one safetensors file, and how strong it is.
struct Lora {
    std::filesystem::path file;
    double scale = 1;
};

/// Under which names a LoRA's file may keep what belongs to the model's module ("blocks.0.attn1.to_q").
using LoraNames = std::function<std::vector<std::string>(const std::string& module)>;

/// A checkpoint with LoRAs merged in, each tensor when it is asked for: W + Σ scale · alpha / rank · B A, in
/// fp32, rounded to the dtype of W. Reads diffusers' (lora_A, lora_B) and kohya's (lora_down, lora_up, alpha)
/// matrices, and whole differences (diff of a weight, diff_b of a bias). Source: diffusers'
/// loaders/lora_conversion_utils.py.
class LoraWeights final : public WeightSource {
  public:
    /// Opens every file. Throws Failure as SafetensorsFolder does.
    LoraWeights(std::unique_ptr<WeightSource> checkpoint, const std::vector<Lora>& loras, LoraNames names);

    /// Throws Failure(InvalidData) naming the LoRA's file and the tensor that doesn't fit.
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override;
    [[nodiscard]] bool has(const std::string& name) const override { return m_checkpoint->has(name); }

    /// Once the model is loaded. Throws Failure(InvalidData) naming a file of which the model has taken
    /// nothing, or the first tensor that it has no place for.
    void requireAllTaken() const;

  private:
    struct Opened {
        Lora lora;
        std::unique_ptr<SafetensorsFolder> tensors;
        std::set<std::string> taken{};
    };
    static at::Tensor take(Opened& from, const std::string& name);
    static at::Tensor differenceOfWeight(Opened& from, const std::string& module, at::IntArrayRef shape);
    static at::Tensor differenceOfBias(Opened& from, const std::string& module);

    std::unique_ptr<WeightSource> m_checkpoint;
    std::vector<Opened> m_loras;
    LoraNames m_names;
};

}  // namespace reelgrid::weights
