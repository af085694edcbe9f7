#include "core/comparison/clip_origin.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/jobs/temporary_folder.h"
#include "tests/media/tagged_file.h"

namespace reelgrid::comparison {
namespace {

constexpr const char* kGraph = R"({"3": {"class_type": "KSampler", "inputs":
    {"seed": 42, "steps": 20, "cfg": 6, "sampler_name": "euler", "model": ["4", 0], "positive": ["5", 0]}},
    "4": {"class_type": "UNETLoader", "inputs": {"unet_name": "wan2.1_t2v_1.3B.safetensors"}},
    "5": {"class_type": "CLIPTextEncode", "inputs": {"text": "a fox"}}})";
constexpr const char* kText = "wan2.1_t2v_1.3B · euler · 20 steps · cfg 6 · seed 42";

std::string tagText(const media::TextTag& tag) {
    const auto origin = originFromTags(std::vector{tag});
    return origin ? origin->text() : "(none)";
}

class ClipOriginOf : public testing::Test {
  protected:
    jobs::TemporaryFolder m_folder;
};

TEST_F(ClipOriginOf, ClipsOfComfyUiIsTheirGraph) {
    for (const char* name : {"a.mp4", "a.mkv", "a.webm"}) {
        media::writeTaggedClip(m_folder.path() / name, {{"prompt", kGraph}, {"workflow", "{}"}});
        EXPECT_EQ(labelWithOrigin(m_folder.path() / name), std::string("a · ") + kText);
        EXPECT_EQ(originOf(m_folder.path() / name).value().prompt, "a fox");
    }
}

TEST_F(ClipOriginOf, VideoHelperSuitesIsInItsComment) {
    const nlohmann::json inText = {{"prompt", kGraph}, {"workflow", nlohmann::json::object()}};
    const nlohmann::json asObject = {{"prompt", nlohmann::json::parse(kGraph)}};
    for (const nlohmann::json& comment : {inText, asObject}) {
        media::writeTaggedClip(m_folder.path() / "a.mp4", {{"comment", comment.dump()}});
        EXPECT_EQ(originOf(m_folder.path() / "a.mp4").value().text(), kText);
    }
}

TEST_F(ClipOriginOf, AClipWithoutTagsIsInThePictureBesideIt) {
    for (const char* name : {"a_00001.gif", "a_00002-audio.mp4"})
        media::writeTaggedClip(m_folder.path() / name, {});
    EXPECT_EQ(labelWithOrigin(m_folder.path() / "a_00001.gif"), "a_00001");
    for (const char* name : {"a_00001.png", "a_00002.png"})
        media::writeTaggedPng(m_folder.path() / name, {{"prompt", kGraph}});
    EXPECT_EQ(originOf(m_folder.path() / "a_00001.gif").value().text(), kText);
    EXPECT_EQ(originOf(m_folder.path() / "a_00002-audio.mp4").value().text(), kText);
}

TEST_F(ClipOriginOf, OurOwnClipsIsTheirManifest) {
    media::writeTaggedClip(m_folder.path() / "a.mp4", {{"prompt", kGraph}});
    std::filesystem::create_directory(m_folder.path() / "a.files");
    std::ofstream(m_folder.path() / "a.files" / "manifest.json") << "{}";
    EXPECT_FALSE(originOf(m_folder.path() / "a.mp4"));
    EXPECT_EQ(labelWithOrigin(m_folder.path() / "a.mp4"), "a");
}

TEST_F(ClipOriginOf, AManifestDecidesTheLabelAndNoFilesName) {
    std::filesystem::create_directory(m_folder.path() / "wan_attn_fav2_32x32.files");
    std::ofstream(m_folder.path() / "wan_attn_fav2_32x32.files" / "manifest.json")
        << R"({"request": {"attention_type": "sla"}})";
    media::writeTaggedClip(m_folder.path() / "wan_attn_fav2_32x32.mp4", {});
    EXPECT_EQ(labelWithOrigin(m_folder.path() / "wan_attn_fav2_32x32.mp4"), "sla (labelled fav2)");
}

TEST_F(ClipOriginOf, FilesThatCannotBeReadIsNothing) {
    std::ofstream(m_folder.path() / "text.mp4") << "not a video at all";
    std::ofstream(m_folder.path() / "text.png") << "\x89PNG\r\n\x1a\n";
    EXPECT_FALSE(originOf(m_folder.path() / "text.mp4"));
    EXPECT_EQ(labelWithOrigin(m_folder.path() / "absent.mp4"), "absent");
}

TEST(OriginFromTags, TakesParametersWhereThereIsNoGraph) {
    EXPECT_EQ(tagText({"parameters", "a fox\nSteps: 5, Seed: 1"}), "5 steps · seed 1");
    EXPECT_EQ(tagText({"comment", "a fox\nSteps: 5, Seed: 1"}), "5 steps · seed 1");
    const std::vector<media::TextTag> both{{"parameters", "Steps: 5"}, {"prompt", kGraph}};
    EXPECT_EQ(originFromTags(both).value().text(), kText);
    const std::vector<media::TextTag> broken{{"parameters", "Steps: 5"}, {"prompt", "a fox"}};
    EXPECT_EQ(originFromTags(broken).value().text(), "5 steps");
}

TEST(OriginFromTags, OfHostileTextIsNothing) {
    const std::string deep(10'000, '[');
    for (const std::string& text :
         {std::string("a fox"), std::string("{"), deep, deep + std::string(10'000, ']'),
          "{\"prompt\": " + deep, std::string(R"({"prompt": 5})"),
          std::string(R"({"prompt": "{\"prompt\": 5}"})"), std::string("\xff\xfe{}"), std::string("null"),
          std::string(R"({"prompt": {"1": {"class_type": "KSampler", "inputs": 5}}})")})
        for (const char* name : {"prompt", "comment", "parameters", "title"})
            EXPECT_EQ(tagText({name, text}), "(none)") << name << " " << text.substr(0, 60);
}

}  // namespace
}  // namespace reelgrid::comparison
