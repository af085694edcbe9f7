#include "core/weights/lora.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/one_line.h"
#include "core/base/result.h"
#include "core/safetensors/header.h"
#include "core/weights/finite_check.h"
#include "core/weights/lora_matrices.h"
#include "core/weights/scaled_fp8.h"
#include "core/weights/tensor_remark.h"

namespace reelgrid::weights {
namespace {

using safetensors::shapeText;

constexpr std::string_view kPeftPrefix = "base_model.model.";
/// What may stand before a module's name, in the order in which it is taken off.
constexpr std::array<std::string_view, 6> kPrefixes{kPeftPrefix,     "transformer.",     "unet.",
                                                    "text_encoder.", "diffusion_model.", "pipe.dit."};

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

std::string withoutPrefix(const std::string& kept) {
    for (const std::string_view prefix : kPrefixes)
        if (kept.starts_with(prefix)) return kept.substr(prefix.size());
    return kept;
}

/// FP8 has three bits of a fraction, which a LoRA's change of a percent is lost in.
at::ScalarType mergedDtypeOf(at::ScalarType stored) {
    return isFp8(stored) ? at::kBFloat16 : stored;
}

/// What peft and LyCORIS train in a LoRA's place, by their tensors' names; empty: nothing of the kind.
std::string otherKindIn(const std::vector<std::string>& names) {
    struct Kind {
        const char *mark, *title;
    };
    constexpr std::array kKinds{Kind{"lokr_", "LoKr"},      Kind{"hada_", "LoHa"},
                                Kind{"oft_", "OFT"},        Kind{"ia3_", "(IA)³"},
                                Kind{"dora_scale", "DoRA"}, Kind{"lora_magnitude_vector", "DoRA"}};
    for (const std::string& name : names)
        for (const Kind& kind : kKinds)
            if (name.find(kind.mark) != name.npos)
                return "tensor " + nameInOneLine(name) + " is of " + kind.title;
    return {};
}

}  // namespace

LoraWeights::LoraWeights(std::unique_ptr<WeightSource> checkpoint, const std::vector<Lora>& loras,
                         LoraNames names, LoraShare share)
    : m_checkpoint(std::move(checkpoint)), m_names(std::move(names)), m_share(std::move(share)) {
    for (const Lora& lora : loras)
        m_loras.push_back(
            {lora, std::make_unique<SafetensorsFolder>(lora.file), safetensors::LoraSettings::of(lora.file)});
}

at::Tensor LoraWeights::take(Opened& from, const std::string& name, Numbers numbers) {
    const auto shape = from.tensors->shapeOf(name);
    if (!shape) return {};
    from.taken.insert(name);
    from.lora.effect->taken.insert(name);
    const at::Tensor stored = from.tensors->require(name, *shape);
    const bool isWhole = c10::isIntegralType(stored.scalar_type(), /*includeBool=*/false);
    if (!stored.is_floating_point() && !(isWhole && numbers == Numbers::Any))
        throw Failure(
            ErrorCode::InvalidData,
            from.lora.file.string() + ": tensor " + name +
                (isWhole ? " has whole numbers" : " has neither whole nor floating-point numbers") +
                (numbers == Numbers::Any ? ", a number was needed" : ", floating-point ones were needed"));
    if (!isFinite(stored))
        throw Failure(ErrorCode::InvalidData, from.tensors->whereIs(name) + " has NaN or infinite values");
    return stored.to(at::kFloat);
}

double LoraWeights::strengthOf(Opened& from, const Place& place, std::int64_t rank) {
    const std::string file = from.lora.file.string(), alphaName = place.kept + ".alpha";
    const at::Tensor alpha = take(from, alphaName, Numbers::Any);
    if (rank == 0)
        throw Failure(ErrorCode::InvalidData,
                      file + ": " + place.kept + " has rank 0, at least 1 was needed");
    if (alpha.defined()) {
        if (alpha.numel() != 1) throwMisfit(from.lora, alphaName, alpha.sizes(), "one number");
        if (from.settings)
            throw Failure(ErrorCode::InvalidData, file + ": tensor " + alphaName + " and " +
                                                      from.settings->where() +
                                                      " both say how strong it is, one of them was needed");
        return alpha.item<double>() / static_cast<double>(rank);
    }
    if (from.settings) {
        const std::array names{place.module, withoutPrefix(place.kept)};
        return from.settings->strengthOf(loraComponentOf(place.kept), names, rank);
    }
    if (place.kept.starts_with(kPeftPrefix))
        throw Failure(ErrorCode::InvalidData,
                      file + ": it has peft's names (" + place.kept +
                          "), and how strong it is stands in adapter_config.json: a file "
                          "adapter_model.safetensors with its adapter_config.json beside it was needed");
    return 1.0;
}

at::Tensor LoraWeights::differenceOfWeight(Opened& from, const Place& place, at::IntArrayRef shape) {
    const std::string& module = place.kept;
    std::string of = module + ".diff";
    at::Tensor difference = take(from, of);
    if (difference.defined() && difference.sizes() != shape)
        throwMisfit(from.lora, of, difference.sizes(), shapeText(shape));
    for (const auto& [down, up, bias] : kLoraMatrices) {
        const at::Tensor a = take(from, module + down), b = take(from, module + up);
        if (!a.defined() && !b.defined()) continue;
        if (!a.defined() || !b.defined())
            throw Failure(ErrorCode::InvalidData, from.lora.file.string() + ": tensor " + module +
                                                      (a.defined() ? up : down) + " is missing");
        // A convolution's is one, with as many channels as the rank between.
        const std::int64_t columns = shape.size() < 2 ? 0 : c10::multiply_integers(shape.slice(1));
        if (columns == 0 || a.dim() < 2 || a.numel() != a.size(0) * columns)
            throwMisfit(from.lora, module + down, a.sizes(), "a rank × the columns of " + shapeText(shape));
        if (b.dim() < 2 || b.size(0) != shape[0] || b.numel() != shape[0] * a.size(0))
            throwMisfit(from.lora, module + up, b.sizes(), "the rows of " + shapeText(shape) + " × the rank");
        if (difference.defined())
            throw Failure(ErrorCode::InvalidData, from.lora.file.string() + ": tensors " + of + " and " +
                                                      module + down +
                                                      " both say what is added to one layer (" +
                                                      place.module + "), one of them was needed");
        of = module + down;
        difference =
            at::mm(b.flatten(1), a.flatten(1)).mul_(strengthOf(from, place, a.size(0))).reshape(shape);
    }
    return difference;
}

at::Tensor LoraWeights::differenceOfBias(Opened& from, const Place& place) {
    if (const at::Tensor whole = take(from, place.kept + ".diff_b"); whole.defined()) return whole;
    for (const auto& [down, up, bias] : kLoraMatrices) {
        const at::Tensor difference = bias == nullptr ? at::Tensor() : take(from, place.kept + bias);
        if (!difference.defined()) continue;
        const auto a = from.tensors->shapeOf(place.kept + down);
        // Where an alpha is a tensor, it is the matrices' alone.
        return a && !a->empty() && from.settings ? difference * strengthOf(from, place, a->front())
                                                 : difference;
    }
    return {};
}

at::Tensor LoraWeights::differenceOfTable(Opened& from, const Place& place) {
    constexpr std::string_view kModulation = ".modulation";
    const at::Tensor whole = take(from, place.kept + ".diff");
    if (whole.defined() || !place.kept.ends_with(kModulation)) return whole;
    return take(from, place.kept.substr(0, place.kept.size() - kModulation.size()) + ".diff_m");
}

void LoraWeights::noteEffect(const Lora& lora, const at::Tensor& before, const at::Tensor& merged,
                             at::ScalarType dtype) {
    LoraEffect& effect = *lora.effect;
    // Nearly always the first weight of all tells.
    if (effect.isChange) return;
    effect.isChange = !at::equal(before.to(dtype), merged.to(dtype));
    effect.dtype = dtype;
}

at::Tensor LoraWeights::require(const std::string& name, at::IntArrayRef shape) {
    const at::Tensor stored = m_checkpoint->require(name, shape);
    const bool isTable = name.ends_with("scale_shift_table");
    const auto [module, part] = isTable ? std::pair{name, std::string()} : splitName(name);
    if (m_loras.empty() || (!isTable && part != ".weight" && part != ".bias")) return stored;
    const at::ScalarType dtype = mergedDtypeOf(stored.scalar_type());
    at::Tensor merged;
    const Opened* last = nullptr;
    const std::vector<std::string> names = m_names(module);
    for (Opened& opened : m_loras) {
        const std::string* other = nullptr;
        for (const std::string& kept : names) {
            const Place place{module, kept};
            const at::Tensor difference = isTable             ? differenceOfTable(opened, place)
                                          : part == ".weight" ? differenceOfWeight(opened, place, shape)
                                                              : differenceOfBias(opened, place);
            if (!difference.defined()) continue;
            if (other != nullptr)
                throw Failure(ErrorCode::InvalidData, opened.lora.file.string() + ": " + *other + " and " +
                                                          kept + " are names of one layer (" + module +
                                                          "), one of them was needed");
            other = &kept;
            if (difference.sizes() != shape)
                throwMisfit(opened.lora, kept, difference.sizes(), shapeText(shape));
            if (!merged.defined()) merged = stored.to(at::kFloat);
            const at::Tensor before = merged;
            merged = before.add(difference, opened.lora.scale);
            noteEffect(opened.lora, before, merged, dtype);
            last = &opened;
        }
    }
    if (!merged.defined()) return stored;
    const at::Tensor rounded = merged.to(dtype);
    if (!isFinite(rounded) && isFinite(stored))
        throw Failure(ErrorCode::InvalidData, last->lora.file.string() + ": merged into " + name + " of " +
                                                  at::toString(dtype) + " it leaves the range of that dtype");
    return rounded;
}

void LoraWeights::requireAllTaken() const {
    for (const Opened& opened : m_loras) {
        std::vector<std::string> left;  // by all that is known of this model's
        for (const std::string& name : opened.tensors->names())
            if (!opened.taken.contains(name) && (opened.taken.empty() || !m_share || m_share(name)))
                left.push_back(name);
        if (const std::string kind = otherKindIn(left); !kind.empty())
            throw Failure(ErrorCode::Unsupported, opened.lora.file.string() + ": " + kind +
                                                      ", which this version can't merge; a LoRA was needed");
        if (opened.taken.empty() && !m_share)
            throw Failure(ErrorCode::InvalidData, opened.lora.file.string() +
                                                      ": nothing in it is named after this model's layers, a "
                                                      "LoRA for this model was needed");
        for (const std::string& name : opened.tensors->names())
            if (!opened.taken.contains(name) && (!m_share || m_share(name)) &&
                (!m_leftOut || !m_leftOut(name)))
                throw Failure(ErrorCode::InvalidData, opened.lora.file.string() + ": tensor " +
                                                          nameInOneLine(name) +
                                                          " belongs to no layer of this model");
    }
}

std::vector<std::string> leftOutOf(const std::vector<Lora>& loras, const LoraShare& isLeftOut,
                                   const std::string& reason) {
    std::vector<std::string> lines;
    for (const Lora& lora : loras) {
        std::vector<std::string> names = SafetensorsFolder(lora.file).names();
        std::erase_if(names, [&](const std::string& name) { return !isLeftOut(name); });
        if (names.empty()) continue;
        std::string line = tensorRemark(lora.file, names, {"is", "are"}, "left out, " + reason);
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace reelgrid::weights
