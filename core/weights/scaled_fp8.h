#pragma once

#include <ATen/ATen.h>

#include <string>
#include <string_view>

namespace reelgrid::weights {

/// Checkpoints of large video models store matrices as scaled FP8: `X.weight` in F8_E4M3 (or F8_E5M2) beside
/// `X.scale_weight`, one fp32 number; the weight is their product. An empty tensor `scaled_fp8` marks the
/// file, and `X.scale_input`, which only products in FP8 have a use for, may be there. Everything else is
/// stored as in any checkpoint.

inline constexpr std::string_view kScaledFp8Marker = "scaled_fp8", kScaledFp8MarkerBelow = ".scaled_fp8";

/// "blocks.0.ffn.net.2.weight" → "blocks.0.ffn.net.2.scale_weight"; empty for other tensors than weights.
std::string scaleNameOf(const std::string& weightName);
/// The way back, also from the scale of a layer's input; empty for other tensors than scales.
std::string weightNameOf(const std::string& scaleName);

inline bool isFp8(at::ScalarType dtype) {
    return dtype == at::kFloat8_e4m3fn || dtype == at::kFloat8_e5m2;
}

/// fp8 × scale in bf16, the dtype such a checkpoint was made from. Throws Failure(InvalidData) naming `where`
/// when the scale is not one finite positive number.
at::Tensor dequantised(const at::Tensor& fp8, const at::Tensor& scale, const std::string& where);

}  // namespace reelgrid::weights
