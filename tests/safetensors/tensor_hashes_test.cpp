#include "core/safetensors/tensor_hashes.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace reelgrid::safetensors {
namespace {

using testing::HasSubstr;

/// Two tensors of two bytes, "a" and "b".
std::string hashedFile(const std::string& data, nlohmann::json hashes) {
    const auto entry = [](int begin) {
        return nlohmann::json{{"dtype", "U8"}, {"shape", {2}}, {"data_offsets", {begin, begin + 2}}};
    };
    nlohmann::json header{{"a", entry(0)}, {"b", entry(2)}};
    if (!hashes.is_null()) header["__metadata__"] = std::move(hashes);
    const std::string text = header.dump();
    std::string bytes;
    for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 255);
    return bytes + text + data;
}

nlohmann::json hashesOf(const std::string& data) {
    const std::int64_t shape[] = {2};
    return {{"sha256:a", hashOf("a", ElementType::U8, shape, data.substr(0, 2))},
            {"sha256:b", hashOf("b", ElementType::U8, shape, data.substr(2))}};
}

std::string damageOf(const std::string& file, Hashes hashes = Hashes::Needed) {
    try {
        requireUnchanged(file, "kept.safetensors", hashes);
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "";
}

TEST(TensorHashes, NameTheTensorThatChanged) {
    EXPECT_EQ(damageOf(hashedFile("wxyz", hashesOf("wxyz"))), "");
    EXPECT_THAT(damageOf(hashedFile("wxyZ", hashesOf("wxyz"))), HasSubstr(R"(kept.safetensors: tensor "b")"));
    EXPECT_THAT(damageOf(hashedFile("Wxyz", hashesOf("wxyz")), Hashes::WhereKept),
                HasSubstr(R"(tensor "a")"));
}

TEST(TensorHashes, AreOfEveryTensorAndOfNoOther) {
    auto hashes = hashesOf("wxyz");
    hashes.erase("sha256:b");
    EXPECT_THAT(damageOf(hashedFile("wxyz", hashes)), HasSubstr(R"("b" has no hash)"));
    hashes = hashesOf("wxyz");
    hashes["sha256:c"] = "";
    EXPECT_THAT(damageOf(hashedFile("wxyz", hashes)), HasSubstr(R"("c" is missing)"));
    EXPECT_THAT(damageOf(hashedFile("wxyz", nullptr)), HasSubstr("has no hash"));
    EXPECT_EQ(damageOf(hashedFile("wxyz", nullptr), Hashes::WhereKept), "");
}

}  // namespace
}  // namespace reelgrid::safetensors
