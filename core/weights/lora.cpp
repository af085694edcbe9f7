#include "core/weights/lora.h"

#include <array>
#include <utility>

#include "core/base/result.h"
#include "core/safetensors/header.h"

namespace reelgrid::weights {
namespace {

using safetensors::shapeText;

struct Matrices {
    const char *down, *up;
};
constexpr std::array kMatrices{Matrices{".lora_A.weight", ".lora_B.weight"},
                               Matrices{".lora_down.weight", ".lora_up.weight"},
                               Matrices{".lora_A.default.weight", ".lora_B.default.weight"}};

[[noreturn]] void throwMisfit(const Lora& lora, const std::string& tensor, at::IntArrayRef shape,
                              const std::string& needed) {
    throw Failure(ErrorCode::InvalidData, lora.file.string() + ": tensor " + tensor + " has shape " +
                                              shapeText(shape) + ", " + needed + " was needed");
}

/// The module and what of it: {"blocks.0.attn1.to_q", ".weight"}.
std::pair<std::string, std::string> splitName(const std::string& name) {
    const auto dot = name.rfind('.');
    return dot == name.npos ? std::pair{name, std::string()}
                            : std::pair{name.substr(0, dot), name.substr(dot)};
}

}  // namespace

LoraWeights::LoraWeights(std::unique_ptr<WeightSource> checkpoint, const std::vector<Lora>& loras,
                         LoraNames names)
    : m_checkpoint(std::move(checkpoint)), m_names(std::move(names)) {
    for (const Lora& lora : loras) m_loras.push_back({lora, std::make_unique<SafetensorsFolder>(lora.file)});
}

at::Tensor LoraWeights::take(Opened& from, const std::string& name) {
    const auto shape = from.tensors->shapeOf(name);
    if (!shape) return {};
    from.taken.insert(name);
    return from.tensors->require(name, *shape).to(at::kFloat);
}

at::Tensor LoraWeights::differenceOfWeight(Opened& from, const std::string& module, at::IntArrayRef shape) {
    at::Tensor difference = take(from, module + ".diff");
    if (difference.defined() && difference.sizes() != shape)
        throwMisfit(from.lora, module + ".diff", difference.sizes(), shapeText(shape));
    for (const auto& [down, up] : kMatrices) {
        const at::Tensor a = take(from, module + down), b = take(from, module + up);
        if (!a.defined() && !b.defined()) continue;
        if (!a.defined() || !b.defined())
            throw Failure(ErrorCode::InvalidData, from.lora.file.string() + ": tensor " + module +
                                                      (a.defined() ? up : down) + " is missing");
        if (shape.size() != 2 || a.dim() != 2 || a.size(1) != shape[1])
            throwMisfit(from.lora, module + down, a.sizes(), "a rank × the columns of " + shapeText(shape));
        if (b.dim() != 2 || b.size(0) != shape[0] || b.size(1) != a.size(0))
            throwMisfit(from.lora, module + up, b.sizes(), "the rows of " + shapeText(shape) + " × the rank");
        const at::Tensor alpha = take(from, module + ".alpha");
        if (alpha.defined() && alpha.numel() != 1)
            throwMisfit(from.lora, module + ".alpha", alpha.sizes(), "one number");
        const double strength = alpha.defined() ? alpha.item<double>() / static_cast<double>(a.size(0)) : 1.0;
        const at::Tensor product = at::mm(b, a).mul_(strength);
        difference = difference.defined() ? difference + product : product;
    }
    return difference;
}

at::Tensor LoraWeights::differenceOfBias(Opened& from, const std::string& module) {
    for (const char* name : {".diff_b", ".lora_B.bias"})
        if (const at::Tensor difference = take(from, module + name); difference.defined()) return difference;
    return {};
}

at::Tensor LoraWeights::require(const std::string& name, at::IntArrayRef shape) {
    const at::Tensor stored = m_checkpoint->require(name, shape);
    const auto [module, part] = splitName(name);
    if (part != ".weight" && part != ".bias") return stored;
    at::Tensor merged;
    for (Opened& opened : m_loras)
        for (const std::string& kept : m_names(module)) {
            const at::Tensor difference =
                part == ".weight" ? differenceOfWeight(opened, kept, shape) : differenceOfBias(opened, kept);
            if (!difference.defined()) continue;
            if (difference.sizes() != shape)
                throwMisfit(opened.lora, kept, difference.sizes(), shapeText(shape));
            if (!merged.defined()) merged = stored.to(at::kFloat);
            merged = merged.add(difference, opened.lora.scale);
        }
    return merged.defined() ? merged.to(stored.scalar_type()) : stored;
}

void LoraWeights::requireAllTaken() const {
    for (const Opened& opened : m_loras) {
        if (opened.taken.empty())
            throw Failure(ErrorCode::InvalidData, opened.lora.file.string() +
                                                      ": nothing in it is named after this model's layers, a "
                                                      "LoRA for this model was needed");
        for (const std::string& name : opened.tensors->names())
            if (!opened.taken.contains(name))
                throw Failure(ErrorCode::InvalidData, opened.lora.file.string() + ": tensor " + name +
                                                          " belongs to no layer of this model");
    }
}

}  // namespace reelgrid::weights
