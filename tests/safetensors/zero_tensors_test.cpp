#include "core/safetensors/zero_tensors.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace reelgrid::safetensors {
namespace {

TEST(ZeroMatrices, AreNamedAndVectorsAndSmallOnesAreNot) {
    const std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / (std::to_string(getpid()) + "zeros.safetensors");
    nlohmann::json header;
    std::string data;
    const auto add = [&](const char* name, const std::vector<int>& shape, int bytes, char last) {
        header[name] = {{"dtype", "U8"},
                        {"shape", shape},
                        {"data_offsets", {data.size(), data.size() + std::size_t(bytes)}}};
        data += std::string(std::size_t(bytes - 1), '\0') + last;
    };
    add("hole", {8, 8}, 64, '\0');
    add("matrix", {8, 8}, 64, '\1');
    add("bias", {64}, 64, '\0');
    add("gate", {1, 6}, 6, '\0');
    add("kernel", {4, 4, 4}, 64, '\0');
    add("whole", {300, 1024}, 300 << 10, '\1');
    add("ends", {300, 1024}, 300 << 10, '\0');
    data[data.size() - (200 << 10) - 7] = '\1';
    add("rows", {300, 1024}, 300 << 10, '\0');
    data[data.size() - (200 << 10) - 1] = '\1';
    add("middle", {20, 1 << 20}, 20 << 20, '\1');
    std::fill(data.end() - (10 << 20) - 5, data.end() - 1, '\1');
    const std::string text = header.dump();
    std::ofstream out(file, std::ios::binary);
    for (unsigned i = 0; i < 8; ++i) out.put(static_cast<char>(text.size() >> (8 * i) & 255));
    out << text << data;
    out.close();
    EXPECT_THAT(zeroedMatricesIn(file), testing::ElementsAre("ends", "hole", "kernel", "middle"));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace reelgrid::safetensors
