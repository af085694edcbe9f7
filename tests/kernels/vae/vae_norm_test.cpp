#include "kernels/cpu/vae/vae_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/cpu/vae/vae_conv.h"

namespace reelgrid::kernels {
namespace {

std::vector<float> rowNoise(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, 1);
    std::vector<float> values(count);
    for (float& value : values) value = normal(generator);
    return values;
}

class VaeNormKernels : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (vaeConvLanes() < GetParam())
            GTEST_SKIP() << "this machine has no vectors of " << GetParam() << " floats";
    }
};

TEST_P(VaeNormKernels, SumDistancesAndTheirSquares) {
    for (const int channels : {8, 16, 24, 48}) {
        for (const std::int64_t pixels : {1, 31, 32, 100}) {
            const std::vector<float> x = rowNoise(std::size_t(pixels * channels), 5),
                                     origin = rowNoise(48, 6);
            std::vector<double> sums(std::size_t(channels), 1), squares(std::size_t(channels), 2);
            addVaeChannelSums({.lanes = GetParam(),
                               .channels = channels,
                               .pixels = pixels,
                               .in = x.data(),
                               .origin = origin.data(),
                               .sums = sums.data(),
                               .squares = squares.data()});
            for (int c = 0; c < channels; ++c) {
                double sum = 1, square = 2;
                for (std::int64_t p = 0; p < pixels; ++p) {
                    const double distance =
                        double(x[std::size_t(p * channels + c)]) - double(origin[std::size_t(c)]);
                    sum += distance;
                    square += distance * distance;
                }
                EXPECT_NEAR(sums[std::size_t(c)], sum, 1e-4) << channels << " × " << pixels;
                EXPECT_NEAR(squares[std::size_t(c)], square, 1e-4) << channels << " × " << pixels;
            }
        }
    }
}

TEST_P(VaeNormKernels, ActivateWithTheFactorsOfTheirCell) {
    for (const int channels : {8, 16, 24, 48}) {
        constexpr int kRows = 6, kColumns = 8, kRowsOfCell = 3, kColumnsOfCell = 2, kCells = 2 * 4;
        const std::vector<float> x = rowNoise(std::size_t(kRows * kColumns * channels), 7);
        const std::vector<float> scale = rowNoise(std::size_t(kCells * channels), 8);
        const std::vector<float> shift = rowNoise(std::size_t(kCells * channels), 9);
        std::vector<float> out(x.size(), -100);
        runVaeAffineSilu({.lanes = GetParam(),
                          .channels = channels,
                          .columns = kColumns,
                          .rowsOfCell = kRowsOfCell,
                          .columnsOfCell = kColumnsOfCell,
                          .in = x.data(),
                          .scale = scale.data(),
                          .shift = shift.data(),
                          .out = out.data()},
                         1, kRows);
        for (int i = 0; i < kRows * kColumns * channels; ++i) {
            const int row = i / channels / kColumns, column = i / channels % kColumns;
            const auto cell = std::size_t(
                (row / kRowsOfCell * (kColumns / kColumnsOfCell) + column / kColumnsOfCell) * channels +
                i % channels);
            const double y = double(x[std::size_t(i)]) * double(scale[cell]) + double(shift[cell]);
            EXPECT_NEAR(out[std::size_t(i)], row == 0 ? -100 : y / (1 + std::exp(-y)), 2e-6) << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Lanes, VaeNormKernels, testing::Values(8, 16), testing::PrintToStringParamName());

}  // namespace
}  // namespace reelgrid::kernels
