#include "core/safetensors/header.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/base/pending_file.h"
#include "core/base/result.h"

namespace reelgrid::safetensors {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string fileBytes(const std::string& header, std::size_t dataSize) {
    std::string bytes;
    for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 255);
    return bytes + header + std::string(dataSize, '\1');
}

std::string faultOf(const std::string& bytes) {
    try {
        (void)readHeader(bytes, "bad.safetensors");
    } catch (const Failure& failure) {
        return failure.error().message;
    }
    return "accepted";
}

TEST(SafetensorsHeader, ReadsScalarsEmptyTensorsAndSkipsMetadata) {
    const auto tensors = readHeader(
        fileBytes(R"({"__metadata__":{"format":"pt"},"s":{"dtype":"U8","shape":[],"data_offsets":[0,1]},)"
                  R"("none":{"dtype":"F32","shape":[0,7],"data_offsets":[1,1]}}   )",
                  1),
        "t.safetensors");
    EXPECT_EQ(tensors.size(), 2U);
    EXPECT_TRUE(tensors.at("s").shape.empty());
    EXPECT_THAT(tensors.at("none").shape, testing::ElementsAre(0, 7));
}

TEST(SafetensorsHeader, RejectsWhatBreaksTheFormat) {
    struct Fault {
        const char* header;
        std::size_t dataSize;
        const char* needed;
    };
    const Fault faults[] = {
        {R"({"t":{"dtype":"U8","shape":[4],"data_offsets":[0,4]})", 4, "not well-formed JSON"},
        {R"([1])", 0, "a JSON object was needed"},
        {R"({"t":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"t":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
         4, R"("t" is in the header twice)"},
        {R"({"t":{"dtype":"F4","shape":[4],"data_offsets":[0,4]}})", 4, R"(dtype "F4")"},
        {R"({"t":{"dtype":"U8","shape":[4]}})", 4, "lacks"},
        {R"({"t":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"extra":1}})", 4, R"("extra")"},
        {R"({"t":{"dtype":"U8","dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4, "twice"},
        {R"({"t":{"dtype":"U8","shape":[5],"data_offsets":[0,5]}})", 4, "holds 4 (is it truncated?)"},
        {R"({"t":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}})", 4, "rising"},
        {R"({"t":{"dtype":"U8","shape":[4],"data_offsets":[0,18446744073709551615]}})", 4, "truncated"},
        {R"({"t":{"dtype":"U8","shape":[3],"data_offsets":[0,4]}})", 4, "3 were needed"},
        {R"({"t":{"dtype":"U8","shape":[-4],"data_offsets":[0,4]}})", 4, "negative"},
        {R"({"t":{"dtype":"U8","shape":[4.0],"data_offsets":[0,4]}})", 4, "fraction"},
        {R"({"t":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})", 4,
         "impossible shape"},
        {R"({"t":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]}})", 4,
         "impossible extent"},
        {R"({"t":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", 1,
         "more than 16"},
        {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[3],"data_offsets":[1,4]}})",
         4, "2 was needed"},
        {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})",
         4, "holes"},
        {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 4, "cover 2 bytes"},
        {R"({"a":{"dtype":"U8","shape":[[2]],"data_offsets":[0,2]}})", 2, "a list where it can't be"},
        {R"({"a":{"dtype":{},"shape":[2],"data_offsets":[0,2]}})", 2, "an object where it can't be"},
        {R"({"__metadata__":{"n":1}})", 0, "a number where it can't be"},
    };
    for (const Fault& fault : faults)
        EXPECT_THAT(faultOf(fileBytes(fault.header, fault.dataSize)),
                    AllOf(StartsWith("bad.safetensors: "), HasSubstr(fault.needed), Not(HasSubstr("\n"))))
            << fault.header;
}

TEST(SafetensorsHeader, RejectsAFileCutAnywhere) {
    const std::string whole = fileBytes(R"({"t":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", 4);
    EXPECT_EQ(faultOf(whole), "accepted");
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_THAT(faultOf(whole.substr(0, length)), StartsWith("bad.safetensors: ")) << length;
}

TEST(SafetensorsHeader, OfAFileIsReadWithoutItsData) {
    const std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / ("header_" + std::to_string(getpid()) + ".safetensors");
    ASSERT_TRUE(
        writeFile(path, fileBytes(R"({"t":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]}})", 12)));
    const auto tensors = readHeaderOf(path);
    ASSERT_TRUE(tensors);
    EXPECT_EQ(tensors->at("t").elements(), 6U);
    EXPECT_STREQ(nameOf(tensors->at("t").dtype), "BF16");
    std::filesystem::resize_file(path, 20);
    EXPECT_EQ(readHeaderOf(path).error().code, ErrorCode::InvalidData);
    std::filesystem::remove(path);
    EXPECT_EQ(readHeaderOf(path).error().code, ErrorCode::NotFound);
}

TEST(SafetensorsHeader, StopsAtDeepNesting) {
    std::string header = R"({"t":)";
    header.resize(1 << 20, '[');
    EXPECT_THAT(faultOf(fileBytes(header, 0)), HasSubstr("can't be"));
}

TEST(SafetensorsHeader, NamesAHostileTensorOnOneLine) {
    const std::string fault =
        faultOf(fileBytes(R"({"a\n\u001b[31m":{"dtype":"U8","shape":[1],"data_offsets":[0,9]}})", 1));
    EXPECT_THAT(fault, AllOf(HasSubstr(R"("a\n\u001b[31m")"), Not(HasSubstr("\n")), Not(HasSubstr("\x1b"))));
    EXPECT_LT(quotedName(std::string(5000, 'x')).size(), 200U);
}

}  // namespace
}  // namespace reelgrid::safetensors
