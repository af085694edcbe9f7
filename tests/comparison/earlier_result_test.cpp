#include "core/comparison/earlier_result.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/base/version.h"
#include "core/protocol/result_paths.h"
#include "core/result/metrics_file.h"
#include "core/result/model_hashes.h"
#include "core/result/pending_result.h"
#include "core/result/picture_hashes.h"
#include "tests/session/session_folder.h"

namespace reelgrid::comparison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using State = EarlierResult::State;

/// A result in files, as a render leaves it.
class EarlierResultTest : public testing::Test {
  protected:
    session::SessionFolder m_folder;
    families::ModelInfo m_model;
    protocol::RenderRequest m_request;
    catalog::RenderSettings m_settings;

    void SetUp() override {
        m_model.folder = m_folder.path() / "model";
        m_model.indexFile = m_model.folder / "model_index.json";
        for (const auto& [name, file] :
             {std::pair{"scheduler", "scheduler_config.json"}, std::pair{"transformer", "weights"}})
            m_model.components.push_back(
                {.name = name, .className = "", .files = {m_model.folder / name / file}, .dtypes = {}});
        m_folder.write("model/model_index.json", "{}");
        m_folder.write("model/scheduler/scheduler_config.json", R"({"flow_shift":3})");
        m_folder.write("model/transformer/weights", "abc");
        m_request.model = m_model.folder.string();
        m_request.output = (m_folder.path() / "clip.mp4").string();
        m_settings.seed = 42;
        m_settings.width = m_settings.height = 64;
        m_settings.numFrames = 5;
        m_settings.numInferenceSteps = 2;
        m_settings.vaeTiling = "off";
        m_settings.vaeTilePx = 256;
        m_settings.attentionType = "fav2";
        commit();
    }

    /// Puts a result of the request and the settings in the place of the one before.
    void commit(const std::string& frames = {}) {
        auto pending = result::PendingResult::create(m_request.output).value();
        std::ofstream(pending.latents()) << "latents";
        std::ofstream(pending.clip()) << "clip";
        if (!frames.empty()) std::ofstream(pending.frames()) << frames;
        result::ComponentHasher hasher;
        result::Manifest manifest;
        manifest.request = m_request;
        manifest.settings = m_settings;
        manifest.versions = {{"reelgrid", kVersion}};
        manifest.modelHashes = modelHashes(m_model, m_settings, hasher).value();
        manifest.pictureHashes = result::pictureHashes(m_settings).value();
        if (!frames.empty()) manifest.keptFrames = {frames.size(), sha256OfFile(pending.frames()).value()};
        metrics::ClipMetrics metrics;
        metrics.frames = 5;
        ASSERT_TRUE(pending.commit(manifest, metrics, {result::Timing()}));
    }

    [[nodiscard]] EarlierResult look() const { return EarlierResults(m_model).look(m_request, m_settings); }
    [[nodiscard]] fs::path companion(const char* name) const {
        return protocol::resultFolderOf(m_request.output) / name;
    }
    void expectOther(const std::string& why) const {
        const EarlierResult found = look();
        EXPECT_EQ(found.state, State::Other);
        EXPECT_THAT(found.why, HasSubstr(why));
    }
};

TEST_F(EarlierResultTest, StandsForTheSameRender) {
    const EarlierResult found = look();
    EXPECT_EQ(found.state, State::Same) << found.why;
    EXPECT_EQ(found.why, "");
}

TEST_F(EarlierResultTest, StandsForTheSameRenderHoweverAnOpenChoiceWasDecided) {
    m_request.vaeTiling = "auto";
    m_settings.vaeTiling = "on";
    commit();
    m_settings.vaeTiling = "auto";
    EXPECT_EQ(look().state, State::Same) << look().why;
    m_settings.vaeTiling = "off";
    expectOther("its vae_tiling was \"on\"");
    m_request.vaeTiling = "on";
    m_settings.vaeTiling = "on";
    commit();
    m_settings.vaeTiling = "auto";
    expectOther("its vae_tiling was \"on\"");
}

TEST_F(EarlierResultTest, OfAPictureHasTheSizeOfItsShape) {
    m_folder.write("first.png", "a picture");
    m_request.imgFilePath = m_settings.imgFilePath = (m_folder.path() / "first.png").string();
    m_request.width = 64;
    m_settings.width = 96;  // as the render decided it
    m_settings.height = 48;
    commit();
    m_settings.width = m_settings.height = 64;  // as a request is resolved
    EXPECT_EQ(look().state, State::Same) << look().why;
    m_request.width.reset();
    expectOther("its height was 48");
    m_request.width = 64;
    m_settings.forceOutputSize = true;
    expectOther("its force_output_size was false");
    m_settings.forceOutputSize = false;
    m_folder.write("first.png", "another one");
    expectOther("the picture that it was made from has changed since");
    fs::remove(m_folder.path() / "first.png");
    expectOther("first.png");
}

TEST_F(EarlierResultTest, OfAnotherClipsLatentsNamesThemAndNoPicture) {
    m_folder.write("first.safetensors", "latents");
    m_request.chainFrom = m_settings.chainFrom = (m_folder.path() / "first.safetensors").string();
    commit();
    EXPECT_EQ(look().state, State::Same) << look().why;
    m_folder.write("first.safetensors", "other latents");
    expectOther("the latents of --chain-from have changed since");
}

TEST_F(EarlierResultTest, IsAbsentWithoutAClip) {
    fs::remove(m_request.output);
    EXPECT_EQ(look().state, State::Absent);
}

TEST_F(EarlierResultTest, IsOtherWhenAnyFileOfTheModelChanged) {
    m_folder.write("model/scheduler/scheduler_config.json", R"({"flow_shift":9})");
    expectOther("the model's scheduler has changed since");
    m_folder.write("model/scheduler/scheduler_config.json", R"({"flow_shift":3})");
    EXPECT_EQ(look().state, State::Same);
    m_folder.write("model/transformer/weights", "abd");
    expectOther("the model's transformer has changed since");
}

TEST_F(EarlierResultTest, IsOtherUnderOtherSettings) {
    m_settings.seed = 7;
    expectOther("its seed was 42");
    m_settings.seed = 42;
    m_settings.scheduler = "euler";
    expectOther("it had no scheduler");
    m_settings.scheduler.reset();
    m_request.model = "demo";
    expectOther("its model was");
}

TEST_F(EarlierResultTest, HasToHaveTheLockstepMapsThatAreAskedForAndMayHaveMore) {
    m_settings.lockstep = {"sagev1"};
    expectOther("its metrics.json has no lockstep map of sagev1");

    metrics::ClipMetrics metrics;
    metrics.frames = 5;
    metrics::LockstepMap& map = metrics.lockstep.emplace();
    map.layers = map.steps = 1;
    map.stepSize = {1};
    for (const char* name : {"fav2", "sagev1"})
        map.backends.push_back({name, {{1}, {0}, {0}}, {}, {{1}, {0}, {0}}, ""});
    ASSERT_TRUE(writeFile(companion(protocol::kMetricsFile), result::metricsJson(metrics)));
    EXPECT_EQ(look().state, State::Same);
    m_settings.lockstep = {};
    EXPECT_EQ(look().state, State::Same);
    m_settings.lockstep = {"sla"};
    expectOther("no lockstep map of sla");
}

TEST_F(EarlierResultTest, IsOtherWhenItsLatentsOrKeptFramesAreNotItsOwn) {
    m_folder.write("clip.files/latents.safetensors", "another's");
    expectOther("its latents.safetensors is not the one");
    commit("frames");
    EXPECT_EQ(look().state, State::Same) << look().why;
    m_folder.write("clip.files/frames.mkv", "framez");
    expectOther("frames.mkv: it is damaged");
    fs::remove(companion("frames.mkv"));
    expectOther("frames.mkv");
    m_settings.keepFrames = protocol::kKeepOff;
    EXPECT_EQ(look().state, State::Same) << "nobody asks for them: " << look().why;
}

TEST_F(EarlierResultTest, IsOtherWhenTheClipIsNotTheManifestsOwn) {
    std::ofstream(m_request.output) << "cl";
    expectOther("the clip is not the one that its manifest.json is about");
    std::ofstream(m_request.output) << "clip";
    EXPECT_EQ(look().state, State::Same);
    std::ofstream(m_request.output) << "pilc";
    expectOther("the clip is not the one");
}

TEST_F(EarlierResultTest, IsOtherWithoutAllOfItsFiles) {
    for (const char* name :
         {protocol::kTimingFile, protocol::kMetricsFile, protocol::kLatentsFile, protocol::kManifestFile}) {
        const std::string content = readFile(companion(name)).value();
        fs::remove(companion(name));
        expectOther("its " + std::string(name) + " is missing");
        ASSERT_TRUE(writeFile(companion(name), content));
        EXPECT_EQ(look().state, State::Same);
    }
    ASSERT_TRUE(writeFile(companion(protocol::kMetricsFile), "{"));
    expectOther("metrics.json: not JSON");
}

}  // namespace
}  // namespace reelgrid::comparison
