#include "kernels/cpu/transformer/int8_linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "tests/kernels/instruction_sets.h"

namespace reelgrid::kernels::test {
namespace {

namespace t = transformer;

constexpr std::int64_t kBlock = t::kInt8Block;

std::int64_t blocksOf(std::int64_t side) {
    return (side + kBlock - 1) / kBlock;
}

std::vector<float> random(std::int64_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& x : values) x = normal(generator);
    return values;
}

/// A matrix in integers, block by block, from the definition.
struct Quantised {
    std::vector<int> integers;
    std::vector<double> scales;
    std::int64_t across;

    Quantised(std::int64_t rows, std::int64_t columns, const std::vector<float>& x)
        : integers(x.size()),
          scales(static_cast<std::size_t>(blocksOf(rows) * blocksOf(columns))),
          across(blocksOf(columns)) {
        std::vector<float> most(scales.size(), 1e-8F);
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            float& own = most[block(i / columns, i % columns)];
            own = std::max(own, std::abs(x[static_cast<std::size_t>(i)]));
        }
        for (std::int64_t i = 0; i < rows * columns; ++i) {
            const float units = std::nearbyint(x[static_cast<std::size_t>(i)] *
                                               (128.0F / most[block(i / columns, i % columns)]));
            integers[static_cast<std::size_t>(i)] = static_cast<int>(std::clamp(units, -128.0F, 127.0F));
        }
        for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<double>(most[i] / 128.0F);
    }
    [[nodiscard]] std::size_t block(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>(row / kBlock * across + column / kBlock);
    }
};

struct Layer {
    std::int64_t outputs, inputs;
    std::vector<float> weights, bias;
    std::vector<std::int8_t> integers;
    std::vector<float> blockScales, scales;
    std::unique_ptr<std::uint8_t[], decltype(&std::free)> packed{nullptr, &std::free};

    Layer(std::int64_t out, std::int64_t in)
        : outputs(out),
          inputs(in),
          weights(random(out * in, 1)),
          bias(random(out, 2)),
          integers(weights.size()),
          blockScales(static_cast<std::size_t>(blocksOf(out) * blocksOf(in))),
          scales(static_cast<std::size_t>(blocksOf(in) * t::int8PaddedOutputs(out))) {
        t::quantiseInt8(out, in, weights.data(), integers.data(), blockScales.data());
        for (std::int64_t k = 0; k < blocksOf(in); ++k)
            for (std::int64_t o = 0; o < out; ++o)
                scales[static_cast<std::size_t>(k * t::int8PaddedOutputs(out) + o)] =
                    blockScales[static_cast<std::size_t>(o / kBlock * blocksOf(in) + k)];
        const auto bytes = static_cast<std::size_t>((t::int8PackedBytes(out, in) + 63) / 64 * 64);
        packed.reset(static_cast<std::uint8_t*>(std::aligned_alloc(64, bytes)));
        t::packInt8(out, in, integers.data(), packed.get());
    }
    [[nodiscard]] t::Int8Weight view() const { return {outputs, inputs, packed.get(), scales.data()}; }
};

std::vector<double> defined(const Layer& layer, std::int64_t rows, const std::vector<float>& x) {
    const Quantised xs(rows, layer.inputs, x), ws(layer.outputs, layer.inputs, layer.weights);
    std::vector<double> y;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t o = 0; o < layer.outputs; ++o) {
            double sum = static_cast<double>(layer.bias[static_cast<std::size_t>(o)]);
            for (std::int64_t c = 0; c < layer.inputs; ++c)
                sum += xs.integers[static_cast<std::size_t>(r * layer.inputs + c)] *
                       ws.integers[static_cast<std::size_t>(o * layer.inputs + c)] *
                       xs.scales[xs.block(r, c)] * ws.scales[ws.block(o, c)];
            y.push_back(sum);
        }
    return y;
}

class Int8Linear : public OnInstructionSet, public testing::WithParamInterface<InstructionSet> {
  protected:
    void SetUp() override { forceOrSkip(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Kernels, Int8Linear, testing::ValuesIn(kInstructionSets),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

TEST_P(Int8Linear, MultipliesAsItsDefinitionSays) {
    for (const auto& [rows, in, out] :
         {std::tuple{1, 5, 3}, {7, 128, 32}, {130, 300, 70}, {257, 384, 160}, {12, 1300, 33}}) {
        const Layer layer(out, in);
        const auto x = random(std::int64_t{rows} * in, 3);
        std::vector<float> y(static_cast<std::size_t>(rows * out), std::nanf(""));
        t::int8Linear(layer.view(), rows, x.data(), layer.bias.data(), y.data());
        const auto expected = defined(layer, rows, x);
        double most = 0, error = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            most = std::max(most, std::abs(expected[i]));
            error = std::max(error, std::abs(expected[i] - static_cast<double>(y[i])));
        }
        EXPECT_LE(error, 1e-6 * most) << rows << "x" << in << "x" << out;
    }
}

TEST_P(Int8Linear, OfBf16RoundsTheSameSumsOnce) {
    const Layer layer(70, 300);
    auto x = random(130 * 300, 3);
    std::vector<t::BFloat16> narrow(x.size()), y(130 * 70);
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &x[i], 4);
        narrow[i].bits = static_cast<std::uint16_t>(bits >> 16);
        bits &= 0xFFFF0000U;
        std::memcpy(&x[i], &bits, 4);
    }
    t::int8Linear(layer.view(), 130, narrow.data(), layer.bias.data(), y.data());
    const auto expected = defined(layer, 130, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::uint32_t bits = std::uint32_t{y[i].bits} << 16;
        float value = 0;
        std::memcpy(&value, &bits, 4);
        EXPECT_NEAR(static_cast<double>(value), expected[i], std::abs(expected[i]) / 256 + 1e-4) << i;
    }
}

TEST_P(Int8Linear, ABlockOfZerosGivesTheBiasAndOneWithANanIsSeen) {
    const Layer layer(40, 256);
    std::vector<float> x(130 * 256, 0.0F), y(130 * 40);
    t::int8Linear(layer.view(), 130, x.data(), layer.bias.data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], layer.bias[i % 40]);
    for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
        x[129 * 256 + 200] = bad;
        t::int8Linear(layer.view(), 130, x.data(), layer.bias.data(), y.data());
        EXPECT_TRUE(std::isnan(y[129 * 40]));
        EXPECT_EQ(y[0], layer.bias[0]);
    }
}

}  // namespace
}  // namespace reelgrid::kernels::test
