#include "core/weights/idle_loras.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/weights/lora_matrices.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::weights {
namespace {

/// Why a layer of a LoRA stays as it is.
enum class Idle { No, AlphaIsZero, SumIsZero };

at::Tensor numbersOf(SafetensorsFolder& file, const std::string& name) {
    return file.require(name, *file.shapeOf(name)).to(at::kFloat);
}

bool hasProduct(const at::Tensor& up, const at::Tensor& down) {
    if (!up.any().item<bool>() || !down.any().item<bool>()) return false;
    // Those of other shapes are nobody's to judge here.
    if (up.dim() < 2 || down.dim() < 2 || up.numel() != up.size(0) * down.size(0)) return true;
    return at::mm(up.flatten(1), down.flatten(1)).any().item<bool>();
}

/// What becomes of the layer that a tensor is of: a pair of matrices, seen at the first of them, or a whole
/// difference. Nothing for tensors that add nothing by themselves.
std::optional<Idle> idleAt(SafetensorsFolder& file, const std::optional<safetensors::LoraSettings>& settings,
                           const std::string& name) {
    if (name.ends_with(".alpha")) return std::nullopt;
    for (const LoraMatrices& matrices : kLoraMatrices) {
        if (name.ends_with(matrices.up)) return std::nullopt;
        if (!name.ends_with(matrices.down)) continue;
        const std::string module = name.substr(0, name.size() - std::string_view(matrices.down).size());
        if (!file.has(module + matrices.up)) return std::nullopt;
        if (file.has(module + ".alpha") ? !numbersOf(file, module + ".alpha").any().item<bool>()
                                        : settings && settings->isWithoutStrength(loraComponentOf(module)))
            return Idle::AlphaIsZero;
        return hasProduct(numbersOf(file, module + matrices.up), numbersOf(file, name)) ? Idle::No
                                                                                        : Idle::SumIsZero;
    }
    return numbersOf(file, name).any().item<bool>() ? Idle::No : Idle::SumIsZero;
}

/// Empty where a file changes something.
std::string whyIdle(const Lora& lora) {
    if (lora.scale == 0) return "its scale is 0";
    SafetensorsFolder file(lora.file);
    const auto settings = safetensors::LoraSettings::of(lora.file);
    bool isAlpha = false, isSum = false;
    for (const std::string& name : file.names()) {
        const auto idle = idleAt(file, settings, name);
        if (idle == Idle::No) return {};
        isAlpha = isAlpha || idle == Idle::AlphaIsZero;
        isSum = isSum || idle == Idle::SumIsZero;
    }
    if (isAlpha && isSum) return "of each of its layers alpha is 0 or the product of the matrices is zero";
    return isAlpha ? "the alpha of each of its layers is 0"
                   : "all that it would add is zero, as of one that was saved before it was trained";
}

}  // namespace

std::vector<std::string> idleLoras(const std::vector<Lora>& loras) {
    std::vector<std::string> lines;
    for (const Lora& lora : loras) {
        const std::string why = whyIdle(lora);
        if (why.empty()) continue;
        std::string line = lora.file.string() + ": this LoRA changes nothing, since " + why;
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace reelgrid::weights
