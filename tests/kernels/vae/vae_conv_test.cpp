#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/cpu/vae/vae_conv.h"
#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels {
namespace {

struct ConvCase {
    int in, out, rows, columns, frames, taps;
    VaeConvInput input;
    bool activated, residual;
};

std::vector<float> noise(std::size_t count, unsigned seed, float scale = 1) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> values(count);
    for (float& value : values) value = normal(generator);
    return values;
}

struct Free {
    void operator()(float* memory) const { std::free(memory); }
};
std::unique_ptr<float, Free> aligned(std::size_t floats) {
    return std::unique_ptr<float, Free>(
        static_cast<float*>(std::aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64)));
}

/// The same convolution term by term, in double.
class DirectConvolution {
  public:
    DirectConvolution(const ConvCase& c, const VaeConv& conv, const std::vector<float>& weights)
        : m_case(c), m_conv(conv), m_weights(weights), m_scale(c.input == VaeConvInput::Doubled ? 2 : 1) {
        const auto in = std::size_t(c.in);
        const std::size_t pixels = std::size_t(c.rows / m_scale) * std::size_t(c.columns / m_scale);
        for (int frame = 0; frame < c.frames + c.taps - 1; ++frame) {
            std::vector<double>& values = m_frames.emplace_back(pixels * in, 0.0);
            const float* from = conv.inFrames[frame];
            if (from == nullptr) continue;
            for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
                double squares = 0;
                for (std::size_t i = 0; i < in; ++i) squares += std::pow(double(from[pixel * in + i]), 2);
                for (std::size_t i = 0; i < in; ++i) {
                    double value = double(from[pixel * in + i]);
                    if (c.activated) {
                        value = value / std::max(std::sqrt(squares), 1e-12) * double(conv.normScale[i]);
                        value = value / (1 + std::exp(-value));
                    }
                    values[pixel * in + i] = value;
                }
            }
        }
    }

    [[nodiscard]] double at(int frame, int y, int x, int o) const {
        double sum = double(m_conv.bias[o]);
        const std::size_t index =
            ((std::size_t(frame) * std::size_t(m_case.rows) + std::size_t(y)) * std::size_t(m_case.columns) +
             std::size_t(x)) *
                std::size_t(m_case.out) +
            std::size_t(o);
        if (m_conv.residual != nullptr) sum += double(m_conv.residual[index]);
        for (int tap = 0; tap < m_case.taps; ++tap) {
            for (int dy = 0; dy < 3; ++dy) {
                for (int dx = 0; dx < 3; ++dx)
                    sum += term(frame + tap, y + dy - 1, x + dx - 1, o, tap, 3 * dy + dx);
            }
        }
        return sum;
    }

  private:
    [[nodiscard]] double term(int frame, int y, int x, int o, int tap, int weight) const {
        if (y < 0 || x < 0 || y >= m_case.rows || x >= m_case.columns) return 0;
        const int pixel = y / m_scale * (m_case.columns / m_scale) + x / m_scale;
        double sum = 0;
        for (int c = 0; c < m_case.in; ++c) {
            sum += m_frames[std::size_t(frame)][std::size_t(pixel * m_case.in + c)] *
                   double(m_weights[std::size_t(((o * m_case.in + c) * m_case.taps + tap) * 9 + weight)]);
        }
        return sum;
    }

    const ConvCase& m_case;
    const VaeConv& m_conv;
    const std::vector<float>& m_weights;
    int m_scale;
    std::vector<std::vector<double>> m_frames;
};

/// Largest error over largest value.
double errorOf(const ConvCase& c, int lanes) {
    const int scale = c.input == VaeConvInput::Doubled ? 2 : 1;
    const std::size_t inFloats =
        std::size_t(c.rows / scale) * std::size_t(c.columns / scale) * std::size_t(c.in);
    std::vector<std::vector<float>> frames;
    std::vector<const float*> pointers;
    for (int frame = 0; frame < c.frames + c.taps - 1; ++frame) {
        frames.push_back(noise(inFloats, unsigned(frame + 1)));
    }
    for (const auto& frame : frames) pointers.push_back(frame.data());
    if (c.taps == 3) pointers.front() = nullptr;  // a clip's beginning
    const auto weights = noise(std::size_t(c.out) * std::size_t(c.in) * std::size_t(c.taps) * 9, 101,
                               1 / std::sqrt(float(c.in * c.taps * 9)));
    const auto bias = noise(std::size_t(c.out), 102), normScale = noise(std::size_t(c.in), 103);
    const std::size_t outFloats =
        std::size_t(c.frames) * std::size_t(c.rows) * std::size_t(c.columns) * std::size_t(c.out);
    const auto residual = noise(outFloats, 104);
    std::vector<float> out(outFloats + 1, 77.0f);

    const auto packed = aligned(vaeConvWeightFloats(c.in, c.out, c.taps));
    packVaeConvWeights(weights.data(), c.in, c.out, c.taps, lanes, packed.get(), 0, c.out);
    VaeConv conv;
    conv.lanes = lanes;
    conv.inChannels = c.in;
    conv.outChannels = c.out;
    conv.timeTaps = c.taps;
    conv.rows = c.rows;
    conv.columns = c.columns;
    conv.frames = c.frames;
    conv.input = c.input;
    conv.inFrames = pointers.data();
    conv.normScale = c.activated ? normScale.data() : nullptr;
    conv.weights = packed.get();
    conv.bias = bias.data();
    conv.residual = c.residual ? residual.data() : nullptr;
    conv.out = out.data();
    const auto scratch = aligned(vaeConvScratchFloats(conv));
    std::atomic<std::int64_t> next{0};
    runVaeConv(conv, next, scratch.get());
    EXPECT_GE(next, vaeConvTasks(conv));
    EXPECT_EQ(out.back(), 77.0f) << "wrote behind the output";

    const DirectConvolution direct(c, conv, weights);
    double error = 0, largest = 0;
    std::size_t index = 0;
    for (int frame = 0; frame < c.frames; ++frame) {
        for (int y = 0; y < c.rows; ++y) {
            for (int x = 0; x < c.columns; ++x) {
                for (int o = 0; o < c.out; ++o, ++index) {
                    const double wanted = direct.at(frame, y, x, o);
                    const double difference = std::abs(double(out[index]) - wanted);
                    error = std::isnan(difference) ? 1e30 : std::max(error, difference);
                    largest = std::max(largest, std::abs(wanted));
                }
            }
        }
    }
    return error / largest;
}

/// 8 lanes are AVX2's, 16 AVX-512's.
class VaeConvKernels : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        const auto best = bestInstructionSet(Products::Fp32);
        if (best < (GetParam() == 16 ? InstructionSet::Avx512 : InstructionSet::Avx2))
            GTEST_SKIP() << "this processor has no vectors of " << GetParam() << " floats";
    }
};

TEST_P(VaeConvKernels, AgreeWithTheDirectSum) {
    constexpr auto kSame = VaeConvInput::Same, kDoubled = VaeConvInput::Doubled;
    const ConvCase cases[] = {
        {8, 8, 1, 1, 1, 3, kSame, false, false},
        {8, 8, 5, 7, 2, 3, kSame, false, true},
        {24, 24, 18, 22, 3, 3, kSame, true, true},
        {16, 48, 9, 9, 2, 3, kSame, true, false},
        {96, 96, 6, 6, 1, 3, kSame, true, true},
        {24, 8, 7, 200, 1, 3, kSame, true, false},
        {48, 32, 8, 12, 2, 1, kDoubled, false, false},
        {96, 48, 36, 34, 1, 1, kDoubled, false, false},
        {8, 16, 6, 4, 1, 1, kDoubled, true, true},
        {32, 40, 4, 60, 5, 3, kSame, true, true},
        // Odd numbers of tiles, where two of them share a vector.
        {24, 24, 9, 9, 2, 3, kSame, true, true},
        {24, 8, 12, 12, 2, 3, kSame, true, false},
        {48, 24, 10, 38, 2, 1, kDoubled, false, false},
        {16, 8, 5, 3, 2, 3, kSame, true, true},
        {8, 72, 3, 17, 1, 1, kSame, true, false},
        {24, 24, 33, 65, 1, 3, kSame, false, true},
    };
    for (const ConvCase& c : cases) {
        EXPECT_LT(errorOf(c, GetParam()), 5e-6) << c.in << " to " << c.out << " channels, " << c.rows << " x "
                                                << c.columns << ", " << c.frames << " frames";
    }
}

/// As threads share it.
TEST(VaeConvWeights, PackedInPartsAreThoseOfOneGo) {
    constexpr int kIn = 16, kOut = 48, kTaps = 3;
    const auto weights = noise(std::size_t(kOut * kIn * kTaps * 9), 7);
    const std::size_t count = vaeConvWeightFloats(kIn, kOut, kTaps);
    for (const int lanes : {8, 16}) {
        std::vector<float> whole(count), parts(count + 1, 77.0f);
        packVaeConvWeights(weights.data(), kIn, kOut, kTaps, lanes, whole.data(), 0, kOut);
        for (const auto& [first, last] : {std::pair(24, 48), std::pair(0, 8), std::pair(8, 24)})
            packVaeConvWeights(weights.data(), kIn, kOut, kTaps, lanes, parts.data(), first, last);
        EXPECT_EQ(parts.back(), 77.0f) << "wrote behind the weights";
        parts.pop_back();
        EXPECT_EQ(parts, whole) << lanes << " lanes";
    }
}

TEST(VaeConvSelection, FollowsTheForcedInstructionSet) {
    const std::pair<InstructionSet, int> kLanes[] = {{InstructionSet::Portable, 0},
                                                     {InstructionSet::Avx2, 8},
                                                     {InstructionSet::Avx512, 16},
                                                     {InstructionSet::Amx, 16}};
    for (const auto& [set, lanes] : kLanes) {
        const test::ForcedInstructionSet forced(set);
        if (set <= bestInstructionSet())
            EXPECT_EQ(vaeConvLanes(), lanes) << nameOf(set);
        else
            EXPECT_THROW(static_cast<void>(vaeConvLanes()), std::runtime_error) << nameOf(set);
    }
}

TEST(VaeConvSelection, RefusesWhatIsNoInstructionSet) {
    const test::ForcedInstructionSet forced("avx9");
    EXPECT_THROW(static_cast<void>(vaeConvLanes()), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Lanes, VaeConvKernels, testing::Values(8, 16), testing::PrintToStringParamName());

}  // namespace
}  // namespace reelgrid::kernels
