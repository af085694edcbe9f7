#include "core/weights/finite_check.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "core/base/result.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::weights {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(FiniteCheck, FindsTheOneElementOfAnyDtype) {
    for (const at::ScalarType dtype : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf, at::kFloat8_e5m2}) {
        const at::Tensor numbers = at::linspace(-50000, 50000, 600001).to(dtype);
        EXPECT_TRUE(isFinite(numbers)) << dtype;
        for (const double wrong : {kInfinity, -kInfinity, std::nan("")})
            for (const std::int64_t at : {0, 300007, 600000}) {
                at::Tensor changed = numbers.clone();
                changed[at] = wrong;
                EXPECT_FALSE(isFinite(changed)) << dtype << wrong << at;
            }
    }
    at::Tensor small = at::linspace(-448, 448, 1001).to(at::kFloat8_e4m3fn);
    EXPECT_TRUE(isFinite(small)) << "448 has all bits of the exponent";
    small[7] = std::nan("");
    EXPECT_FALSE(isFinite(small));
    EXPECT_TRUE(isFinite(at::empty({0})));
    EXPECT_TRUE(isFinite(at::full({3}, 255, at::kByte)));
    EXPECT_FALSE(isFinite(at::stack({at::ones({4}), at::full({4}, kInfinity)}).t()));
}

/// libtorch's own conversions are the reference.
TEST(FiniteCheck, FindsWhatIsInfiniteInAnotherDtype) {
    const double numbers[] = {65504,         65519.98,  65519.998, 65519.9985, 65520,
                              65536,         3.38e38,   3.3895e38, 3.3961e38,  3.3962e38,
                              3.3999e38,     3.402e38,  3.4028e38, 3.40283e38, 3.40282347e38,
                              3.40282357e38, 3.4029e38, 1e39,      1e300,      -65520,
                              -1e39,         1,         0};
    for (const at::ScalarType from : {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf})
        for (const at::ScalarType to : {at::kFloat, at::kBFloat16, at::kHalf})
            for (const double number : numbers) {
                const at::Tensor stored = at::full({3}, number, at::kDouble).to(from);
                if (!isFinite(stored)) continue;
                EXPECT_EQ(isFinite(stored, to), stored.to(to).isfinite().all().item<bool>())
                    << from << " to " << to << ": " << number;
            }
}

TEST(FiniteRows, LookAtTheRowsThatAreTakenAlone) {
    at::Tensor table = at::arange(12, at::kFloat).view({4, 3});
    table[2][1] = std::nan("");
    const at::Tensor rows = at::tensor({3, 0, 3}, at::kLong);
    EXPECT_TRUE(at::equal(finiteRows(table, rows, "the table"), table.index_select(0, rows)));
    try {
        (void)finiteRows(table, at::tensor({0, 2}, at::kLong), "a.safetensors: tensor table");
        ADD_FAILURE() << "NaN was taken";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.error().message,
                  "a.safetensors: tensor table has NaN or infinite values in rows that are used");
    }
}

class FiniteWeights : public testing::Test {
  protected:
    fs::path m_file = fs::path(testing::TempDir()) / ("finite_" + std::to_string(getpid()) + ".safetensors");
    void TearDown() override { fs::remove(m_file); }
};

TEST_F(FiniteWeights, ALayerIsRefusedNamingFileAndTensor) {
    writeSafetensors(m_file, {{"blocks.0.to_q.weight", at::full({2, 2}, std::nan("")).to(at::kBFloat16)},
                              {"blocks.0.to_k.weight", at::ones({2, 2})}})
        .value();
    SafetensorsFolder source(m_file);
    const WeightScope layer = WeightScope(source, at::kFloat) / "blocks" / 0;
    EXPECT_NO_THROW((void)(layer / "to_k")("weight", {2, 2}));
    for (int again = 0; again < 2; ++again) try {
            (void)(layer / "to_q")("weight", {2, 2});
            ADD_FAILURE() << "NaN was taken";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, AllOf(HasSubstr(m_file.string()),
                                                       HasSubstr("blocks.0.to_q.weight"), HasSubstr("NaN")));
        }
}

TEST_F(FiniteWeights, ThatTheModelsDtypeCannotHoldAreRefused) {
    writeSafetensors(m_file,
                     {{"weight", at::full({2, 2}, 70000.0)}, {"wide", at::full({2}, 1e39, at::kDouble)}})
        .value();
    SafetensorsFolder source(m_file);
    const WeightScope half(source, at::kHalf);
    EXPECT_NO_THROW((void)half.fp32("weight", {2, 2}));
    for (const auto& [name, shape, needed] :
         {std::tuple{"weight", std::vector<std::int64_t>{2, 2}, "Half can't hold, numbers up to 65504"},
          {"wide", {2}, "Half can't hold"}})
        try {
            (void)half(name, shape);
            ADD_FAILURE() << name;
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, AllOf(HasSubstr(name), HasSubstr(needed)));
        }
    EXPECT_THAT(notFiniteIn(m_file, {}), testing::ElementsAre(HasSubstr("\"wide\"")));
}

TEST_F(FiniteWeights, OfWholeNumbersAreRefused) {
    for (const at::ScalarType dtype : {at::kLong, at::kByte, at::kBool}) {
        writeSafetensors(m_file, {{"weight", at::ones({2, 2}, dtype)}}).value();
        SafetensorsFolder source(m_file);
        const WeightScope scope(source, at::kFloat);
        for (const bool asTable : {false, true}) {
            try {
                (void)(asTable ? scope.stored("weight", {2, 2}) : scope("weight", {2, 2}));
                ADD_FAILURE() << dtype;
            } catch (const Failure& failure) {
                EXPECT_THAT(failure.error().message, HasSubstr("a floating-point one was needed"));
            }
        }
    }
}

TEST_F(FiniteWeights, AreListedForVerifying) {
    writeSafetensors(m_file, {{"a", at::ones({2})}, {"b", at::full({2}, kInfinity)}}).value();
    EXPECT_THAT(notFiniteIn(m_file, {}),
                testing::ElementsAre(AllOf(HasSubstr(m_file.string()), HasSubstr("\"b\""))));
}

}  // namespace
}  // namespace reelgrid::weights
