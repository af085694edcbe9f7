#pragma once

// Shape legend: P pictures, C channels, Y and X rows and columns.

#include <ATen/ATen.h>

#include <variant>
#include <vector>

#include "core/metrics/asked_metrics.h"
#include "core/weights/weight_source.h"

namespace reelgrid::perception {

/// LPIPS 0.1: how far apart two pictures are for a network that recognises things, weighted by what people
/// found different. Source: PyPI's lpips 0.1.4 (lpips.py, pretrained_networks.py).
class Lpips {
  public:
    enum class Net { Alex, Squeeze };

    /// `backbone`: torchvision's alexnet or squeezenet1_1; `heads`: lpips's own weights of that network.
    Lpips(Net net, const weights::WeightScope& backbone, const weights::WeightScope& heads);

    /// The distance of each pair, [P], of pictures [P, 3, Y, X] within [−1, 1] on the weights' device. Throws
    /// Failure(BadUsage) for sides below leastSide().
    [[nodiscard]] at::Tensor distance(const at::Tensor& a_P3YX, const at::Tensor& b_P3YX) const;
    [[nodiscard]] int leastSide() const;

  private:
    struct Convolution {
        at::Tensor weight, bias;
        int stride = 1, padding = 0;
    };
    /// SqueezeNet's module: narrowed, then widened by two kernels side by side.
    struct Fire {
        Convolution squeeze, wide1, wide3;
    };
    /// Layers whose last output is compared.
    struct Stage {
        bool pools = true;  ///< before its layers
        std::vector<std::variant<Convolution, Fire>> layers;
        at::Tensor head_1C11{};
    };
    static metrics::Asked metricOf(Net net);
    static at::Tensor through(const Convolution& layer, const at::Tensor& x);
    [[nodiscard]] at::Tensor through(const Stage& stage, at::Tensor x) const;

    Net m_net;
    std::vector<Stage> m_stages;
    at::Tensor m_shift, m_scale;
};

}  // namespace reelgrid::perception
