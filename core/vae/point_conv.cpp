#include "core/vae/point_conv.h"

namespace reelgrid::vae {

PointConv::PointConv(const LayerSource& source, std::int64_t in, std::int64_t out, Of of) {
    std::vector<std::int64_t> shape{out, in, 1, 1};
    if (of == Of::Video) shape.push_back(1);
    m_weight_OC = source.weights("weight", shape).reshape({out, in}).contiguous();
    m_bias_O = source.weights("bias", {out});
}

}  // namespace reelgrid::vae
