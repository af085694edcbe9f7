#include "core/weights/idle_loras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/number_text.h"
#include "core/weights/lora_matrices.h"
#include "core/weights/safetensors_folder.h"

namespace reelgrid::weights {
namespace {

/// Less than this is lost in fp32 beside every weight of at least 10⁻¹² and, beside smaller ones, far below
/// what a picture's codes show.
constexpr double kLeastChange = 1e-20;

/// What a layer adds to a weight at most, before the scale; a strength is at most alpha.
struct Change {
    double alpha = 1, sum = 0;
};

at::Tensor numbersOf(SafetensorsFolder& file, const std::string& name) {
    return file.require(name, *file.shapeOf(name)).to(at::kFloat);
}

double greatestOf(const at::Tensor& numbers) {
    return numbers.numel() == 0 ? 0 : numbers.abs().max().item<double>();
}

double greatestProduct(const at::Tensor& up, const at::Tensor& down) {
    if (greatestOf(up) == 0 || greatestOf(down) == 0) return 0;
    // Those of other shapes are nobody's to judge here.
    if (up.dim() < 2 || down.dim() < 2 || up.numel() != up.size(0) * down.size(0))
        return std::numeric_limits<double>::infinity();
    return greatestOf(at::mm(up.flatten(1), down.flatten(1)));
}

/// Of the layer that a tensor is of: a pair of matrices, seen at the first of them, or a whole difference.
/// Nothing for tensors that add nothing by themselves.
std::optional<Change> changeAt(SafetensorsFolder& file,
                               const std::optional<safetensors::LoraSettings>& settings,
                               const std::string& name) {
    if (name.ends_with(".alpha")) return std::nullopt;
    for (const LoraMatrices& matrices : kLoraMatrices) {
        if (name.ends_with(matrices.up)) return std::nullopt;
        if (!name.ends_with(matrices.down)) continue;
        const std::string module = name.substr(0, name.size() - std::string_view(matrices.down).size());
        if (!file.has(module + matrices.up)) return std::nullopt;
        const double alpha = file.has(module + ".alpha") ? greatestOf(numbersOf(file, module + ".alpha"))
                             : settings                  ? settings->greatestAlpha(loraComponentOf(module))
                                                         : 1;
        if (alpha == 0) return Change{.alpha = 0};
        return Change{alpha, greatestProduct(numbersOf(file, module + matrices.up), numbersOf(file, name))};
    }
    return Change{1, greatestOf(numbersOf(file, name))};
}

/// Empty where a file changes something.
std::string whyIdle(const Lora& lora) {
    if (lora.scale == 0) return "its scale is 0";
    SafetensorsFolder file(lora.file);
    const auto settings = safetensors::LoraSettings::of(lora.file);
    bool isAlpha = false, isSum = false, isTooLittle = false;
    for (const std::string& name : file.names()) {
        const auto change = changeAt(file, settings, name);
        if (!change) continue;
        const bool isZero = change->alpha == 0 || change->sum == 0;
        if (!isZero && !(std::abs(lora.scale) * change->alpha * change->sum < kLeastChange)) return {};
        isAlpha = isAlpha || change->alpha == 0;
        isSum = isSum || (change->alpha != 0 && change->sum == 0);
        isTooLittle = isTooLittle || !isZero;
    }
    if (isTooLittle)
        return "with its scale and alpha it adds less than " + significant(kLeastChange, 1) +
               " to each weight";
    if (isAlpha && isSum) return "of each of its layers alpha is 0 or the product of the matrices is zero";
    return isAlpha ? "the alpha of each of its layers is 0"
                   : "all that it would add is zero, as of one that was saved before it was trained";
}

/// Whether it is merged, all of it, and each weight is what it was.
bool isLost(const Lora& lora) {
    const LoraEffect& effect = *lora.effect;
    if (effect.isChange || !effect.dtype) return false;
    return std::ranges::all_of(SafetensorsFolder(lora.file).names(),
                               [&](const std::string& name) { return effect.taken.contains(name); });
}

/// Empty where a file changes a weight of a network, or where that isn't known yet.
std::string whyLost(const Lora& lora, const std::vector<Lora>& loras) {
    for (const Lora& each : loras)
        if (each.file == lora.file && !isLost(each)) return {};
    return std::string("each weight is rounded to ") + at::toString(*lora.effect->dtype) +
           ", in which all that it adds is lost";
}

}  // namespace

std::vector<std::string> idleLoras(const std::vector<Lora>& loras) {
    std::vector<std::string> lines;
    for (const Lora& lora : loras) {
        std::string why = whyIdle(lora);
        if (why.empty()) why = whyLost(lora, loras);
        if (why.empty()) continue;
        std::string line = lora.file.string() + ": this LoRA changes nothing, since " + why;
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace reelgrid::weights
