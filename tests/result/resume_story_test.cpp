#include "core/result/resume_story.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ResumeStoryTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("resume_story_" + std::to_string(getpid()));
    fs::path m_clip = m_folder / "a.mp4";
    void TearDown() override { fs::remove_all(m_folder); }

    void write(const std::string& story, const char* dtype = "U8") const {
        const nlohmann::json header = {
            {"story", {{"dtype", dtype}, {"shape", {story.size()}}, {"data_offsets", {0, story.size()}}}}};
        const std::string text = header.dump();
        const std::uint64_t length = text.size();
        ASSERT_TRUE(
            writeFile(m_folder / "a.files" / protocol::kResumeFile,
                      std::string(reinterpret_cast<const char*>(&length), sizeof length) + text + story));
    }
};

TEST_F(ResumeStoryTest, IsReadWithoutTheNoteBesideIt) {
    EXPECT_FALSE(readResumeStory(m_clip).value());
    ResumeStory story{.done = 2, .manifest = {}, .timing = {}};
    story.timing.steps = {0.5, 0.25};
    write(textOf(story));
    const auto read = readResumeStory(m_clip).value();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->done, 2);
    EXPECT_THAT(read->timing.steps, testing::ElementsAre(0.5, 0.25));
}

TEST_F(ResumeStoryTest, SaysWhatIsWrongWithTheFile) {
    const auto message = [&] { return readResumeStory(m_clip).error().message; };
    write("{}");
    EXPECT_THAT(message(), HasSubstr("resume.safetensors"));
    write(R"({"manifest": {}, "timing": [{}]})");
    EXPECT_THAT(message(), HasSubstr("resume.safetensors"));
    write("{}", "I8");
    EXPECT_THAT(message(), HasSubstr("resume.safetensors: \"story\" in U8 was needed"));
    ASSERT_TRUE(writeFile(m_folder / "a.files" / protocol::kResumeFile, "latents"));
    EXPECT_THAT(message(), HasSubstr("resume.safetensors"));
}

}  // namespace
}  // namespace reelgrid::result
