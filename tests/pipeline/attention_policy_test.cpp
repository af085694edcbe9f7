#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/pipeline/renderer.h"
#include "core/protocol/attention_policy_json.h"
#include "tests/pipeline/tiny_render.h"

namespace reelgrid::pipeline {
namespace {

namespace fs = std::filesystem;
using Calls = std::map<std::string, int>;

class AttentionPolicyTest : public TinyRenderTest {
  protected:
    /// 4 steps, with guidance.
    [[nodiscard]] protocol::RenderRequest request(const std::vector<std::string>& rules) const {
        protocol::RenderRequest request = tinyRequest();
        request.numInferenceSteps = 4;
        request.guidanceScale = 5.0;
        request.dtype = "fp32";
        request.attentionType = "sagev1";
        request.attentionPolicy = protocol::attentionPolicyFromRules(rules).value();
        return request;
    }

    /// {"self sdpa": 4, …}: how often each kind of attention asked for each backend.
    [[nodiscard]] Calls callsOf(const protocol::RenderRequest& request) {
        const auto clip = Renderer().render(request, {}, {});
        if (!clip) {
            ADD_FAILURE() << clip.error().message;
            return {};
        }
        m_manifest = nlohmann::json::parse(readFile(m_folder / "clip.files/manifest.json").value());
        Calls calls;
        for (const auto& entry : m_manifest["attention"])
            calls[entry["module"].get<std::string>() + " " + entry["requested"].get<std::string>()] +=
                entry["calls"].get<int>();
        return calls;
    }

    nlohmann::json m_manifest;
};

TEST_F(AttentionPolicyTest, CountsEveryCallOfEveryPassUnderTheRuleThatCoversIt) {
    // 4 steps × 2 branches × 2 layers = 16 calls of each kind.
    EXPECT_EQ(callsOf(request({"sdpa:steps=0", "sdpa:steps=-1", "fav2:layers=1,branch=unconditional"})),
              (Calls{{"self sdpa", 8}, {"self fav2", 2}, {"self sagev1", 6}, {"cross sdpa", 16}}));
    EXPECT_EQ(m_manifest["request"]["attention_policy"]["rules"].size(), 3u);
    EXPECT_EQ(m_manifest["settings"]["attention_policy"], m_manifest["request"]["attention_policy"]);
}

TEST_F(AttentionPolicyTest, TextEncoderAndVaeAreNeverAmongTheCalls) {
    // Both have attention of their own, which even a rule for every module doesn't reach: what is counted is
    // the transformer's.
    EXPECT_EQ(callsOf(request({"fav2:module=all"})), (Calls{{"self fav2", 16}, {"cross fav2", 16}}));
}

TEST_F(AttentionPolicyTest, WithoutGuidanceThereIsOneBranch) {
    protocol::RenderRequest unguided = request({"fav2:branch=unconditional", "fav3:steps=2..3"});
    unguided.guidanceScale = 1.0;
    EXPECT_EQ(callsOf(unguided), (Calls{{"self fav3", 4}, {"self sagev1", 4}, {"cross sdpa", 8}}));
}

TEST_F(AttentionPolicyTest, EachRepetitionStartsAtStepZero) {
    protocol::RenderRequest twice = request({"sdpa:steps=0"});
    twice.numRepetitions = 2;
    EXPECT_EQ(callsOf(twice), (Calls{{"self sdpa", 8}, {"self sagev1", 24}, {"cross sdpa", 32}}));
}

TEST_F(AttentionPolicyTest, AllStepsInSdpaIsSdpaToTheByte) {
    const Calls plain{{"self sdpa", 16}, {"cross sdpa", 16}};
    EXPECT_EQ(callsOf(request({"sdpa:steps=0..-1"})), plain);
    const auto frames = m_manifest["frames_sha256"];
    protocol::RenderRequest sdpa = request({"fav2"});
    sdpa.attentionType = "sdpa";
    sdpa.attentionPolicy = {};
    EXPECT_EQ(callsOf(sdpa), plain);
    EXPECT_EQ(m_manifest["frames_sha256"], frames);
    EXPECT_FALSE(m_manifest["request"].contains("attention_policy"));
}

TEST_F(AttentionPolicyTest, ARangeBeyondTheModelIsRefusedBeforeAnythingIsWritten) {
    for (const char* rule : {"fav2:layers=2", "fav2:steps=4", "fav2:layers=-3", "fav9"}) {
        const auto clip = Renderer().render(request({rule}), {}, {});
        ASSERT_FALSE(clip) << rule;
        EXPECT_EQ(clip.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(clip.error().message, testing::HasSubstr("--attention-policy: rule 1"));
        EXPECT_TRUE(fs::is_empty(m_folder));
    }
}

TEST_F(AttentionPolicyTest, OnlyAnSdpaClipIsTheOneThatOthersDriftFrom) {
    Renderer renderer;
    const auto driftOf = [&](const std::string& type, const std::vector<std::string>& rules) {
        protocol::RenderRequest own = request(rules.empty() ? std::vector<std::string>{"sdpa"} : rules);
        if (rules.empty()) own.attentionPolicy = {};
        own.attentionType = type;
        EXPECT_TRUE(renderer.render(own, {}, {}));
        return nlohmann::json::parse(readFile(m_folder / "clip.files/metrics.json").value()).contains("psnr");
    };
    EXPECT_FALSE(driftOf("sdpa", {"sagev1:steps=1..2"})) << "not sdpa throughout, and nothing to drift from";
    EXPECT_FALSE(driftOf("sagev1", {}));
    EXPECT_FALSE(driftOf("sdpa", {"sdpa:steps=0"})) << "the reference itself";
    EXPECT_TRUE(driftOf("sdpa", {"sagev1:steps=1..2"}));
    EXPECT_TRUE(driftOf("sagev1", {}));
}

}  // namespace
}  // namespace reelgrid::pipeline
