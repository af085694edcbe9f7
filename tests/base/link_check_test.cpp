#include "core/base/link_check.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pending_file.h"

namespace reelgrid {
namespace {

namespace fs = std::filesystem;

class LinkCheckTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("link_check_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
};

TEST_F(LinkCheckTest, NamesALinkWhoseTargetIsGone) {
    const fs::path link = m_folder / "model.safetensors";
    fs::create_symlink("../../blobs/abc", link);
    const auto fault = faultOfLink(link);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, ErrorCode::NotFound);
    EXPECT_EQ(fault->message, link.string() + ": is a link to ../../blobs/abc, which isn't there");
    // Whoever reads a file says it, too.
    EXPECT_EQ(readFile(link, 10).error().message, fault->message);
}

TEST_F(LinkCheckTest, NamesALinkThatLeadsToItself) {
    const fs::path link = m_folder / "circle";
    fs::create_symlink("circle", link);
    const auto fault = faultOfLink(link);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, ErrorCode::Io);
    EXPECT_THAT(fault->message, testing::HasSubstr("circle: is a link to circle, which can't be followed: "));
}

TEST_F(LinkCheckTest, FindsNothingWrongWithOtherNames) {
    ASSERT_TRUE(writeFile(m_folder / "file", "x"));
    fs::create_symlink("file", m_folder / "link");
    for (const char* name : {"file", "link", "gone", "gone/link", "."})
        EXPECT_FALSE(faultOfLink(m_folder / name) || faultOfPlace(m_folder / name)) << name;
}

TEST_F(LinkCheckTest, NamesWhatIsNeitherAFileNorAFolder) {
    const fs::path pipe = m_folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink("pipe", m_folder / "link");
    for (const fs::path& path : {pipe, m_folder / "link", fs::path("/dev/null")}) {
        const auto fault = faultOfPlace(path);
        ASSERT_TRUE(fault) << path;
        EXPECT_EQ(fault->code, ErrorCode::InvalidData);
        EXPECT_EQ(fault->message, path.string() + ": neither a file nor a folder (a pipe, socket or device)");
    }
    fs::create_symlink("gone", m_folder / "dangling");
    EXPECT_EQ(faultOfPlace(m_folder / "dangling")->code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace reelgrid
