#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/safetensors/lora_settings.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/weight_source.h"

namespace reelgrid::weights {

/// What has come of a LoRA where it was merged, so far.
struct LoraEffect {
    std::set<std::string> taken;          ///< its file's tensors that a model has taken
    bool isChange = false;                ///< a weight is another one than without it
    std::optional<at::ScalarType> dtype;  ///< that the weights were rounded to as long as none was
};

/// A low-rank adapter: one safetensors file, and how strong it is. Copies share what comes of it.
struct Lora {
    std::filesystem::path file;
    double scale = 1;
    std::shared_ptr<LoraEffect> effect = std::make_shared<LoraEffect>();
};

/// Under which names a LoRA's file may keep what belongs to the model's module ("blocks.0.attn1.to_q").
using LoraNames = std::function<std::vector<std::string>(const std::string& module)>;

/// Which tensors of a LoRA's file are for one of several parts of a model; empty: all.
using LoraShare = std::function<bool(const std::string& tensor)>;

/// A checkpoint with LoRAs merged in, each tensor when it is asked for: W + Σ scale · strength · B A, in
/// fp32, rounded to the dtype of W, of FP8 to bf16. Reads diffusers' and peft's (lora_A, lora_B) and kohya's
/// (lora_down, lora_up, alpha) matrices, also those of convolutions, and whole differences (diff of a weight,
/// diff_b of a bias, diff_m of a modulation). The strength is alpha / rank of a tensor "alpha", what
/// safetensors::LoraSettings say, or 1 when neither is there. Source: diffusers'
/// loaders/lora_conversion_utils.py.
class LoraWeights final : public WeightSource {
  public:
    /// Opens every file. Throws Failure as SafetensorsFolder and LoraSettings::of() do.
    LoraWeights(std::unique_ptr<WeightSource> checkpoint, const std::vector<Lora>& loras, LoraNames names,
                LoraShare share = {});

    /// Throws Failure(InvalidData) naming the LoRA's file and the tensor that doesn't fit, isn't finite or
    /// has no known strength.
    at::Tensor require(const std::string& name, at::IntArrayRef shape) override;
    /// A checkpoint's own integers (int8_blocks.h) aren't there beside a LoRA, which they lack.
    [[nodiscard]] bool has(const std::string& name) const override {
        return m_checkpoint->has(name) && (m_loras.empty() || !name.ends_with(".int8_weight"));
    }
    [[nodiscard]] std::string whereIs(const std::string& name) const override {
        return m_checkpoint->whereIs(name);
    }

    /// Which tensors this model may have no place for: those of layers that its relatives have.
    void leaveOut(LoraShare isLeftOut) { m_leftOut = std::move(isLeftOut); }
    /// Once the model is loaded. Throws Failure(InvalidData) naming a file of which the model has taken
    /// nothing, or the first tensor that it has no place for. Of a share: the latter alone.
    void requireAllTaken() const;

  private:
    struct Opened {
        Lora lora;
        std::unique_ptr<SafetensorsFolder> tensors;
        std::optional<safetensors::LoraSettings> settings;
        std::set<std::string> taken{};
    };
    /// A module as the model calls it, and as the LoRA's file does.
    struct Place {
        std::string module, kept;
    };
    /// An alpha is a whole number where a trainer got one: torch.tensor(4).
    enum class Numbers { FloatingPoint, Any };
    /// `merged`: the weight with the LoRA, in fp32 as `before`, which is to be rounded to `dtype`.
    static void noteEffect(const Lora& lora, const at::Tensor& before, const at::Tensor& merged,
                           at::ScalarType dtype);
    static at::Tensor take(Opened& from, const std::string& name, Numbers numbers = Numbers::FloatingPoint);
    static double strengthOf(Opened& from, const Place& place, std::int64_t rank);
    static at::Tensor differenceOfWeight(Opened& from, const Place& place, at::IntArrayRef shape);
    static at::Tensor differenceOfBias(Opened& from, const Place& place);
    /// Of a block's scale_shift_table, Wan's own "modulation", which has no weight and no bias.
    static at::Tensor differenceOfTable(Opened& from, const Place& place);

    std::unique_ptr<WeightSource> m_checkpoint;
    std::vector<Opened> m_loras;
    LoraNames m_names;
    LoraShare m_share, m_leftOut;
};

/// A line for each file that has tensors which a model leaves out (LoraWeights::leaveOut): "FILE: 40 tensors
/// are left out, REASON (blocks.0.cross_attn.k_img.diff_b, …)". Throws Failure as SafetensorsFolder does.
std::vector<std::string> leftOutOf(const std::vector<Lora>& loras, const LoraShare& isLeftOut,
                                   const std::string& reason);

}  // namespace reelgrid::weights
