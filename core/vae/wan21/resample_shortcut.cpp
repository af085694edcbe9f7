#include "core/vae/wan21/resample_shortcut.h"

#include <string>

#include "core/base/result.h"

namespace reelgrid::vae::wan21 {

namespace {

[[noreturn]] void refuse(std::int64_t in, std::int64_t out, const LevelFactors& factors) {
    throw Failure(ErrorCode::InvalidData, "a level of " + std::to_string(in) + " channels in and " +
                                              std::to_string(out) + " out that changes sizes by " +
                                              std::to_string(factors.volume()) +
                                              " can have no shortcut: multiples were needed");
}

}  // namespace

MeanShortcut::MeanShortcut(std::int64_t in, std::int64_t out, LevelFactors factors)
    : m_out(out), m_factors(factors) {
    if (in * factors.volume() % out != 0) refuse(in, out, factors);
}

at::Tensor MeanShortcut::forward(const at::Tensor& x_THWC) const {
    const auto [time, space] = m_factors;
    const std::int64_t missing = (time - x_THWC.size(0) % time) % time;
    const at::Tensor x = missing == 0 ? x_THWC : at::constant_pad_nd(x_THWC, {0, 0, 0, 0, 0, 0, missing, 0});
    const std::int64_t t = x.size(0) / time, h = x.size(1) / space, w = x.size(2) / space, c = x.size(3);
    return x.view({t, time, h, space, w, space, c})
        .permute({0, 2, 4, 6, 1, 3, 5})
        .reshape({t, h, w, m_out, c * m_factors.volume() / m_out})
        .mean(-1);
}

RepeatShortcut::RepeatShortcut(std::int64_t in, std::int64_t out, LevelFactors factors, at::Device device)
    : m_out(out), m_factors(factors) {
    const std::int64_t all = out * factors.volume();
    if (all % in != 0) refuse(in, out, factors);
    m_source = at::arange(all, at::kLong).floor_divide(all / in).to(device);
}

at::Tensor RepeatShortcut::forward(const at::Tensor& x_THWC, Chunk chunk) const {
    const auto [time, space] = m_factors;
    const std::int64_t t = x_THWC.size(0), h = x_THWC.size(1), w = x_THWC.size(2);
    const at::Tensor out = x_THWC.index_select(3, m_source)
                               .view({t, h, w, m_out, time, space, space})
                               .permute({0, 4, 1, 5, 2, 6, 3})
                               .reshape({t * time, h * space, w * space, m_out});
    return chunk == Chunk::First ? out.narrow(0, time - 1, out.size(0) - time + 1) : out;
}

at::Tensor patchesOf(const at::Tensor& x_THWC, std::int64_t edge) {
    if (edge == 1) return x_THWC;
    const std::int64_t t = x_THWC.size(0), h = x_THWC.size(1) / edge, w = x_THWC.size(2) / edge,
                       c = x_THWC.size(3);
    // Channels in the reference's order: color, column, row.
    return x_THWC.reshape({t, h, edge, w, edge, c})
        .permute({0, 1, 3, 5, 4, 2})
        .reshape({t, h, w, c * edge * edge});
}

at::Tensor pixelsOf(const at::Tensor& x_THWC, std::int64_t edge) {
    if (edge == 1) return x_THWC;
    const std::int64_t t = x_THWC.size(0), h = x_THWC.size(1), w = x_THWC.size(2),
                       c = x_THWC.size(3) / (edge * edge);
    return x_THWC.reshape({t, h, w, c, edge, edge})
        .permute({0, 1, 5, 2, 4, 3})
        .reshape({t, h * edge, w * edge, c});
}

}  // namespace reelgrid::vae::wan21
