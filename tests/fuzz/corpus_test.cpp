// Reads the seeds and what fuzzing has found, without libFuzzer: packaging/fuzz goes on from them.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/fuzz/target.h"

namespace reelgrid::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostMemory = std::uint64_t{2} << 30;

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Whose seeds are refused at last: for what lies beside a model, a version, or a rank that is asked for.
bool isRefusedAtLast(std::string_view name) {
    constexpr std::array kNames{"lora", "machine", "model_index", "single_file", "tokenizer"};
    return std::ranges::find(kNames, name) != kNames.end();
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, IsReadOrRefused) {
    const Target& target = GetParam();
    const fs::path folder = fs::path(REELGRID_SOURCE_DIR) / "tests/fuzz/corpus" / target.name;
    ASSERT_TRUE(fs::is_directory(folder)) << folder;
    int taken = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path().string());
        const std::string bytes = contentOf(entry.path());
        const double before = processorSeconds();
        EXPECT_NO_THROW(taken += readByTarget(target, bytes) ? 1 : 0);
        EXPECT_LE(processorSeconds() - before, mostSeconds(bytes.size()));
    }
    if (!isRefusedAtLast(target.name)) {
        EXPECT_GE(taken, 1) << "no seed is taken: what the parser does then is never seen";
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    EXPECT_LE(static_cast<std::uint64_t>(used.ru_maxrss) * 1024, kMostMemory);
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& tried) { return std::string(tried.param.name); });

}  // namespace
}  // namespace reelgrid::fuzz
