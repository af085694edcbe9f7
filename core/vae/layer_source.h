#pragma once

#include <string_view>

#include "core/weights/weight_source.h"

namespace reelgrid::vae {

/// Who computes the convolutions: our own CPU kernels where they can (fp32 on a CPU with AVX2 or AVX-512) and
/// cuDNN with our kernels around it on a GPU, or libtorch everywhere.
enum class ConvEngine { Fastest, Libtorch };

/// What a layer's constructor needs: where its parameters are, and which engine will run it.
struct LayerSource {
    weights::WeightScope weights;
    ConvEngine engine = ConvEngine::Fastest;

    [[nodiscard]] LayerSource operator/(std::string_view child) const { return {weights / child, engine}; }
    [[nodiscard]] LayerSource operator/(std::int64_t index) const { return {weights / index, engine}; }
};

}  // namespace reelgrid::vae
