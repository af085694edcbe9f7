#include "core/result/unfinished_render.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class UnfinishedRenderTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("unfinished_" + std::to_string(getpid()));
    fs::path m_clip = m_folder / "a.mp4";
    fs::path m_file = m_folder / "a.files" / protocol::kUnfinishedFile;
    void TearDown() override { fs::remove_all(m_folder); }

    [[nodiscard]] protocol::RenderRequest request() const {
        protocol::RenderRequest request;
        request.prompt = "a cat's \"tail\"";
        request.output = m_clip.string();
        request.seed = 7;
        request.guidanceScale = 2.5;
        request.forceOutputSize = true;
        return request;
    }
};

TEST_F(UnfinishedRenderTest, SaysHowToGoOn) {
    ASSERT_TRUE(writeUnfinished(m_clip, {10, 50, request()}));
    const auto object = readJsonObject(m_file).value();
    EXPECT_THAT(object["status"].get<std::string>(), HasSubstr("10 of 50 steps kept"));
    EXPECT_EQ(object["latents"], protocol::kResumeFile);
    EXPECT_EQ(object["resume"],
              "reelgrid-cli render --model demo --prompt 'a cat'\\''s \"tail\"' --force-output-size "
              "--guidance-scale 2.5 --seed 7 --output " +
                  m_clip.string() + " --resume");
    const auto read = readUnfinished(m_clip).value();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->stepsKept, 10);
    EXPECT_EQ(read->steps, 50);
    EXPECT_EQ(read->request, request());
}

/// The demo model has a prompt, which isn't what was rendered.
TEST_F(UnfinishedRenderTest, NamesAnEmptyPrompt) {
    auto asked = request();
    asked.prompt.clear();
    EXPECT_THAT(resumeCommand(asked), HasSubstr(" --model demo --prompt '' "));
}

TEST_F(UnfinishedRenderTest, WithoutKeptStepsThereIsNothingToGoOnFrom) {
    ASSERT_TRUE(writeUnfinished(m_clip, {0, 50, request()}));
    const auto object = readJsonObject(m_file).value();
    EXPECT_THAT(object["status"].get<std::string>(), HasSubstr("render again"));
    EXPECT_FALSE(object.contains("resume"));
    EXPECT_FALSE(object.contains("latents"));
}

TEST_F(UnfinishedRenderTest, GoesWithItsLatentsOrWhenThereAreNone) {
    ASSERT_TRUE(writeUnfinished(m_clip, {10, 50, request()}));
    ASSERT_TRUE(writeFile(m_folder / "a.files" / protocol::kResumeFile, "latents"));
    removeUnfinishedWithoutSteps(m_clip);
    EXPECT_TRUE(fs::exists(m_file));
    removeUnfinished(m_clip);
    EXPECT_TRUE(fs::is_empty(m_folder / "a.files"));
    ASSERT_TRUE(writeUnfinished(m_clip, {0, 50, request()}));
    removeUnfinishedWithoutSteps(m_clip);
    EXPECT_TRUE(fs::is_empty(m_folder / "a.files"));
}

TEST_F(UnfinishedRenderTest, IsAbsentOrUnderstood) {
    EXPECT_FALSE(readUnfinished(m_clip).value());
    for (const char* text :
         {"{", "{}", R"({"request": {"seed": "x"}})", R"({"steps_kept": -1, "request": {}})"}) {
        ASSERT_TRUE(writeFile(m_file, text));
        const auto read = readUnfinished(m_clip);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().message, HasSubstr("unfinished.json")) << text;
    }
}

TEST_F(UnfinishedRenderTest, NamesTheOptionThatKeepsARenderInOneGo) {
    catalog::RenderSettings settings;
    EXPECT_EQ(obstacleToResuming(settings), "");
    settings.saveInputs = true;
    EXPECT_EQ(obstacleToResuming(settings), "--save-inputs");
    settings.numRepetitions = 3;
    EXPECT_EQ(obstacleToResuming(settings), "--num-repetitions 3");
}

}  // namespace
}  // namespace reelgrid::result
