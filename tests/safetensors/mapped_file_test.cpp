#include "core/safetensors/mapped_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <numeric>
#include <string>

#include "core/base/pending_file.h"

namespace reelgrid::safetensors {
namespace {

namespace fs = std::filesystem;

TEST(MappedFileDeathTest, ThatWasCutShortWhileItIsUsedIsNamed) {
    const fs::path path = fs::path(testing::TempDir()) / ("mapped_" + std::to_string(getpid()));
    writeFile(path, std::string(100'000, 'x')).value();
    const auto mapped = MappedFile::open(path);
    const auto sum = [&] { return std::accumulate(mapped->bytes().begin(), mapped->bytes().end(), 0L); };
    EXPECT_EQ(sum(), 100'000L * 'x');
    EXPECT_EXIT(
        {
            fs::resize_file(path, 4096);
            std::exit(sum() > 0 ? 3 : 4);
        },
        testing::ExitedWithCode(1),
        path.string() + ": it was cut short.*the 100000 bytes that it had were needed");
    fs::remove(path);
}

TEST(MappedFileDeathTest, OtherBusErrorsKillAsBefore) {
    const fs::path path = fs::path(testing::TempDir()) / ("mapped_" + std::to_string(getpid()));
    writeFile(path, "x").value();
    const auto mapped = MappedFile::open(path);
    EXPECT_DEATH(raise(SIGBUS), testing::Not(testing::HasSubstr("cut short")));
    fs::remove(path);
}

}  // namespace
}  // namespace reelgrid::safetensors
