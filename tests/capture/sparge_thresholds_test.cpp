#include "core/capture/sparge_thresholds.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "core/attention/kernel_call.h"
#include "core/capture/kept_blocks.h"
#include "core/pt/pt_file.h"
#include "core/weights/pt_tensors.h"

namespace reelgrid::capture {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SpargeThresholdsTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("thresholds_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    /// Each 128 queries of head 0 look at 64 keys alone, those of head 1 at all of them, at 64 a little more.
    fs::path call(const char* name, std::optional<std::int64_t> layer, unsigned seed) {
        at::manual_seed(seed);
        constexpr std::int64_t kTokens = 512, kDim = 32;
        at::Tensor centres = at::randn({2, kTokens / 128, 2, 1, kDim});
        centres.select(0, 0).mul_(3);
        centres.select(0, 1).mul_(0.7);
        const auto rows = [&](const at::Tensor& each, std::int64_t times) {
            return each.repeat({1, 1, 1, times, 1}).reshape({1, 2, kTokens, kDim}).contiguous();
        };
        pt::Dict content;
        content.add("q", weights::ptTensorOf(rows(centres.slice(2, 0, 1), 128) +
                                             0.2 * at::randn({1, 2, kTokens, kDim})));
        content.add("k", weights::ptTensorOf(rows(centres, 64) + 0.2 * at::randn({1, 2, kTokens, kDim})));
        content.add("v", weights::ptTensorOf(at::randn({1, 2, kTokens, kDim})));
        if (layer) content.add("layer", *layer);
        EXPECT_TRUE(pt::writePt(m_folder / name, content));
        return m_folder / name;
    }
    static Result<std::vector<LayerThresholds>> tuned(const std::vector<fs::path>& files, double mostL1,
                                                      ThresholdsFor whom = ThresholdsFor::EachHead) {
        return tuneSparge(files, mostL1, whom, [](int, int) { return true; });
    }
    /// Of sparge's output with these options, in float64, head by head.
    static std::vector<double> errorsOf(const fs::path& file, const std::vector<std::string>& options) {
        const CapturedCall call = readCapture(file).value();
        const auto set = attention::BackendOptions::create(options).value();
        attention::CallOptions asked;
        asked.context.options = set.of("sparge");
        asked.context.layer = call.layer.value_or(-1);
        const attention::Inputs inputs{call.q_BHND, call.k_BHMD, call.v_BHMD, {}};
        const attention::KernelCall kernel(*kernels::findBackend("sparge"), inputs, {}, asked);
        EXPECT_FALSE(kernel.whyNot()) << *kernel.whyNot();
        const at::Tensor out = kernel.run().to(at::kDouble);
        const at::Tensor exact = at::matmul(
            at::softmax(at::matmul(call.q_BHND.to(at::kDouble), call.k_BHMD.to(at::kDouble).transpose(2, 3)) /
                            std::sqrt(double(call.q_BHND.size(3))),
                        3),
            call.v_BHMD.to(at::kDouble));
        std::vector<double> errors;
        for (std::int64_t head = 0; head < out.size(1); ++head)
            errors.push_back(((out - exact).select(1, head).abs().sum() / exact.select(1, head).abs().sum())
                                 .item<double>());
        return errors;
    }
};

TEST_F(SpargeThresholdsTest, EachHeadKeepsAsLittleAsItsErrorAllows) {
    const std::vector<fs::path> files{call("sdpa_input_000000.pt", 3, 1), call("sdpa_input_000001.pt", 3, 2)};
    const auto layers = tuned(files, 0.2);
    ASSERT_TRUE(layers) << layers.error().message;
    ASSERT_EQ(layers->size(), 1U);
    const LayerThresholds& layer = layers->front();
    EXPECT_EQ(layer.layer, 3);
    EXPECT_NE(layer.ofHead[0], layer.ofHead[1]) << "they need different ones";
    EXPECT_LT(layer.keptShare, 0.9);
    EXPECT_LE(layer.relativeL1, 0.2);
    const auto options = backendOptionsOf(*layers);
    EXPECT_THAT(options, testing::Each(HasSubstr("@3=")));
    for (const fs::path& file : files)
        for (const double error : errorsOf(file, options)) EXPECT_LE(error, 0.2001);
    // A stricter bound keeps more.
    EXPECT_GT(tuned(files, 0.001)->front().keptShare, layer.keptShare);
    // One for all heads keeps at least as much.
    const LayerThresholds all = tuned(files, 0.2, ThresholdsFor::AllHeads)->front();
    EXPECT_EQ(all.ofHead[0], all.ofHead[1]);
    EXPECT_GE(all.keptShare, layer.keptShare);
    EXPECT_EQ(backendOptionsOf({all})[0].find(','), std::string::npos);
}

TEST_F(SpargeThresholdsTest, WhereNothingIsGoodEnoughEveryBlockIsKept) {
    const fs::path file = call("sdpa_input_000000.pt", 0, 1);
    const auto layers = tuned({file}, 1e-12);
    ASSERT_TRUE(layers) << layers.error().message;
    EXPECT_EQ(layers->front().keptShare, 1);
    for (const double error : errorsOf(file, backendOptionsOf(*layers))) EXPECT_LE(error, 1e-5);
}

TEST_F(SpargeThresholdsTest, RefusesInOneLine) {
    const fs::path file = call("sdpa_input_000000.pt", std::nullopt, 1);
    EXPECT_THAT(tuned({file}, 0.05).error().message, HasSubstr("a capture that says its layer was needed"));
    EXPECT_EQ(tuned({file}, 0).error().code, ErrorCode::BadUsage);
    EXPECT_EQ(tuned({file}, std::nan("")).error().code, ErrorCode::BadUsage);
    const auto stopped = tuneSparge({file}, 0.05, ThresholdsFor::EachHead, [](int, int) { return false; });
    EXPECT_EQ(stopped.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace reelgrid::capture
