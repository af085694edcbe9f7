#include "core/comparison/earlier_renders.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/pending_file.h"
#include "core/base/version.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/model_hashes.h"
#include "core/result/pending_result.h"
#include "tests/result/whole_settings.h"
#include "tests/session/session_folder.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;
using From = RenderEstimate::From;

/// A results folder with renders of a model of two files.
class EarlierRendersTest : public testing::Test {
  protected:
    session::SessionFolder m_folder;
    fs::path m_results = m_folder.path() / "results";
    families::ModelInfo m_model;
    protocol::RenderRequest m_request;
    catalog::RenderSettings m_settings;

    void SetUp() override {
        m_model.id = "tiny";
        m_model.folder = m_folder.path() / "model";
        m_model.indexFile = m_model.folder / "model_index.json";
        m_model.components = {{.name = "transformer",
                               .className = "",
                               .files = {m_model.folder / "transformer/weights"},
                               .dtypes = {}}};
        m_folder.write("model/model_index.json", "{}");
        m_folder.write("model/transformer/weights", "abc");
        m_request.model = "tiny";
        m_settings = result::wholeSettings("a car", "sdpa");
        m_settings.seed = 42;
        m_settings.width = m_settings.height = 64;
        m_settings.numFrames = 5;
        m_settings.numInferenceSteps = 10;
    }

    fs::path rendered(const std::string& name, const catalog::RenderSettings& settings, double denoise,
                      double decode) {
        protocol::RenderRequest request = m_request;
        request.output = (m_results / name).string();
        auto pending = result::PendingResult::create(request.output).value();
        std::ofstream(pending.latents()) << "latents";
        std::ofstream(pending.clip()) << "clip " << name;
        result::ComponentHasher hasher;
        result::Manifest manifest;
        manifest.request = request;
        manifest.settings = settings;
        manifest.modelId = "tiny";
        manifest.versions = {{"reelgrid", kVersion}};
        manifest.modelHashes = modelHashes(m_model, settings, hasher).value();
        metrics::ClipMetrics metrics;
        metrics.frames = 5;
        result::Timing timing;
        timing.stages = {{"load", 100}, {"denoise", denoise}, {"decode", decode}};
        EXPECT_TRUE(pending.commit(manifest, metrics, {timing}));
        return request.output;
    }
};

TEST_F(EarlierRendersTest, AreWhatEstimatesComeFrom) {
    EXPECT_FALSE(EarlierRenders(m_results).estimate("tiny", m_settings));
    auto other = m_settings;
    other.width = 32;  // half the size
    rendered("a/wide.mp4", other, 5, 1);
    auto estimate = EarlierRenders(m_results).estimate("tiny", m_settings);
    ASSERT_TRUE(estimate);
    EXPECT_EQ(estimate->from, From::OtherSize);
    EXPECT_DOUBLE_EQ(estimate->seconds, 12);

    other = m_settings;
    other.attentionType = "sla";
    rendered("b/results/sla.mp4", other, 4, 2);  // as `compare` puts them
    estimate = EarlierRenders(m_results).estimate("tiny", m_settings);
    EXPECT_EQ(estimate->from, From::OtherBackend);
    EXPECT_DOUBLE_EQ(estimate->seconds, 6);

    rendered("c/sdpa1.mp4", m_settings, 8, 2);
    rendered("c/sdpa2.mp4", m_settings, 9, 2);
    rendered("c/sdpa3.mp4", m_settings, 90, 2);  // on a busy machine
    const EarlierRenders earlier(m_results);
    EXPECT_EQ(earlier.all().size(), 5U);
    estimate = earlier.estimate("tiny", m_settings);
    EXPECT_EQ(estimate->from, From::Same);
    EXPECT_DOUBLE_EQ(estimate->seconds, 11);
    // Twice the steps, one pass instead of guidance's two, three times over.
    auto now = m_settings;
    now.numInferenceSteps = 20;
    now.guidanceScale = 1;
    now.numRepetitions = 3;
    EXPECT_DOUBLE_EQ(earlier.estimate("tiny", now)->seconds, 33);

    EXPECT_FALSE(earlier.estimate("another", m_settings));
    now.device = "cuda:0";
    EXPECT_FALSE(earlier.estimate("tiny", now));
}

TEST_F(EarlierRendersTest, StandForAnIdenticalRenderAlone) {
    const fs::path clip = rendered("a/sdpa.mp4", m_settings, 8, 2);
    EarlierRenders earlier(m_results);
    EXPECT_EQ(earlier.identical(m_request, m_settings, m_model), clip);
    auto other = m_settings;
    other.seed = 7;
    EXPECT_EQ(earlier.identical(m_request, other, m_model), fs::path());
    other = m_settings;
    other.numInferenceSteps = 11;
    EXPECT_EQ(earlier.identical(m_request, other, m_model), fs::path());
    // A clip that was exchanged, and a model that was trained on.
    std::ofstream(clip) << "another";
    EXPECT_EQ(EarlierRenders(m_results).identical(m_request, m_settings, m_model), fs::path());
    rendered("b/sdpa.mp4", m_settings, 8, 2);
    m_folder.write("model/transformer/weights", "abcd");
    EXPECT_EQ(EarlierRenders(m_results).identical(m_request, m_settings, m_model), fs::path());
}

TEST_F(EarlierRendersTest, AreReusedWithAllTheirFiles) {
    const fs::path clip = rendered("a/sdpa.mp4", m_settings, 8, 2);
    const fs::path there = m_results / "b" / "other.mp4";
    ASSERT_TRUE(reuseResult(clip, there));
    EXPECT_EQ(readFile(there).value(), readFile(clip).value());
    EXPECT_EQ(result::readClipResult(there).timing()->stage("denoise"), 8);
    EXPECT_TRUE(fs::exists(protocol::resultFolderOf(there) / protocol::kLatentsFile));
    // What becomes of one is not the other's.
    ASSERT_TRUE(writeFile(there, "rendered again"));
    EXPECT_EQ(readFile(clip).value(), "clip a/sdpa.mp4");
    EXPECT_FALSE(reuseResult(m_results / "none.mp4", m_results / "c" / "none.mp4"));
    EXPECT_FALSE(fs::exists(m_results / "c" / "none.mp4"));
}

}  // namespace
}  // namespace reelgrid::comparison
