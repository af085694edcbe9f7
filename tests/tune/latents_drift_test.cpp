#include "core/tune/latents_drift.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

namespace reelgrid::tune {
namespace {

namespace fs = std::filesystem;

class LatentsDriftTest : public testing::Test {
  protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("latents_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }

    /// A safetensors file of one fp32 tensor.
    [[nodiscard]] fs::path write(const std::string& name, const std::vector<float>& values,
                                 const std::string& tensor = "latents") const {
        const std::string header = "{\"" + tensor + "\":{\"dtype\":\"F32\",\"shape\":[" +
                                   std::to_string(values.size()) + "],\"data_offsets\":[0," +
                                   std::to_string(values.size() * 4) + "]}}";
        const std::uint64_t length = header.size();
        std::string bytes(8, '\0');
        std::memcpy(bytes.data(), &length, 8);
        bytes += header;
        bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * 4);
        std::ofstream(m_folder / name, std::ios::binary) << bytes;
        return m_folder / name;
    }
};

TEST_F(LatentsDriftTest, IsCosineAndRelativeL1) {
    const auto drift = latentsDrift(write("a", {3, -4, 0, 5}), write("b", {3, -2, 1, 4}));
    ASSERT_TRUE(drift) << drift.error().message;
    EXPECT_DOUBLE_EQ(drift->relativeL1, 4.0 / 12);
    EXPECT_DOUBLE_EQ(drift->cosine, 37 / std::sqrt(50.0 * 30));
    const auto none = latentsDrift(m_folder / "a", m_folder / "a");
    EXPECT_EQ(none->relativeL1, 0);
    EXPECT_EQ(none->cosine, 1);
}

TEST_F(LatentsDriftTest, NamesTheFileThatIsNotComparable) {
    const fs::path a = write("a", {1, 2});
    EXPECT_THAT(latentsDrift(a, write("b", {1, 2, 3})).error().message,
                testing::HasSubstr("/b: latents [3], [2]"));
    EXPECT_THAT(latentsDrift(a, write("c", {1, 2}, "noise")).error().message,
                testing::HasSubstr("/c: a tensor \"latents\""));
    EXPECT_EQ(latentsDrift(a, m_folder / "nowhere").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace reelgrid::tune
