// What a render writes down of itself beside the picture: who served each call, memory, previews.

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/pipeline/call_map_observer.h"
#include "core/pipeline/renderer.h"
#include "core/result/clip_result.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;

using attention::GuidanceBranch;
using protocol::ModuleKind;

class RenderRecords : public TinyRenderTest {};

TEST_F(RenderRecords, SayWhatEachLayerAskedForInEachStep) {
    auto request = tinyRequest();
    protocol::AttentionRule rule;
    rule.backend = "fav2";
    rule.layers = {1, 1};
    rule.steps = {2, 2};
    request.attentionPolicy.rules = {rule};
    const auto clip = Renderer().render(request, {}, {});
    ASSERT_TRUE(clip) << clip.error().message;
    const protocol::CallMaps calls = result::readClipResult(*clip).manifest.calls;
    ASSERT_EQ(calls.maps.size(), 2U);  // self- and cross-attention, both branches alike
    for (const protocol::CallMap& map : calls.maps) {
        ASSERT_EQ(map.layers, 2);
        ASSERT_EQ(map.steps, 3);
        EXPECT_FALSE(map.branch);
        for (int layer = 0; layer < 2; ++layer)
            for (int step = 0; step < 3; ++step) {
                const bool ruled = map.kind == ModuleKind::Self && layer == 1 && step == 2;
                EXPECT_EQ(calls.choices[std::size_t(map.at(layer, step))].requested, ruled ? "fav2" : "sdpa")
                    << layer << ", " << step;
            }
    }
}

TEST_F(RenderRecords, SayHowMuchMemoryEachStageTook) {
    const auto clip = Renderer().render(tinyRequest(), {}, {});
    ASSERT_TRUE(clip) << clip.error().message;
    const result::Timing timing = *result::readClipResult(*clip).timing();
    if (!std::ofstream("/proc/self/clear_refs")) GTEST_SKIP() << "the system doesn't tell";
    std::vector<std::string> stages;
    for (const auto& [stage, bytes] : timing.peakBytes) {
        stages.push_back(stage);
        EXPECT_GT(bytes, 10U << 20) << stage;
    }
    EXPECT_THAT(stages, testing::IsSupersetOf({"text", "denoise", "decode", "encode"}));
    EXPECT_TRUE(timing.peakOfRender());
}

TEST(CallMap, KeepsBranchesApartThatDifferAndKnowsReplayedPasses) {
    CallMapObserver calls(2, 3);
    const auto backendOf = [](const attention::Pass& pass, int layer) -> std::string {
        return layer == 1 && pass.step > 0 && pass.branch == GuidanceBranch::Unconditional ? "fav3" : "fav2";
    };
    const attention::Inputs inputs;
    const auto called = [&](const attention::Pass& pass) {
        for (int layer = 0; layer < 2; ++layer) {
            const std::string backend = backendOf(pass, layer);
            calls.served({{ModuleKind::Self, layer}, pass, inputs, backend}, {.used = backend});
        }
    };
    const auto replayed = [&](const attention::Pass& pass) {
        for (int layer = 0; layer < 2; ++layer) {
            const std::string backend = backendOf(pass, layer);
            calls.replayed(pass, {{ModuleKind::Self, layer}, {}, {backend, backend, ""}});
        }
    };
    for (const auto branch : {GuidanceBranch::Conditional, GuidanceBranch::Unconditional}) {
        called({0, branch});
        called({1, branch});
        replayed({2, branch});
    }
    const protocol::CallMaps maps = calls.maps();
    ASSERT_EQ(maps.maps.size(), 2U);
    EXPECT_EQ(maps.maps[0].branch, GuidanceBranch::Conditional);
    EXPECT_THAT(maps.maps[0].sites, testing::Each(0));
    EXPECT_EQ(maps.maps[1].branch, GuidanceBranch::Unconditional);
    EXPECT_THAT(maps.maps[1].sites, testing::ElementsAre(0, 0, 0, 1, 0, 1));
}

class Previews : public TinyRenderTest {
  protected:
    void TearDown() override {
        unsetenv("REELGRID_RESOURCES");
        TinyRenderTest::TearDown();
    }
    void writeColors(const std::string& vae, std::size_t channels) {
        nlohmann::json colors = {{"vae_sha256", vae}, {"bias", {0.25, 0.5, 1.0}}};
        for (std::size_t i = 0; i < channels; ++i) colors["weights"].push_back({0, 0, 0});
        fs::create_directories(m_folder / "resources/previews");
        std::ofstream(m_folder / "resources/previews/tiny.json") << colors;
        std::ofstream(m_folder / "resources/previews/broken.json") << "{";
        setenv("REELGRID_RESOURCES", (m_folder / "resources").c_str(), 1);
    }
};

TEST_F(Previews, ShowTheLatentsInTheColoursFittedForTheirVae) {
    const auto plain = Renderer().render(tinyRequest(), {}, {});
    ASSERT_TRUE(plain) << plain.error().message;
    const result::Manifest manifest = result::readClipResult(*plain).manifest;
    writeColors(manifest.modelHashes.at("vae"), 4);
    std::vector<protocol::RenderPreview> seen;
    const auto show = [&](const protocol::RenderPreview& now) { seen.push_back(now); };
    const auto clip = Renderer().render(tinyRequest(), {}, {}, show);
    ASSERT_TRUE(clip) << clip.error().message;
    ASSERT_FALSE(seen.empty());
    const protocol::RenderPreview& last = seen.back();
    EXPECT_EQ(last.step, 3);
    EXPECT_EQ(last.steps, 3);
    EXPECT_EQ(last.width, 6);
    EXPECT_EQ(last.height, 4);
    ASSERT_EQ(last.frames(), 2);  // of five frames: the first, and four in one
    EXPECT_THAT(std::vector(last.rgb.begin(), last.rgb.begin() + 3), testing::ElementsAre(64, 128, 255));
    // Looking changes nothing.
    EXPECT_EQ(result::readClipResult(*clip).manifest.framesSha256, manifest.framesSha256);
}

TEST_F(Previews, AreNotGuessedForAnotherVae) {
    writeColors("another", 4);
    int seen = 0;
    ASSERT_TRUE(Renderer().render(tinyRequest(), {}, {}, [&](const auto&) { ++seen; }));
    EXPECT_EQ(seen, 0);
}

}  // namespace
}  // namespace reelgrid::pipeline
