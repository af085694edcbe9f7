#include "kernels/cpu/vae/frame_conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::kernels {
namespace {

std::vector<float> normalNumbers(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, 1);
    std::vector<float> values(count);
    for (float& value : values) value = normal(generator);
    return values;
}

struct Layer {
    int in = 8, out = 8, frames = 1;
    std::int64_t pixels = 1;
    bool isMapped = true, hasResidual = true;
};

/// A layer's numbers, and what it makes of them.
class FrameConvLayer {
  public:
    FrameConvLayer(const Layer& layer, int lanes, unsigned seed)
        : m_layer(layer),
          x(normalNumbers(count(layer.in), seed)),
          scale(normalNumbers(std::size_t(layer.in), seed + 1)),
          shift(normalNumbers(std::size_t(layer.in), seed + 2)),
          weights(normalNumbers(std::size_t(layer.in * layer.out * 3), seed + 3)),
          bias(normalNumbers(std::size_t(layer.out), seed + 4)),
          residual(normalNumbers(count(layer.out), seed + 5)),
          m_lanes(lanes) {}

    /// In the residual's own memory, by so many threads.
    std::vector<float> run(int threads) {
        std::vector<float> packed(frameConvWeightFloats(m_layer.in, m_layer.out, m_lanes));
        packFrameConvWeights(weights.data(), m_layer.in, m_layer.out, m_lanes, packed.data());
        std::vector<float> out = m_layer.hasResidual ? residual : std::vector<float>(residual.size(), NAN);
        FrameConvCall call{.lanes = m_lanes,
                           .inChannels = m_layer.in,
                           .outChannels = m_layer.out,
                           .frames = m_layer.frames,
                           .pixels = m_layer.pixels,
                           .in = x.data(),
                           .weights = packed.data(),
                           .bias = bias.data(),
                           .out = out.data()};
        if (m_layer.isMapped) {
            call.scale = scale.data();
            call.shift = shift.data();
        }
        if (m_layer.hasResidual) call.residual = out.data();
        std::atomic<std::int64_t> next{0};
        std::vector<std::jthread> crew;
        for (int i = 0; i < threads; ++i)
            crew.emplace_back([&] {
                std::vector<float> memory(frameConvScratchFloats(call) + 16);
                void* at = memory.data();
                std::size_t space = memory.size() * sizeof(float);
                std::align(64, frameConvScratchFloats(call) * sizeof(float), at, space);
                runFrameConv(call, next, static_cast<float*>(at));
            });
        crew.clear();
        return out;
    }
    [[nodiscard]] double expected(int frame, std::int64_t pixel, int o) const {
        double sum = bias[std::size_t(o)];
        if (m_layer.hasResidual) sum += residual[at(frame, pixel, m_layer.out, o)];
        for (int tap = 0; tap < 3; ++tap) {
            const int seen = frame + tap - 1;
            if (seen < 0 || seen >= m_layer.frames) continue;
            for (int c = 0; c < m_layer.in; ++c) {
                double value = x[at(seen, pixel, m_layer.in, c)];
                if (m_layer.isMapped) {
                    value = value * double(scale[std::size_t(c)]) + double(shift[std::size_t(c)]);
                    value = value / (1 + std::exp(-value));
                }
                sum += value * double(weights[std::size_t((o * m_layer.in + c) * 3 + tap)]);
            }
        }
        return sum;
    }
    [[nodiscard]] std::size_t at(int frame, std::int64_t pixel, int channels, int channel) const {
        return std::size_t((frame * m_layer.pixels + pixel) * channels + channel);
    }

  private:
    [[nodiscard]] std::size_t count(int channels) const {
        return std::size_t(m_layer.frames * m_layer.pixels * channels);
    }
    Layer m_layer;

  public:
    std::vector<float> x, scale, shift, weights, bias, residual;

  private:
    int m_lanes;
};

class FrameConvKernel : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (vaeConvLanes() < GetParam())
            GTEST_SKIP() << "this machine has no vectors of " << GetParam() << " floats";
    }
};

/// Random shapes, with pixels and channels that fill no vector and no task.
TEST_P(FrameConvKernel, EqualsTheSumsInFloat64) {
    std::mt19937 random(GetParam());
    const auto pick = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
    for (int round = 0; round < 40; ++round) {
        const Layer layer{.in = 8 * pick(1, 9),
                          .out = 8 * pick(1, 9),
                          .frames = pick(1, 6),
                          .pixels = pick(1, 120),
                          .isMapped = pick(0, 3) > 0,
                          .hasResidual = pick(0, 1) > 0};
        FrameConvLayer numbers(layer, GetParam(), unsigned(100 + round));
        const std::vector<float> made = numbers.run(pick(1, 3));
        double worst = 0;
        for (int frame = 0; frame < layer.frames; ++frame)
            for (std::int64_t pixel = 0; pixel < layer.pixels; ++pixel)
                for (int o = 0; o < layer.out; ++o)
                    worst = std::max(worst, std::abs(double(made[numbers.at(frame, pixel, layer.out, o)]) -
                                                     numbers.expected(frame, pixel, o)));
        ASSERT_LT(worst, 2e-4) << layer.in << " to " << layer.out << " channels, " << layer.frames
                               << " frames of " << layer.pixels;
    }
}

TEST_P(FrameConvKernel, GivesTheSameBitsForAnyNumberOfThreads) {
    const Layer layer{.in = 40, .out = 24, .frames = 3, .pixels = 250};
    FrameConvLayer numbers(layer, GetParam(), 5);
    EXPECT_EQ(numbers.run(1), numbers.run(4));
}

INSTANTIATE_TEST_SUITE_P(Lanes, FrameConvKernel, testing::Values(8, 16),
                         [](const auto& tested) { return "Lanes" + std::to_string(tested.param); });

}  // namespace
}  // namespace reelgrid::kernels
