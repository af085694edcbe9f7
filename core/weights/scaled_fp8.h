#pragma once

#include <ATen/ATen.h>

#include <string>
#include <string_view>
#include <vector>

namespace reelgrid::weights {

/// Checkpoints of large video models store matrices as scaled FP8: `X.weight` in F8_E4M3 (or F8_E5M2) beside
/// `X.scale_weight` or `X.weight_scale`, one fp32 number or one a row; the weight is their product. An empty
/// tensor `scaled_fp8` marks the file, and `X.scale_input` or `X.input_scale`, which only products in FP8
/// have a use for, may be there, as may ComfyUI's `X.comfy_quant`, which names the format. Everything else is
/// stored as in any checkpoint.

inline constexpr std::string_view kScaledFp8Marker = "scaled_fp8", kScaledFp8MarkerBelow = ".scaled_fp8";

/// "blocks.0.ffn.net.2.weight" → "blocks.0.ffn.net.2.scale_weight" and "….weight_scale"; none for other
/// tensors than weights.
std::vector<std::string> scaleNamesOf(const std::string& weightName);
/// The way back, also from the scale of a layer's input and from the format's name; empty for other tensors.
std::string weightNameOf(const std::string& scaleName);

/// Of `tensors`, by name, the first whose name says that it scales the weight, `known` left out; the end
/// where there is none. Scales of a layer's input are none.
template <class Tensors>
typename Tensors::const_iterator scaleBeside(const Tensors& tensors, const std::string& weightName,
                                             const std::string& known = {}) {
    constexpr std::string_view kWeight = "weight";
    if (!weightName.ends_with(kWeight)) return tensors.end();
    const std::string module = weightName.substr(0, weightName.size() - kWeight.size());
    for (auto at = tensors.lower_bound(module); at != tensors.end() && at->first.starts_with(module); ++at) {
        const std::string_view rest = std::string_view(at->first).substr(module.size());
        const bool isInput = rest == "scale_input" || rest == "input_scale";
        const bool isOfModule = rest.find('.') == rest.npos;
        if (!isInput && isOfModule && at->first != known && rest.find("scale") != rest.npos) return at;
    }
    return tensors.end();
}

inline bool isFp8(at::ScalarType dtype) {
    return dtype == at::kFloat8_e4m3fn || dtype == at::kFloat8_e5m2;
}

/// fp8 × scale in bf16, the dtype such a checkpoint was made from, whatever a render's is. `scale` is one
/// number, or one a row as [rows] or [rows, 1]. Throws Failure(InvalidData) naming `where` when it isn't, or
/// not all of them are finite and positive.
at::Tensor dequantised(const at::Tensor& fp8, const at::Tensor& scale, const std::string& where);

}  // namespace reelgrid::weights
