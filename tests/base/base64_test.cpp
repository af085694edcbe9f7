#include "core/base/base64.h"

#include <gtest/gtest.h>

namespace reelgrid {
namespace {

std::vector<std::uint8_t> bytesOfText(const std::string& text) {
    return {text.begin(), text.end()};
}

TEST(Base64, IsThatOfRfc4648) {
    const std::pair<const char*, const char*> examples[] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xfb\xff\xfe", "+//+"},
    };
    for (const auto& [plain, text] : examples) {
        EXPECT_EQ(toBase64(bytesOfText(plain)), text);
        EXPECT_EQ(fromBase64(text), bytesOfText(plain)) << text;
    }
}

TEST(Base64, RefusesWhatItIsNot) {
    for (const char* wrong : {"Zg", "Zg=", "Zg===", "Z===", "====", "Zm9v!A==", "=Zm8", "Zm=v", "Zm9v\n"})
        EXPECT_FALSE(fromBase64(wrong)) << wrong;
}

}  // namespace
}  // namespace reelgrid
