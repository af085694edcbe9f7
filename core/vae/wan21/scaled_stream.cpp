#include "core/vae/wan21/scaled_stream.h"

#include <algorithm>
#include <array>

namespace reelgrid::vae::wan21 {
namespace {

constexpr double kScale = 1.0 / 64;

bool isOfStream(std::string_view name) {
    constexpr std::array<std::string_view, 9> kEnds{
        // what writes the stream from something normalised
        "conv_in.weight",
        "conv_in.bias",
        "conv2.weight",
        "conv2.bias",
        "proj.weight",
        "proj.bias",
        // what maps the stream to itself linearly
        "conv_shortcut.bias",
        "resample.1.bias",
        "time_conv.bias",
    };
    return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

at::Tensor ScaledStream::require(const std::string& name, at::IntArrayRef shape) {
    const at::Tensor stored = m_inner.require(name, shape);
    return isOfStream(name) ? stored.to(at::kFloat) * kScale : stored;
}

}  // namespace reelgrid::vae::wan21
