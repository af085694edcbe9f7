#include "core/benchmark/captured_input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/pt/pt_file.h"
#include "core/weights/pt_tensors.h"

namespace reelgrid::benchmark {
namespace {

constexpr int kLayer = 3;
const Progress kSilent = [](int, int, double) {};

/// A call of layer 3, measured with one backend.
class CapturedInput : public testing::Test {
  protected:
    void SetUp() override {
        std::filesystem::create_directories(m_folder);
        at::manual_seed(1);
        for (const char* key : {"q", "k", "v"})
            m_content.add(key, weights::ptTensorOf(at::randn({1, 2, 512, 64})));
        m_content.add("layer", std::int64_t{kLayer});
    }

    void TearDown() override { std::filesystem::remove_all(m_folder); }

    /// The row of `backend` behind sdpa's.
    AttentionRow measured(const std::string& backend, const attention::CallSettings& settings = {}) {
        EXPECT_TRUE(pt::writePt(m_folder / "sdpa_input_000000.pt", m_content));
        AttentionCase common;
        common.backends = {kernels::findBackend(backend)};
        common.repetitions = 1;
        common.settings = settings;
        const auto cases = capturedCases({.folder = m_folder}, common);
        EXPECT_TRUE(cases) << cases.error().message;
        return measureAttention(cases->at(0), kSilent).at(1);
    }
    /// What sparge keeps of blocks whose likeness it doesn't ask for.
    double keptWith(const std::string& option) {
        const auto options = attention::BackendOptions::create({"sparge.simthreshd1=-1", option}).value();
        return measured("sparge", {.options = options}).kept.value();
    }

    std::filesystem::path m_folder =
        std::filesystem::path(testing::TempDir()) / ("captured_input_" + std::to_string(getpid()));
    pt::Dict m_content;
};

TEST_F(CapturedInput, OptionsOfLayersAreThoseOfTheCallsLayer) {
    const double usual = keptWith("sparge.cdfthreshd=0.98"), fewer = keptWith("sparge.cdfthreshd=0.2");
    ASSERT_LT(fewer, usual);
    EXPECT_EQ(keptWith("sparge.cdfthreshd@3=0.2"), fewer);
    EXPECT_EQ(keptWith("sparge.cdfthreshd@0-2=0.2"), usual);
}

TEST_F(CapturedInput, LinearBranchesAreProjectedAsTheFileHasIt) {
    for (const std::string backend : {"sla", "sagesla"}) {
        const double untrained = measured(backend).accuracy.l1;
        m_content.add("proj_l_weight", weights::ptTensorOf(at::zeros({64, 64})));
        EXPECT_EQ(measured(backend).accuracy.l1, untrained) << backend;
        m_content.entries.back().value = weights::ptTensorOf(30 * at::eye(64));
        const double trained = measured(backend).accuracy.l1;
        EXPECT_GT(trained, untrained + 0.1) << backend;
        m_content.add("proj_l_bias", weights::ptTensorOf(at::full({64}, 5.0)));
        EXPECT_GT(measured(backend).accuracy.l1, trained + 0.1) << backend;
        m_content.entries.pop_back();
        m_content.entries.pop_back();
    }
}

TEST_F(CapturedInput, TheShareOfBlocksIsTheAskedOne) {
    EXPECT_EQ(measured("sla", {.slaTopk = 1.0}).kept, 1.0);
    EXPECT_LT(measured("sla", {.slaTopk = 0.5}).kept.value(), 0.8);
}

}  // namespace
}  // namespace reelgrid::benchmark
