#include "core/perception/lpips.h"

#include <limits>
#include <string>

#include "core/base/number_text.h"
#include "core/base/result.h"

namespace reelgrid::perception {
namespace {

at::Tensor perColor(std::initializer_list<double> values, const weights::WeightScope& scope) {
    return at::tensor(at::ArrayRef<double>(values.begin(), values.size()), at::kDouble)
        .to(scope.device(), scope.dtype())
        .view({1, -1, 1, 1});
}

/// What a stage's channels count: lpips trains them never below 0, or pictures could be nearer than the same
/// one. Throws Failure(InvalidData) naming file and tensor.
at::Tensor headOf(const weights::WeightScope& at, std::int64_t channels) {
    at::Tensor weight = at("weight", {1, channels, 1, 1});
    if (const double least = weight.min().item<double>(); least < 0)
        throw Failure(ErrorCode::InvalidData, at.whereIs("weight") + " has the value " +
                                                  significant(least, 4) +
                                                  ", none below 0 was needed: lpips's heads have none");
    return weight;
}

/// Each place's channels at length 1; NaN where that is more than fp32 holds: divided by infinity, all
/// pictures would be the same zeros.
at::Tensor unitLength(const at::Tensor& x_PCYX) {
    constexpr double kEps = 1e-10;
    const at::Tensor length_P1YX = x_PCYX.square().sum(1, true).sqrt_();
    length_P1YX.masked_fill_(length_P1YX.isinf(), std::numeric_limits<double>::quiet_NaN());
    return x_PCYX / (length_P1YX + kEps);
}

}  // namespace

metrics::Asked Lpips::metricOf(Net net) {
    return net == Net::Alex ? metrics::Asked::Lpips : metrics::Asked::LpipsSqueeze;
}

int Lpips::leastSide() const {
    return metrics::infoOf(metricOf(m_net)).leastSide;
}

Lpips::Lpips(Net net, const weights::WeightScope& backbone, const weights::WeightScope& heads)
    : m_net(net),
      m_shift(perColor({-.030, -.088, -.188}, backbone)),
      m_scale(perColor({.458, .448, .450}, backbone)) {
    const weights::WeightScope features = backbone / "features";
    const auto convolution = [](const weights::WeightScope& at, std::int64_t in, std::int64_t out,
                                std::int64_t side, int stride, int padding) {
        return Convolution{at("weight", {out, in, side, side}), at("bias", {out}), stride, padding};
    };
    const auto fire = [&](int place, std::int64_t in, std::int64_t narrow, std::int64_t wide) {
        const weights::WeightScope at = features / place;
        return Fire{convolution(at / "squeeze", in, narrow, 1, 1, 0),
                    convolution(at / "expand1x1", narrow, wide, 1, 1, 0),
                    convolution(at / "expand3x3", narrow, wide, 3, 1, 1)};
    };
    std::vector<std::int64_t> channels;
    if (net == Net::Alex) {
        channels = {64, 192, 384, 256, 256};
        m_stages.push_back({false, {convolution(features / 0, 3, 64, 11, 4, 2)}});
        m_stages.push_back({true, {convolution(features / 3, 64, 192, 5, 1, 2)}});
        m_stages.push_back({true, {convolution(features / 6, 192, 384, 3, 1, 1)}});
        m_stages.push_back({false, {convolution(features / 8, 384, 256, 3, 1, 1)}});
        m_stages.push_back({false, {convolution(features / 10, 256, 256, 3, 1, 1)}});
    } else {
        channels = {64, 128, 256, 384, 384, 512, 512};
        m_stages.push_back({false, {convolution(features / 0, 3, 64, 3, 2, 0)}});
        m_stages.push_back({true, {fire(3, 64, 16, 64), fire(4, 128, 16, 64)}});
        m_stages.push_back({true, {fire(6, 128, 32, 128), fire(7, 256, 32, 128)}});
        m_stages.push_back({true, {fire(9, 256, 48, 192)}});
        m_stages.push_back({false, {fire(10, 384, 48, 192)}});
        m_stages.push_back({false, {fire(11, 384, 64, 256)}});
        m_stages.push_back({false, {fire(12, 512, 64, 256)}});
    }
    for (std::size_t i = 0; i < m_stages.size(); ++i)
        m_stages[i].head_1C11 = headOf(heads / ("lin" + std::to_string(i)) / "model" / 1, channels[i]);
}

at::Tensor Lpips::through(const Convolution& layer, const at::Tensor& x) {
    return at::conv2d(x, layer.weight, layer.bias, layer.stride, layer.padding).relu_();
}

at::Tensor Lpips::through(const Stage& stage, at::Tensor x) const {
    constexpr std::int64_t kWindow = 3, kStride = 2, kPadding = 0, kDilation = 1;
    if (stage.pools) x = at::max_pool2d(x, kWindow, kStride, kPadding, kDilation, m_net == Net::Squeeze);
    for (const auto& layer : stage.layers) {
        if (const auto* convolution = std::get_if<Convolution>(&layer)) {
            x = through(*convolution, x);
            continue;
        }
        const Fire& fire = std::get<Fire>(layer);
        x = through(fire.squeeze, x);
        x = at::cat({through(fire.wide1, x), through(fire.wide3, x)}, 1);
    }
    return x;
}

at::Tensor Lpips::distance(const at::Tensor& a_P3YX, const at::Tensor& b_P3YX) const {
    metrics::requireSides(metricOf(m_net), a_P3YX.size(3), a_P3YX.size(2)).value();
    at::Tensor a = (a_P3YX - m_shift) / m_scale, b = (b_P3YX - m_shift) / m_scale, sum_P;
    for (const Stage& stage : m_stages) {
        a = through(stage, a);
        b = through(stage, b);
        const at::Tensor apart_PCYX = (unitLength(a) - unitLength(b)).square_();
        const at::Tensor part_P = at::conv2d(apart_PCYX, stage.head_1C11).mean({1, 2, 3});
        sum_P = sum_P.defined() ? sum_P + part_P : part_P;
    }
    return sum_P;
}

}  // namespace reelgrid::perception
