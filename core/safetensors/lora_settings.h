#pragma once

// What a LoRA's training tool says of it beside its matrices: how strong it is. Without libtorch.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/safetensors/module_pattern.h"

namespace reelgrid::safetensors {

/// Of which component of a pipeline a LoRA's tensors and settings are: its text encoder, or the network that
/// denoises, a transformer, a UNet, or either where a tensor's name doesn't say which.
enum class LoraComponent { Denoiser, Transformer, Unet, TextEncoder };

/// peft's LoraConfig, as far as it decides what a LoRA does to a model. diffusers keeps it as JSON in the
/// header of the safetensors file ("lora_adapter_metadata"), its keys below a component's name
/// ("transformer.", "unet.", "text_encoder.") or, of a file with one, plain; peft keeps it in
/// adapter_config.json beside adapter_model.safetensors. Sources: diffusers' loaders/lora_base.py,
/// loaders/peft.py and utils/peft_utils.py, peft's tuners/lora/{config,layer,model}.py.
class LoraSettings {
  public:
    /// The settings that come with a LoRA's file; nothing when it has none. Throws Failure(InvalidData)
    /// naming where they are, the key, its value and what was needed, or which key is there twice, or
    /// Failure(Unsupported) for a setting that makes the LoRA something else than W + strength · B A (DoRA,
    /// biases, …) or that isn't known.
    static std::optional<LoraSettings> of(const std::filesystem::path& lora);

    /// lora_alpha / rank, or lora_alpha / √rank (use_rslora), of a module of the component with matrices of
    /// this rank. A component of which nothing is said has peft's own defaults, rank 8 and alpha 8, as in
    /// diffusers, whatever is said of the others; a Denoiser has what is said of a transformer or of a UNet.
    /// `names`: what the module is called; alpha_pattern and rank_pattern may know any of them. Throws
    /// Failure(InvalidData) when the settings speak of another rank, or of both networks to a Denoiser.
    [[nodiscard]] double strengthOf(LoraComponent component, std::span<const std::string> names,
                                    std::int64_t rank) const;

    /// The greatest magnitude of lora_alpha and every alpha_pattern for the component, which no strength of
    /// its modules exceeds. Throws as strengthOf() where the settings are of both networks.
    [[nodiscard]] double greatestAlpha(LoraComponent component) const;

    /// "FILE: lora_adapter_metadata", or the path of adapter_config.json.
    [[nodiscard]] const std::string& where() const { return m_where; }

  private:
    using Patterns = std::vector<std::pair<ModulePattern, double>>;
    struct Strength {
        double rank = 8, alpha = 8;  // peft's own defaults
        bool isRankStabilised = false;
        Patterns rankPatterns, alphaPatterns;  ///< the first that matches counts
    };
    class Reader;
    LoraSettings() = default;
    /// Null where nothing is said of it.
    [[nodiscard]] const Strength* saidOf(LoraComponent component, const std::string& module) const;
    static double valueFor(std::span<const std::string> names, const Patterns& patterns, double otherwise);

    std::string m_where;
    bool m_isPlain = false;  ///< without prefixes: every component's
    std::map<LoraComponent, Strength> m_strengths;
};

/// adapter_config.json, when `lora` is the adapter_model.safetensors of a folder that has one.
std::optional<std::filesystem::path> adapterConfigOf(const std::filesystem::path& lora);

}  // namespace reelgrid::safetensors
