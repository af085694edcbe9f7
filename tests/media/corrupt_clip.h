#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/pending_file.h"
#include "core/media/clip.h"
#include "tests/media/barcode.h"

namespace reelgrid::media::test {

/// Makes clips, whole and damaged.
class CorruptClips : public testing::Test {
  protected:
    /// Opening must fail with one line that names the file.
    Error openingError(const std::filesystem::path& path) {
        auto clip = Clip::open(path);
        EXPECT_FALSE(clip);
        if (clip) return {};
        EXPECT_THAT(clip.error().message, testing::HasSubstr(path.string()));
        EXPECT_THAT(clip.error().message, testing::Not(testing::HasSubstr("\n")));
        return clip.error();
    }
    std::filesystem::path write(const std::string& name, const std::string& bytes) {
        std::ofstream(m_folder / name, std::ios::binary) << bytes;
        return m_folder / name;
    }
    std::string clipBytes(const std::string& name, const std::string& options) {
        EXPECT_TRUE(encodeBarcodes(m_folder / name, 40, 96, 64, "16", options));
        return readFile(m_folder / name).value();
    }
    /// Frames of some kilobytes each.
    std::string noiseBytes(const std::string& name, const std::string& options) {
        const auto path = m_folder / name;
        EXPECT_TRUE(runs("ffmpeg -y -v error -f lavfi -i testsrc2=s=192x128:r=10:d=2.4,noise=alls=9 " +
                         options + " '" + path.string() + "'"));
        auto clip = Clip::open(path);
        EXPECT_EQ(clip ? clip.value()->info().frameCount() : 0, 24) << name;
        return readFile(path).value();
    }
    ScratchFolder m_folder;
};

}  // namespace reelgrid::media::test
